/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle enforce: the program runs as it is, with real threads, and those that would leave a property are held back by
 * libheddle-enforce.so, which is given the compiled properties. With --explore, runs that end in an enforced deadlock
 * are run again with another choice (enforce/property_choices.h), until one ends otherwise.
 */
#include "cli/command/commands.h"
#include "cli/find/property_notes.h"
#include "cli/find/specifications.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "core/property_program.h"
#include "debuginfo/watch_list.h"
#include "session/console.h"
#include "session/installed.h"
#include "session/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_RUNS 1000
#define EVENTS_TOLD 40
#define LIBRARY "libheddle-enforce.so"

struct enforcement {
  const struct options *options;
  struct target target;
  struct control_config config;
  struct property_program *program; /* shared with it */
  int program_fd;
  char library[PATH_MAX + sizeof LIBRARY + 4];
};

/* ---- before it runs ---- */

static bool find_library(struct enforcement *e)
{
  struct heddle_paths paths;
  static const char *const places[] = {"", "/.."};
  for (size_t i = 0; heddle_paths(&paths) == 0 && i < sizeof places / sizeof *places; i++) {
    snprintf(e->library, sizeof e->library, "%s%s/" LIBRARY, paths.lib_dir, places[i]);
    if (access(e->library, R_OK) == 0)
      return true;
  }
  console_error(LIBRARY " is not where heddle is installed");
  return false;
}

/* The program's own functions that handlers name. */
static bool find_handlers(struct enforcement *e)
{
  struct property_set *set = &e->program->set;
  char error[256];
  for (uint32_t p = 0; p < set->properties; p++)
    for (unsigned what = 0; what < HANDLED; what++) {
      uint32_t name = set->property[p].calls[what];
      if (name &&
          !watch_address(e->target.path, &set->name[name], &e->program->handler[p][what], error, sizeof error)) {
        console_error("%s: %s", e->options->spec, error);
        return false;
      }
    }
  return true;
}

/* Free runs have no hooks for memory. */
static bool can_be_seen(const struct property_set *set)
{
  for (uint32_t r = 0; r < set->rules; r++)
    if (set->rule[r].source >= EVENT_OF_ACCESS) {
      const struct property *p = &set->property[set->rule[r].property];
      console_error("event \"%s\" of %s cannot be seen in a free run: it is no call (for mutexes: "
                    "call(pthread_mutex_lock(..)) && target(m))",
                    p->event[set->rule[r].event].name, p->name);
      return false;
    }
  return true;
}

static bool share_program(struct enforcement *e)
{
  e->program_fd = memory_file("heddle-properties", sizeof *e->program);
  void *memory = e->program_fd < 0
                     ? MAP_FAILED
                     : mmap(NULL, sizeof *e->program, PROT_READ | PROT_WRITE, MAP_SHARED, e->program_fd, 0);
  if (memory == MAP_FAILED) {
    console_error("the properties cannot be given to the program: %s", strerror(errno));
    return false;
  }
  e->program = memory;
  return true;
}

static bool prepare(struct enforcement *e)
{
  const struct options *o = e->options;
  control_config_init(&e->config);
  if (!properties_open(&e->config, &e->target, o->spec, o->specs) || !can_be_seen(e->target.properties) ||
      !find_library(e) || !share_program(e))
    return false;
  print_property_notes(&e->config, &e->target, o->spec, NULL);
  struct property_program *p = e->program;
  p->size = sizeof *p;
  p->passive = o->passive;
  p->verbose = o->verbose;
  p->explores = o->explore;
  p->without_sleeps = o->without_sleeps;
  p->functions = e->config.calls;
  memcpy(p->function, e->config.call, sizeof p->function);
  p->set = *e->target.properties;
  if (e->config.unseen_events)
    console_error("calls of some functions are not seen, since the compiler put them where they are called");
  return find_handlers(e);
}

/* ---- running ---- */

/* AddressSanitizer wants to be the first library, and works as the second. */
static bool allow_sanitizer(const struct target *target)
{
  const char *before = getenv("ASAN_OPTIONS");
  char *options = NULL;
  if (!target->sanitizer || !strstr(target->sanitizer, "asan"))
    return true;
  bool set = asprintf(&options, "%s%sverify_asan_link_order=0", before ? before : "", before ? ":" : "") >= 0 &&
             setenv("ASAN_OPTIONS", options, 1) == 0;
  free(options);
  return set;
}

/* In place of this process. Returns when it cannot be done. */
static void become_program(struct enforcement *e)
{
  const char *before = getenv("LD_PRELOAD");
  char *preload = NULL, *given = NULL;
  char **argv = calloc(e->target.arg_count + 2, sizeof *argv);
  bool ready = argv && asprintf(&preload, "%s%s%s", e->library, before ? ":" : "", before ? before : "") >= 0 &&
               asprintf(&given, "%d %s", e->program_fd, before ? before : "") >= 0 &&
               setenv("LD_PRELOAD", preload, 1) == 0 && setenv(PROPERTY_PROGRAM_VARIABLE, given, 1) == 0 &&
               fcntl(e->program_fd, F_SETFD, 0) == 0 && allow_sanitizer(&e->target) &&
               (!e->target.folder || chdir(e->target.folder) == 0);
  if (ready) {
    argv[0] = (char *)e->target.name;
    memcpy(argv + 1, e->target.args, e->target.arg_count * sizeof *argv);
    execv(e->target.path, argv);
  }
  console_error("%s cannot be run: %s", e->target.label, strerror(errno));
  free(argv);
  free(preload);
  free(given);
}

/* ---- exploring ---- */

static void copy_output(int from, int to)
{
  char buffer[65536];
  ssize_t n;
  lseek(from, 0, SEEK_SET);
  while ((n = read(from, buffer, sizeof buffer)) > 0)
    for (ssize_t at = 0, written; at < n; at += written)
      if ((written = write(to, buffer + at, (size_t)(n - at))) <= 0)
        return;
}

/* What it printed goes to the descriptors. False: an error was printed. */
static bool run_once(struct enforcement *e, const int output[2], int *status)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(output[0], STDOUT_FILENO);
    dup2(output[1], STDERR_FILENO);
    become_program(e);
    _exit(STATUS_FAILED);
  }
  if (child < 0) {
    console_error("the program cannot be started: %s", strerror(errno));
    return false;
  }
  while (waitpid(child, status, 0) < 0 && errno == EINTR)
    ;
  return true;
}

/* The last event that was let through is held back next time. False: all choices were made. */
static bool choose_next(struct property_choices *c)
{
  while (c->count && c->list[c->count - 1].held)
    c->count--;
  if (!c->count)
    return false;
  c->list[c->count - 1].held = true;
  c->told = c->count;
  return true;
}

static void tell_order(const struct enforcement *e, uint64_t runs)
{
  const struct property_choices *c = &e->program->choices;
  const struct property_set *set = &e->program->set;
  char text[4096];
  size_t n = 0;
  for (uint32_t i = 0; i < c->read && i < EVENTS_TOLD && n < sizeof text - 200; i++) {
    const struct property_rule *rule = &set->rule[c->event[i].rule];
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (thread %u)", i ? ", " : "",
                          set->property[rule->property].event[rule->event].name, c->event[i].thread);
  }
  fprintf(stderr, "heddle: run %llu keeps the property: %s%s\n", (unsigned long long)runs, c->read ? text : "no events",
          c->read > EVENTS_TOLD ? ", …" : "");
}

static int status_of(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int explore(struct enforcement *e)
{
  struct property_choices *c = &e->program->choices;
  uint64_t most = e->options->runs ? e->options->runs : USUAL_RUNS;
  int status = 0;
  for (uint64_t run = 1; run <= most; run++) {
    const int output[2] = {memory_file("output", 0), memory_file("errors", 0)};
    if (output[0] < 0 || output[1] < 0 || !run_once(e, output, &status))
      return STATUS_FAILED;
    bool deadlock = c->end == CHOICES_ENFORCED_DEADLOCK;
    bool over = !deadlock || !choose_next(c) || run == most;
    if (over) {
      copy_output(output[0], STDOUT_FILENO);
      copy_output(output[1], STDERR_FILENO);
    }
    close(output[0]);
    close(output[1]);
    if (!over)
      continue;
    if (!deadlock)
      tell_order(e, run);
    else
      console_error("%llu run%s found no order of events that keeps the property", (unsigned long long)run,
                    run == 1 ? "" : "s");
    return status_of(status);
  }
  return STATUS_FAILED;
}

static int enforce(const struct options *options)
{
  struct enforcement *e = calloc(1, sizeof *e);
  int status = STATUS_USAGE;
  if (!e) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  e->options = options;
  if (target_find(&e->target, options->operands[0], options->args, options->arg_count)) {
    if (prepare(e)) {
      status = STATUS_FAILED;
      if (options->explore)
        status = explore(e);
      else
        become_program(e);
    }
    target_close(&e->target);
  }
  free(e);
  return status;
}

int cmd_enforce(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_ENFORCE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("enforce", options.all_options);
  if (options.operand_count != 1) {
    console_error("enforce needs one program: heddle enforce --spec FILE PROGRAM [-- ARGUMENTS]");
    return STATUS_USAGE;
  }
  if (!options.spec && !options.specs) {
    console_error("enforce needs properties: --spec FILE");
    return STATUS_USAGE;
  }
  if (options.passive && options.explore) {
    console_error("--explore is for threads that are held back, and --passive holds none");
    return STATUS_USAGE;
  }
  return enforce(&options);
}
