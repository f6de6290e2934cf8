/* SPDX-License-Identifier: Apache-2.0
 *
 * Becoming gdb, and in its child the program; see the header. Both sides meet in descriptors that gdb passes on: the
 * control and the shadow mapping, and a plan of the start (program, arguments, environment).
 */
#include "cli/find/gdb_replay.h"
#include "cli/command/doctor.h"
#include "cli/compile/cc.h"
#include "cli/find/session_report.h"
#include "session/child.h"
#include "session/executor.h"
#include "session/installed.h"
#include "session/launch.h"
#include "session/limits.h"
#include "session/memory_file.h"
#include "session/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STARTS_MOST 8 /* until it is known which memory is shared */

/* ---- the plan: two counts, then path, folder, arguments and environment, each with its NUL ---- */

struct plan_head {
  uint32_t arguments, variables;
};

static uint32_t count_words(char *const *words)
{
  uint32_t n = 0;
  while (words[n])
    n++;
  return n;
}

static bool write_plan(const struct launch *launch)
{
  int fd = memory_file("heddle plan", 0);
  FILE *out = fd < 0 || dup2(fd, PLAN_FD) < 0 ? NULL : fdopen(fd, "w");
  if (!out)
    return false;
  struct plan_head head = {count_words(launch->argv), count_words(launch->envp)};
  fwrite(&head, sizeof head, 1, out);
  fwrite(launch->path, strlen(launch->path) + 1, 1, out);
  fprintf(out, "%s%c", launch->folder ? launch->folder : "", 0);
  for (uint32_t i = 0; i < head.arguments; i++)
    fwrite(launch->argv[i], strlen(launch->argv[i]) + 1, 1, out);
  for (uint32_t i = 0; i < head.variables; i++)
    fwrite(launch->envp[i], strlen(launch->envp[i]) + 1, 1, out);
  return fclose(out) == 0;
}

static char **take_words(char **text, uint32_t count)
{
  char **words = calloc((size_t)count + 1, sizeof *words);
  for (uint32_t i = 0; words && i < count; i++) {
    words[i] = *text;
    *text += strlen(*text) + 1;
  }
  return words;
}

/* The mapping stays: the launch points into it. */
static bool read_plan(struct launch *launch)
{
  struct stat st;
  if (fstat(PLAN_FD, &st) != 0 || st.st_size < (off_t)sizeof(struct plan_head))
    return false;
  char *plan = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, PLAN_FD, 0);
  if (plan == MAP_FAILED)
    return false;
  const struct plan_head *head = (struct plan_head *)plan;
  char *text = plan + sizeof *head;
  launch->path = text;
  text += strlen(text) + 1;
  launch->folder = *text ? text : NULL;
  text += strlen(text) + 1;
  launch->argv = take_words(&text, head->arguments);
  launch->envp = take_words(&text, head->variables);
  return launch->argv && launch->envp;
}

/* ---- in the child of gdb ---- */

/* Every run of the program in gdb is the first one of its session. */
static bool renew_control(void)
{
  struct control *control =
      mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, CONTROL_FD, 0);
  if (control == MAP_FAILED || control->magic != CONTROL_MAGIC)
    return false;
  control->state = WORKER_STARTING;
  control->in_execution = control->stop = 0;
  control->executions = control->cut = 0;
  control->bugs = 0;
  control->pool_used = 0;
  control->debugger.attached = 1;
  return munmap(control, sizeof *control) == 0;
}

int debugger_start(void)
{
  struct launch launch = {.library_fd = -1};
  child_note_inherited();
  launch.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (launch.null_fd < 0 || !read_plan(&launch) || !renew_control()) {
    console_error("%s is for the gdb that heddle replay --gdb starts", DEBUGGER_START);
    return STATUS_USAGE;
  }
  fcntl(PLAN_FD, F_SETFD, FD_CLOEXEC);
  fcntl(OUTPUT_FD, F_SETFD, FD_CLOEXEC);
  if (fcntl(LIBRARY_FD, F_GETFD) >= 0)
    launch.library_fd = LIBRARY_FD;
  const struct child child = launch_child(&launch, CONTROL_FD, SHADOW_FD, OUTPUT_FD);
  child_become(&child, getppid());
  console_error("%s cannot be started: %s", launch.path, strerror(errno));
  return STATUS_FAILED;
}

/* ---- before gdb ---- */

/* What must be known before a run that is looked at: that the schedule can be followed, and how the program is to be
 * started. Its errors are those of any replay. */
static bool rehearse(const struct saved_schedule *s, const struct options *o, struct session_result *result)
{
  saved_schedule_run(s, o, true, result);
  if (result->end == SESSION_DONE)
    return true;
  if (result->end == SESSION_INTERRUPTED)
    console_error("interrupted");
  else
    print_session_error(result, s->symbols);
  return false;
}

/* Which memory is shared is learnt by running, and kept in the worker's memory: gdb's runs need not be run again. */
static bool learn(struct worker *worker, const struct launch *launch, double patience)
{
  for (int n = 0; n < STARTS_MOST; n++) {
    int error = worker_start(worker, launch);
    if (error) {
      console_error("%s cannot be started: %s", launch->path, strerror(error));
      return false;
    }
    struct pollfd end = {.fd = worker->pidfd, .events = POLLIN};
    double until = now_seconds() + patience;
    while (!worker_has_ended(worker) && now_seconds() < until)
      poll(&end, 1, worker->told ? (int)(patience * 1000) : 2);
    if (!worker_has_ended(worker))
      worker_kill(worker);
    worker_reap(worker);
    if (worker->control->state == WORKER_DONE)
      return true;
    if (worker->control->state != WORKER_AGAIN)
      break;
  }
  console_error("the program does not do the same at every start, or takes much longer; gdb cannot follow the "
                "schedule");
  return false;
}

static struct control_config config_for_gdb(const struct saved_schedule *s)
{
  struct control_config config = s->config;
  config.strategy = STRATEGY_replay;
  config.reset = RESET_EXEC;
  config.executions = config.stride = 1;
  config.trace = 1;
  return config;
}

/* What heddle-gdb.py is told. */
static bool set_variables(const struct saved_schedule *s, const struct options *o, const struct session_result *result)
{
  char step[32], self[PATH_MAX];
  if (!heddle_executable(self))
    return false;
  char message[512] = "";
  const struct bug *bug = saved_schedule_bug(s, result);
  if (bug) {
    struct story story = story_from_session(result, bug, s->symbols);
    bug_message(&story, message, sizeof message);
  }
  snprintf(step, sizeof step, "%llu", (unsigned long long)o->step);
  return setenv("HEDDLE_GDB_SELF", self, 1) == 0 && setenv("HEDDLE_GDB_STEP", step, 1) == 0 &&
         setenv("HEDDLE_GDB_BUG", message, 1) == 0 && setenv("SHELL", "/bin/sh", 1) == 0;
}

static int become_gdb(const struct saved_schedule *s)
{
  struct heddle_paths paths;
  char script[PATH_MAX + 32];
  if (heddle_paths(&paths) != 0 ||
      snprintf(script, sizeof script, "%s/heddle-gdb.py", paths.lib_dir) >= (int)sizeof script ||
      access(script, R_OK) != 0) {
    console_error("heddle-gdb.py is not beside libheddle.so; build or install heddle again");
    return STATUS_FAILED;
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  limits_restore();
  child_keep_own();
  execlp("gdb", "gdb", "-q", "-x", script, s->target.path, (char *)NULL);
  console_error("gdb cannot be started: %s", strerror(errno));
  return STATUS_FAILED;
}

static int run_in_gdb(const struct saved_schedule *s, const struct options *o, const struct session_result *result)
{
  char error[256];
  struct launch launch;
  struct worker worker;
  struct control_config config = config_for_gdb(s);
  if (!doctor_can_trace())
    return STATUS_FAILED;
  if (!launch_open(&launch, &s->target))
    return STATUS_FAILED;
  if (!worker_open(&worker, &executor_memory, &config, s->target.input, s->target.input_bytes, error, sizeof error)) {
    console_error("%s", error);
    launch_close(&launch);
    return STATUS_FAILED;
  }
  int status = STATUS_FAILED;
  const struct bug *bug = saved_schedule_bug(s, result);
  worker_give(&worker, JOB_SCHEDULE, s->file.record, s->file.record->bytes);
  worker.control->wish = result->control->wish;
  worker.control->wish.reset = RESET_EXEC;
  worker.control->debugger.bug_key = bug ? bug->key : 0;
  if (learn(&worker, &launch, o->grace + 4 * result->seconds)) {
    if (launch_share(&launch, worker.control_fd, worker.shadow_fd, worker.output_fd) && write_plan(&launch) &&
        set_variables(s, o, result))
      status = become_gdb(s);
    else
      console_error("gdb cannot be prepared: %s", strerror(errno));
  }
  worker_close(&worker);
  launch_close(&launch);
  return status;
}

/* Asked first: a replay that was made for nothing is a nuisance. */
static bool gdb_is_there(void)
{
  const char *path = getenv("PATH");
  char file[PATH_MAX];
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    size_t length = strcspn(at, ":");
    snprintf(file, sizeof file, "%.*s/gdb", (int)length, length ? at : ".");
    if (access(file, X_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  console_error("gdb is not installed; on Debian: apt install gdb");
  return false;
}

int debugger_run(const struct saved_schedule *saved, const struct options *options)
{
  if (!gdb_is_there())
    return STATUS_FAILED;
  struct session_result result;
  int status = STATUS_FAILED;
  if (rehearse(saved, options, &result))
    status = run_in_gdb(saved, options, &result);
  session_free(&result);
  return status;
}
