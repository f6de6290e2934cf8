/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle stress: the program as everybody runs it, many times, with real threads; plain, and with pauses at hooks. It
 * tells how often chance shows the bugs that heddle finds by schedule. Nothing is controlled, replayed or explained
 * here.
 */
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/find/freerun.h"
#include "cli/find/hunt.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "session/console.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define STRESS_RUNS 1000
#define TICK_MS 10   /* how often those that do not end are looked at */
#define PATIENCE 0.3 /* seconds, for runs that go on when the time is up: then they are ended and not counted */

struct stress {
  const struct options *options;
  struct free_program program;
  struct stress_report *report;
  struct free_run *runs; /* one for each job */
  struct pollfd *fds;    /* two for each job: its end, its output */
  size_t jobs;
  uint64_t next[STRESS_MODES]; /* number of the next run */
  uint64_t most;               /* runs a mode; 0: no limit */
  double until;                /* 0: no limit */
  bool failed;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

static void watch_signals(void)
{
  static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
    struct sigaction now, ours = {.sa_handler = interrupt};
    if (sigaction(watched[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaction(watched[i], &ours, NULL);
  }
}

/* ---- the runs ---- */

static bool mode_goes_on(const struct stress *s, enum stress_mode mode)
{
  if (mode == STRESS_YIELDS && !s->report->yields)
    return false;
  if (s->options->until_bug && s->report->in[mode].failed)
    return false;
  return !s->most || s->next[mode] < s->most;
}

/* The modes take turns, so that time is divided between them. STRESS_MODES: there is none to start. */
static enum stress_mode next_mode(const struct stress *s)
{
  if (interrupted || s->failed || (s->until && now_seconds() >= s->until))
    return STRESS_MODES;
  bool plain = mode_goes_on(s, STRESS_PLAIN), yields = mode_goes_on(s, STRESS_YIELDS);
  if (plain && (!yields || s->next[STRESS_PLAIN] <= s->next[STRESS_YIELDS]))
    return STRESS_PLAIN;
  return yields ? STRESS_YIELDS : STRESS_MODES;
}

/* False: nothing runs any more and there is nothing to start. */
static bool fill_jobs(struct stress *s)
{
  bool busy = false;
  for (size_t i = 0; i < s->jobs; i++) {
    struct free_run *run = &s->runs[i];
    enum stress_mode mode;
    if (run->pid <= 0 && (mode = next_mode(s)) != STRESS_MODES && !free_start(run, &s->program, mode, s->next[mode]++))
      s->failed = true;
    s->fds[2 * i] = (struct pollfd){.fd = run->pid > 0 ? run->end_fd : -1, .events = POLLIN};
    s->fds[2 * i + 1] = (struct pollfd){.fd = run->pid > 0 ? run->output_fd : -1, .events = POLLIN};
    busy |= run->pid > 0;
  }
  return busy;
}

static void look_at_jobs(struct stress *s)
{
  const struct options *o = s->options;
  bool any = o->exit_status == EXIT_STATUS_ANY;
  for (size_t i = 0; i < s->jobs; i++) {
    struct free_run *run = &s->runs[i];
    struct stress_outcome outcome;
    if (run->pid > 0 && free_look(run, o->hang, any ? 0 : (unsigned)o->exit_status, any, &outcome))
      stress_count(s->report, run->mode, run->number, &outcome);
  }
}

static void draw(const struct stress *s, double started)
{
  const struct stress_report *r = s->report;
  unsigned modes = r->yields ? STRESS_MODES : 1;
  double now = now_seconds();
  live_draw(&(struct live){.executions = r->in[STRESS_PLAIN].runs + r->in[STRESS_YIELDS].runs,
                           .bugs = r->bug_count,
                           .elapsed = now - started,
                           .left = s->until ? s->until - now : -1,
                           .total = s->most * modes});
}

static void run_all(struct stress *s)
{
  double started = now_seconds();
  s->until = s->options->seconds > 0 ? started + s->options->seconds : 0;
  double over = s->until ? s->until + PATIENCE : INFINITY; /* for those that run when the time is up */
  while (fill_jobs(s) && !interrupted && !s->failed && now_seconds() < over) {
    if (poll(s->fds, 2 * s->jobs, TICK_MS) < 0 && errno != EINTR)
      s->failed = true;
    look_at_jobs(s);
    draw(s, started);
  }
  for (size_t i = 0; i < s->jobs; i++)
    if (s->runs[i].pid > 0)
      free_kill(&s->runs[i]);
  live_erase();
  s->report->interrupted = interrupted;
}

/* ---- the end ---- */

static bool save_json(const struct stress *s)
{
  const char *path = s->options->json;
  if (!path)
    return true;
  char *text = stress_json(s->report);
  bool done = result_file_write("--json", path, FILE_JSON, text, text ? strlen(text) : 0);
  free(text);
  return done;
}

static int finish(const struct stress *s)
{
  const struct stress_report *r = s->report;
  uint64_t runs = r->in[STRESS_PLAIN].runs + r->in[STRESS_YIELDS].runs;
  char count[COUNT_SIZE];
  if (runs && (!console_quiet() || r->bug_count))
    stress_table(console_out(), r);
  if (r->interrupted)
    console_error("interrupted after %s run%s%s", format_count(runs, count), runs == 1 ? "" : "s",
                  r->bug_count ? "" : "; no bug was seen so far");
  bool saved = save_json(s);
  if (r->bug_count)
    return STATUS_BUG;
  return r->interrupted || s->failed || !saved ? STATUS_FAILED : STATUS_OK;
}

static int stress_program(const struct options *options, const struct target *target)
{
  struct stress s = {.options = options, .jobs = options->jobs ? options->jobs : 1};
  int status = STATUS_FAILED;
  s.most = options->runs ? options->runs : options->seconds > 0 ? 0 : STRESS_RUNS;
  s.report = calloc(1, sizeof *s.report);
  s.runs = calloc(s.jobs, sizeof *s.runs);
  s.fds = calloc(2 * s.jobs, sizeof *s.fds);
  if (!s.report || !s.runs || !s.fds)
    console_error("no memory left");
  else if (free_open(&s.program, target, (unsigned)options->yields)) {
    s.report->program = target->label;
    s.report->args = (const char *const *)target->args;
    s.report->arg_count = target->arg_count;
    s.report->yields = (unsigned)options->yields;
    watch_signals();
    run_all(&s);
    status = finish(&s);
    free_close(&s.program);
  }
  free(s.report);
  free(s.runs);
  free(s.fds);
  return status;
}

int cmd_stress(int argc, char **argv)
{
  struct options options;
  struct target target;
  if (!options_parse(&options, FOR_STRESS, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("stress", options.all_options);
  if (options.operand_count != 1) {
    console_error("stress needs one program: heddle stress PROGRAM [-- ARGUMENTS]");
    return STATUS_USAGE;
  }
  if (is_source_file(options.operands[0])) {
    console_error("stress takes a program, not source files; build it with heddle cc");
    return STATUS_USAGE;
  }
  if (!result_files_check(&options) || !target_open(&target, options.operands[0], options.args, options.arg_count))
    return STATUS_USAGE;
  int status = target_read_stdin(&target) ? stress_program(&options, &target) : STATUS_USAGE;
  target_close(&target);
  return status;
}
