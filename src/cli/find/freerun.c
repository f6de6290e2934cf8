/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a free run, watching it, and saying how it ended; see the header.
 */
#include "cli/find/freerun.h"
#include "cli/compile/cc.h"
#include "core/control.h"
#include "report/story/story.h"
#include "session/blocked_process.h"
#include "session/child.h"
#include "session/console.h"
#include "session/installed.h"
#include "session/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_AFTER 0.02 /* seconds; most runs are over by then */
#define LOOK_AGAIN                                                                                                     \
  0.02 /* seconds nothing may have moved: any thread that can run does so meanwhile, or is seen to want to */

/* ---- what all runs share ---- */

static bool is_variable(const char *entry, const char *name)
{
  size_t length = strlen(name);
  return !strncmp(entry, name, length) && entry[length] == '=';
}

/* Ours, up to two (NULL: none), and all that the user has but them. */
static char **make_environment(char *first, char *second)
{
  size_t count = 0, used = 0;
  while (environ[count])
    count++;
  char **envp = calloc(count + 3, sizeof *envp);
  if (!envp)
    return NULL;
  if (first)
    envp[used++] = first;
  if (second)
    envp[used++] = second;
  for (size_t i = 0; i < count; i++)
    if (!is_variable(environ[i], CONTROL_ENV) && !is_variable(environ[i], STRESS_ENV) &&
        !(second && is_variable(environ[i], "LD_PRELOAD")))
      envp[used++] = environ[i];
  return envp;
}

/* Programs that were not built with heddle cc pause in their calls, by the library; unless it lies where LD_PRELOAD
 * cannot name it. */
static bool make_environments(struct free_program *p, unsigned yields)
{
  struct heddle_paths paths;
  const char *users = getenv("LD_PRELOAD");
  bool add = users && *users;
  if (heddle_paths(&paths) != 0) {
    console_error("libheddle.so is not next to heddle nor in ../lib/heddle; build or install heddle again");
    return false;
  }
  if (asprintf(&p->stress_text, "%s=%u", STRESS_ENV, yields) < 0)
    p->stress_text = NULL;
  if (asprintf(&p->preload_text, "LD_PRELOAD=%s%s%s", paths.library, add ? ":" : "", add ? users : "") < 0)
    p->preload_text = NULL;
  p->envp[STRESS_PLAIN] = make_environment(NULL, NULL);
  p->envp[STRESS_YIELDS] = make_environment(p->stress_text, strpbrk(paths.library, " :\t\n") ? NULL : p->preload_text);
  return p->stress_text && p->preload_text && p->envp[STRESS_PLAIN] && p->envp[STRESS_YIELDS];
}

static bool make_input(struct free_program *p, const struct target *target)
{
  if (!target->input_bytes)
    return true;
  p->input_fd = memory_file("input", 0);
  size_t done = 0;
  while (p->input_fd >= 0 && done < target->input_bytes) {
    ssize_t n = write(p->input_fd, target->input + done, target->input_bytes - done);
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return p->input_fd >= 0;
}

bool free_open(struct free_program *program, const struct target *target, unsigned yields)
{
  *program = (struct free_program){.path = target->path, .folder = target->folder, .input_fd = -1};
  program->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (program->null_fd >= 0 && make_environments(program, yields) && (program->argv = child_arguments(target)) &&
      make_input(program, target))
    return true;
  console_error("the program cannot be prepared: %s", strerror(errno));
  free_close(program);
  return false;
}

void free_close(struct free_program *program)
{
  free(program->argv);
  free(program->envp[STRESS_PLAIN]);
  free(program->envp[STRESS_YIELDS]);
  free(program->preload_text);
  free(program->stress_text);
  if (program->input_fd >= 0)
    close(program->input_fd);
  if (program->null_fd >= 0)
    close(program->null_fd);
  *program = (struct free_program){.input_fd = -1, .null_fd = -1};
}

/* ---- the start ---- */

static pid_t spawn(const struct free_program *p, enum stress_mode mode, int input_fd, int output_fd)
{
  const struct child child = {.path = p->path,
                              .folder = p->folder,
                              .argv = p->argv,
                              .envp = p->envp[mode],
                              .descriptor = {{input_fd, 0}, {output_fd, 1}, {output_fd, 2}},
                              .descriptors = 3};
  return child_spawn(&child);
}

/* A file description of its own: every run reads from the start. */
static int open_input(const struct free_program *p)
{
  char path[32];
  if (p->input_fd < 0)
    return fcntl(p->null_fd, F_DUPFD_CLOEXEC, 3);
  snprintf(path, sizeof path, "/proc/self/fd/%d", p->input_fd);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool free_start(struct free_run *run, const struct free_program *program, enum stress_mode mode, uint64_t number)
{
  int ends[2] = {-1, -1}, input_fd = open_input(program);
  *run = (struct free_run){.mode = mode, .number = number, .started = now_seconds()};
  if (input_fd >= 0 && pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    run->pid = spawn(program, mode, input_fd, ends[1]);
  else
    run->pid = -1;
  int error = errno;
  if (input_fd >= 0)
    close(input_fd);
  if (ends[1] >= 0)
    close(ends[1]);
  run->output_fd = ends[0];
  run->end_fd = run->pid > 0 ? (int)syscall(SYS_pidfd_open, run->pid, 0) : -1;
  if (run->pid > 0 && run->end_fd >= 0)
    return true;
  if (run->pid > 0)
    console_error("%s cannot be watched: pidfd_open: %s (see heddle doctor)", program->path, strerror(errno));
  else
    console_error("%s cannot be started: %s", program->path, strerror(error));
  free_kill(run);
  return false;
}

/* Returns the status as waitpid does. */
static int reap(struct free_run *run)
{
  int status = 0;
  kill(-run->pid, SIGKILL);
  kill(run->pid, SIGKILL);
  while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

void free_kill(struct free_run *run)
{
  if (run->pid > 0)
    reap(run);
  if (run->end_fd >= 0)
    close(run->end_fd);
  if (run->output_fd >= 0)
    close(run->output_fd);
  run->pid = 0;
}

/* ---- what it printed ---- */

static void take_output(struct free_run *run)
{
  char text[4096];
  ssize_t n = -1;
  while (run->output_fd >= 0 && (n = read(run->output_fd, text, sizeof text)) > 0) {
    size_t length = (size_t)n, room = FREE_TAIL - 1 - run->tail_used;
    if (length > room) {
      size_t drop = length - room;
      memmove(run->tail, run->tail + drop, run->tail_used - drop);
      run->tail_used -= drop;
    }
    memcpy(run->tail + run->tail_used, text, length);
    run->tail_used += length;
  }
  run->tail[run->tail_used] = 0;
  if (n == 0) { /* all who could write have closed it: it must not wake us again */
    close(run->output_fd);
    run->output_fd = -1;
  }
}

/* "program: FILE:LINE: function: Assertion `expression' failed." False: there is none. */
static bool find_assertion(const char *text, char *expression, char *where, size_t size)
{
  const char *said = strstr(text, ": Assertion `");
  const char *end = said ? strstr(said, "' failed.") : NULL;
  if (!end)
    return false;
  const char *line = said;
  while (line > text && line[-1] != '\n')
    line--;
  const char *place = strstr(line, ": ");
  const char *place_end = place && place < said ? strstr(place + 2, ": ") : NULL;
  if (!place_end || place_end > said)
    return false;
  said += strlen(": Assertion `");
  snprintf(expression, size, "%.*s", (int)(end - said), said);
  snprintf(where, size, "%.*s", (int)(place_end - place - 2), place + 2);
  return true;
}

/* ---- the end ---- */

static void judge_signal(const struct free_run *run, int number, struct stress_outcome *o)
{
  char expression[STRESS_TEXT / 2], where[STRESS_TEXT / 2], escaped[STRESS_TEXT / 2];
  const char *name = sigabbrev_np(number);
  o->bug = true;
  o->kind = BUG_CRASH;
  snprintf(o->text, sizeof o->text, "crash: SIG%s", name ? name : "?");
  if (number != SIGABRT || !find_assertion(run->tail, expression, where, sizeof where))
    return;
  o->kind = BUG_ASSERTION;
  escape_text(expression, escaped, sizeof escaped);
  snprintf(o->text, sizeof o->text, "assertion failed: %s", escaped);
  escape_text(where, o->where, sizeof o->where);
}

static void judge_end(const struct free_run *run, int status, unsigned right, bool any, struct stress_outcome *o)
{
  if (WIFSIGNALED(status)) {
    judge_signal(run, WTERMSIG(status), o);
  } else if ((unsigned)WEXITSTATUS(status) != right && !any) {
    o->bug = true;
    o->kind = BUG_EXIT;
    snprintf(o->text, sizeof o->text, "exit status %d", WEXITSTATUS(status));
  }
}

/* Whether two looks, a while apart, saw all threads wait and nothing move between them. */
static bool is_deadlocked(struct free_run *run, double now)
{
  uint64_t progress;
  if (now - run->started < LOOK_AFTER || (run->looked_at && now - run->looked_at < LOOK_AGAIN))
    return false;
  bool waits = process_is_blocked(run->pid, &progress), again = run->looked_at && progress == run->progress;
  run->looked_at = waits ? now : 0;
  run->progress = progress;
  return waits && again;
}

bool free_look(struct free_run *run, double hang, unsigned right_status, bool any_status,
               struct stress_outcome *outcome)
{
  int status;
  double now = now_seconds();
  *outcome = (struct stress_outcome){.seconds = now - run->started};
  take_output(run);
  siginfo_t ended = {.si_pid = 0};
  if (waitid(P_PID, (id_t)run->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid) {
    status = reap(run);
    take_output(run);
    judge_end(run, status, right_status, any_status, outcome);
  } else if (is_deadlocked(run, now)) {
    outcome->bug = true;
    outcome->kind = BUG_DEADLOCK;
    snprintf(outcome->text, sizeof outcome->text, "deadlock: all threads wait for each other");
    reap(run);
  } else if (now - run->started >= hang) {
    outcome->bug = true;
    outcome->kind = BUG_HANG;
    snprintf(outcome->text, sizeof outcome->text, "hang: no end after %g s", hang);
    reap(run);
  } else {
    return false;
  }
  run->pid = 0;
  free_kill(run);
  return true;
}
