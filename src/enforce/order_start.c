/* SPDX-License-Identifier: Apache-2.0
 *
 * libheddle-enforce.so before main: which schedules the test has, and which is kept. A test with several is run once
 * for each, in a process of its own. HEDDLE_SCHEDULE names the only one to keep; HEDDLE_SCHEDULE_MODE=passive tells
 * what is not kept and holds nobody. HEDDLE_PIN_LIMIT is how many seconds a test with a pinned bug may take.
 * HEDDLE_SCHEDULES names a file of schedules (language/order_file.h); without it, PROGRAM.schedule beside the program
 * is one.
 */
#include "core/formula.h"
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include "enforce/order_watch.h"
#include "enforce/property_keeping.h"
#include "enforce/property_start.h"
#include "language/order_file.h"
#include "language/order_list.h"
#include "language/order_parse.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SCHEDULES_MOST 16
#define PIN_LIMIT 20 /* seconds: a test of a bug is small */
#define SIDE_ENDING ".schedule"
#define EXPORTED __attribute__((visibility("default")))

typedef int main_function(int, char **, char **);
typedef void hook_function(void);

static const struct hd_schedule *known[SCHEDULES_MOST];
static uint32_t known_count;
static main_function *test_main;

/* By every file that includes the header. */
EXPORTED void hd__schedules(const struct hd_schedule *from, const struct hd_schedule *to)
{
  for (; from < to; from++)
    if (!order_list_add(known, &known_count, SCHEDULES_MOST, from)) {
      fprintf(stderr, "heddle: the test names more than %u schedules (HD_SCHEDULE)\n", SCHEDULES_MOST);
      _exit(2);
    }
}

EXPORTED void hd__event(const char *name)
{
  order_arrive(ORDERING_MARK, name);
  property_happens(&(struct property_happening){.source = EVENT_OF_MARK, .mark = name});
}

static enum keeping chosen_mode(void)
{
  const char *mode = getenv("HEDDLE_SCHEDULE_MODE");
  if (!mode || !strcmp(mode, "active"))
    return KEEPING_ACTIVE;
  if (!strcmp(mode, "passive"))
    return KEEPING_PASSIVE;
  fprintf(stderr, "heddle: HEDDLE_SCHEDULE_MODE is active or passive, not %s\n", mode);
  _exit(2);
}

/* Wrong texts are told before anything runs. */
static void read_schedule(const struct hd_schedule *from, struct ordering *out)
{
  struct order_error error;
  if (!order_read((enum order_kind)from->kind, from->text, out, &error)) {
    fprintf(stderr, "heddle: %s:%u: in schedule %s, line %u, column %u: %s\n", from->file, from->line, from->name,
            error.line, error.column, error.text);
    _exit(2);
  }
  if (out->is_formula && !formula_asks_at_events(out)) {
    fprintf(stderr,
            "heddle: %s:%u: formula %s asks who is blocked when no event happens, which only heddle sees; "
            "here `[thread]` stands beside an event, as in `(a && [thread]) -> a`\n",
            from->file, from->line, from->name);
    _exit(2);
  }
  snprintf(out->name, sizeof out->name, "%s", from->name);
}

/* ---- files of schedules ---- */

static char file_text[ORDER_FILE_BYTES + 1];
static struct order_file file;
static struct hd_schedule of_file[ORDERINGS_MOST];

/* Built by heddle cc, a program has the schedules of its files already. */
static bool has_file_already(void)
{
  for (uint32_t i = 0; i < known_count; i++) {
    const size_t length = strlen(known[i]->file), ending = strlen(SIDE_ENDING);
    if (length > ending && !strcmp(known[i]->file + length - ending, SIDE_ENDING))
      return true;
  }
  return false;
}

/* False: there is none. */
static bool read_text(const char *path, bool must_be_there)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t bytes = 0;
  ssize_t n = fd < 0 ? -1 : 1;
  while (n > 0 && bytes < ORDER_FILE_BYTES && (n = REAL(read)(fd, file_text + bytes, ORDER_FILE_BYTES - bytes)) > 0)
    bytes += (size_t)n;
  if (fd >= 0)
    close(fd);
  else if (!must_be_there)
    return false;
  if (n != 0) {
    fprintf(stderr, "heddle: %s cannot be read, or is too long\n", path);
    _exit(2);
  }
  return true;
}

static void add_schedules_of(const char *path)
{
  struct order_error error;
  if (!order_file_read(file_text, &file, &error)) {
    fprintf(stderr, "heddle: %s:%u:%u: %s\n", path, error.line, error.column, error.text);
    _exit(2);
  }
  for (unsigned i = 0; i < file.schedules; i++) {
    const struct order_entry *entry = &file.schedule[i];
    of_file[i] = (struct hd_schedule){entry->name, entry->text, path, entry->line, (unsigned)entry->kind};
  }
  hd__schedules(of_file, of_file + file.schedules);
  for (unsigned i = 0; i < file.places; i++)
    fprintf(stderr,
            "heddle: %s:%u: %s cannot be placed at %s:%u while the test runs: heddle cc does that, or HD_EVENT(%s) in "
            "the source\n",
            path, file.place[i].from, file.place[i].event, file.place[i].file, file.place[i].line, file.place[i].event);
}

static void read_side_file(void)
{
  static char beside[PATH_MAX + sizeof SIDE_ENDING];
  const char *named = getenv("HEDDLE_SCHEDULES");
  const ssize_t length = readlink("/proc/self/exe", beside, PATH_MAX);
  if (length > 0)
    memcpy(beside + length, SIDE_ENDING, sizeof SIDE_ENDING);
  if (has_file_already() || (!named && length <= 0))
    return;
  if (read_text(named ? named : beside, named != NULL))
    add_schedules_of(named ? named : beside);
}

static unsigned pin_limit(void)
{
  const char *text = getenv("HEDDLE_PIN_LIMIT");
  char *end;
  unsigned long seconds = text ? strtoul(text, &end, 10) : PIN_LIMIT;
  if (!text || (*text && !*end && seconds && seconds < 1000000))
    return (unsigned)seconds;
  fprintf(stderr, "heddle: HEDDLE_PIN_LIMIT is a number of seconds, not %s\n", text);
  _exit(2);
}

static void keep(unsigned number)
{
  static struct ordering ordering;
  read_schedule(known[number], &ordering);
  order_threads_begin();
  order_keep(&ordering, chosen_mode());
  if (ordering.pinned && order_how() == KEEPING_ACTIVE)
    order_watch_pin(pin_limit());
}

/* Each in a child; in the children it returns. */
static void run_each(void)
{
  int worst = 0;
  for (unsigned i = 0; i < known_count; i++) {
    fflush(NULL);
    pid_t child = fork();
    int status = 1 << 8;
    if (child == 0) {
      keep(i);
      return;
    }
    if (child > 0)
      while (waitpid(child, &status, 0) < 0)
        ;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code)
      fprintf(stderr, "heddle: the test fails with schedule %s (status %d)\n", known[i]->name, code);
    worst = worst ? worst : code;
  }
  _exit(worst);
}

static void begin(void)
{
  const char *only = getenv("HEDDLE_SCHEDULE");
  struct ordering ordering;
  unsigned wanted = 0;
  read_side_file();
  for (unsigned i = 0; i < known_count; i++)
    read_schedule(known[i], &ordering);
  while (only && wanted < known_count && strcmp(known[wanted]->name, only) != 0)
    wanted++;
  if (only && known_count && wanted == known_count) {
    fprintf(stderr, "heddle: the test has no schedule %s (HD_SCHEDULE); its first is %s\n", only, known[0]->name);
    _exit(2);
  }
  if (known_count > 1 && !only)
    run_each();
  else if (known_count)
    keep(wanted);
}

static int kept_main(int argc, char **argv, char **envp)
{
  property_start();
  begin();
  order_arrive(ORDERING_START, NULL);
  int status = test_main(argc, argv, envp);
  order_arrive(ORDERING_END, NULL);
  return status;
}

__attribute__((destructor)) static void end(void)
{
  order_end();
  property_stop();
}

/* Not declared by any header. */
int __libc_start_main(main_function *, int, char **, hook_function *, hook_function *, hook_function *, void *);

EXPORTED int __libc_start_main(main_function *main, int argc, char **argv, hook_function *init, hook_function *fini,
                               hook_function *rtld_fini, void *stack_end)
{
  test_main = main;
  void *real = dlsym(RTLD_NEXT, "__libc_start_main");
  return ((__typeof__(&__libc_start_main))real)(kept_main, argc, argv, init, fini, rtld_fini, stack_end);
}
