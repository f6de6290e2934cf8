/* SPDX-License-Identifier: Apache-2.0
 *
 * Listing the calls of a stress test, see the header.
 */
#include "cli/find/stress_calls.h"
#include "schedule/subset_text.h"
#include "session/child.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIST_SECONDS 10.0
#define LIST_BYTES ((size_t)64 << 20)

/* ---- which calls ---- */

bool stress_keep(const struct subset *kept)
{
  if (!kept)
    return unsetenv("HEDDLE_STRESS_KEEP") == 0;
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return false;
  subset_print(out, kept);
  bool done = fclose(out) == 0 && setenv("HEDDLE_STRESS_KEEP", text, 1) == 0;
  free(text);
  return done;
}

/* ---- running the program ---- */

/* The process, with the end of the pipe it prints to; -1 and errno. */
static pid_t start(const struct target *target, int *output)
{
  int ends[2] = {-1, -1}, null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  char **argv = child_arguments(target);
  pid_t pid = -1;
  if (argv && null_fd >= 0 && pipe2(ends, O_CLOEXEC) == 0) {
    setenv("HEDDLE_STRESS_LIST", "1", 1);
    pid = child_spawn(&(struct child){.path = target->path,
                                      .folder = target->folder,
                                      .argv = argv,
                                      .envp = environ,
                                      .descriptor = {{null_fd, 0}, {ends[1], 1}, {null_fd, 2}},
                                      .descriptors = 3});
    unsetenv("HEDDLE_STRESS_LIST");
  }
  int error = errno;
  free(argv);
  close(null_fd);
  close(ends[1]);
  if (pid < 0)
    close(ends[0]);
  *output = ends[0];
  errno = error;
  return pid;
}

/* All it prints within the limits, malloc'ed. */
static char *read_all(int fd)
{
  char *text = NULL;
  size_t used = 0, size = 0;
  double until = now_seconds() + LIST_SECONDS;
  for (;;) {
    if (size - used < 4096) {
      char *grown = realloc(text, size = size ? 2 * size : 65536);
      if (!grown)
        break;
      text = grown;
    }
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int left = (int)(1000 * (until - now_seconds()));
    if (left <= 0 || used > LIST_BYTES || poll(&ready, 1, left) <= 0)
      break;
    ssize_t n = read(fd, text + used, size - used - 1);
    if (n <= 0)
      break;
    used += (size_t)n;
  }
  if (text)
    text[used] = 0;
  return text;
}

/* ---- what it says ---- */

static bool add_call(struct stress_calls *calls, char *line)
{
  char *name, *end;
  struct test_call call = {.thread = (uint32_t)strtoul(line, &end, 10)};
  call.call = (uint32_t)strtoul(end, &end, 10);
  name = end + (*end == ' ');
  end = name + strcspn(name, " ");
  if (end == name || !*end)
    return false;
  *end++ = 0;
  call.operation = name;
  call.a = (uint32_t)strtoul(end, &end, 10);
  call.b = (uint32_t)strtoul(end, &end, 10);
  if (*end || call.thread >= SUBSET_THREADS || call.call >= SUBSET_CALLS)
    return false;
  if ((calls->count & (calls->count - 1)) == 0) {
    struct test_call *grown = realloc(calls->list, (calls->count ? 2 * calls->count : 1) * sizeof *calls->list);
    if (!grown)
      return false;
    calls->list = grown;
  }
  calls->list[calls->count++] = call;
  return true;
}

static const char *after(const char *line, const char *word)
{
  size_t n = strlen(word);
  return strncmp(line, word, n) ? NULL : line + n;
}

static bool take_line(struct stress_calls *calls, char *line)
{
  const char *rest;
  unsigned long long seed;
  if ((rest = after(line, "stress "))) {
    if (sscanf(rest, "%u %u %llu", &calls->threads, &calls->calls, &seed) != 3)
      return false;
    calls->seed = seed;
  } else if ((rest = after(line, "file ")))
    calls->file = rest;
  else if ((rest = after(line, "setup ")))
    calls->setup = rest;
  else if ((rest = after(line, "check ")))
    calls->check = rest;
  else if ((rest = after(line, "call ")))
    return calls->threads && add_call(calls, (char *)rest);
  else
    return false;
  return true;
}

static bool take_text(struct stress_calls *calls)
{
  char *save, *line = calls->text ? strtok_r(calls->text, "\n", &save) : NULL;
  for (; line; line = strtok_r(NULL, "\n", &save))
    if (!take_line(calls, line))
      return false;
  return calls->file && calls->setup && calls->check && calls->count;
}

bool stress_calls_open(struct stress_calls *calls, const struct target *target)
{
  int output = -1;
  *calls = (struct stress_calls){0};
  pid_t pid = start(target, &output);
  if (pid < 0) {
    console_error("%s cannot be started: %s", target->label, strerror(errno));
    return false;
  }
  calls->text = read_all(output);
  close(output);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  bool taken = take_text(calls);
  if (taken && calls->threads <= SUBSET_THREADS && calls->calls <= SUBSET_CALLS)
    return true;
  if (calls->threads > SUBSET_THREADS || calls->calls > SUBSET_CALLS)
    console_error("%s has %u threads of %u calls; at most %u of %u can be minimised", target->label, calls->threads,
                  calls->calls, SUBSET_THREADS, SUBSET_CALLS);
  else
    console_error(
        "%s is not a stress test of heddle_stress.h; --calls names the calls of any other program that can be left out",
        target->label);
  stress_calls_close(calls);
  return false;
}

void stress_calls_close(struct stress_calls *calls)
{
  free(calls->list);
  free(calls->text);
  *calls = (struct stress_calls){0};
}
