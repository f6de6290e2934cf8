/* SPDX-License-Identifier: Apache-2.0
 *
 * One worker's memory and process, see the header. Prints nothing and decides nothing.
 */
#include "session/worker.h"
#include "core/invariant.h"
#include "core/monitor_trace.h"
#include "schedule/schedule_file.h"
#include "session/memory_file.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool map_control(struct worker *worker)
{
  void *at = mmap(NULL, CONTROL_SEEN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, worker->control_fd, 0);
  if (at == MAP_FAILED)
    return false;
  worker->control = at;
  return true;
}

const char *start_problem(int error)
{
  if (error == EMFILE || error == EBADF) /* a number beyond those that may be open */
    return "too few open files are allowed (ulimit -n); with -j 1 it needs fewer";
  if (error == ENOMEM)
    return "too little address space is allowed";
  if (error == EFBIG)
    return "the size of files is limited (ulimit -f)";
  return strerror(error);
}

static void fill_in(struct worker *worker)
{
  struct control *control = worker->control;
  control->magic = CONTROL_MAGIC;
  control->version = sizeof *control;
  memcpy(&control->config, &worker->config, sizeof control->config);
  control->seal_before_bugs = control->seal_before_threads = control->seal_after_threads = CONTROL_SEAL;
  control->best_schedule = UINT64_MAX;
  control->stuck_syscall = -1;
}

/* The same for all workers of the command, however often their processes begin anew. */
static int64_t command_began(void)
{
  static int64_t began;
  struct timespec now;
  if (!began && clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) /* the clock that files are dated by */
    began = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  return began;
}

bool worker_open(struct worker *worker, const struct executor *executor, const struct control_config *config,
                 const void *input, size_t input_bytes, char *error, size_t error_size)
{
  *worker = (struct worker){.executor = executor, .pidfd = -1, .wire = {.fd = -1}};
  worker->control_fd = launch_high_fd(memory_file("heddle control", CONTROL_MAPPING_SIZE));
  worker->shadow_fd = worker->control_fd < 0 ? -1 : launch_high_fd(memory_file("heddle shadow", SHADOW_FILE_SIZE));
  worker->output_fd = worker->shadow_fd < 0 ? -1 : launch_high_fd(memory_file("heddle output", 0));
  if (worker->output_fd < 0 || !map_control(worker)) {
    snprintf(error, error_size, "no shared memory for a worker: %s", start_problem(errno));
    worker_close(worker);
    return false;
  }
  worker->config = *config;
  worker->config.began = command_began();
  fill_in(worker);
  worker_give(worker, JOB_INPUT, input, input_bytes);
  return true;
}

static void close_files(struct worker *worker)
{
  int *const fds[] = {&worker->control_fd, &worker->shadow_fd, &worker->output_fd};
  for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
    if (*fds[i] >= 0)
      close(*fds[i]);
    *fds[i] = -1;
  }
}

void worker_close(struct worker *worker)
{
  if (worker->pidfd >= 0) {
    worker_kill(worker);
    worker_reap(worker);
  }
  if (worker->control)
    munmap(worker->control, CONTROL_SEEN_SIZE);
  worker->control = NULL;
  wire_close(&worker->wire);
  free(worker->error_output);
  worker->error_output = NULL;
  close_files(worker);
}

bool worker_renew(struct worker *worker, const void *input, size_t input_bytes, char *error, size_t error_size)
{
  struct worker fresh;
  close_files(worker); /* their numbers are free, should they be few */
  if (!worker_open(&fresh, worker->executor, &worker->config, input, input_bytes, error, error_size))
    return false;
  fresh.control->wish = worker->control->wish;
  fresh.control->work.shared = 1;
  fresh.started = worker->started;
  fresh.progress = worker->progress;
  fresh.deaths = worker->deaths;
  worker_close(worker);
  *worker = fresh;
  return true;
}

bool worker_part(struct worker *worker, struct worker *part, const void *input, size_t input_bytes, char *error,
                 size_t error_size)
{
  struct worker fresh;
  if (!worker_open(&fresh, worker->executor, &worker->config, input, input_bytes, error, error_size))
    return false;
  *part = (struct worker){.executor = worker->executor,
                          .control = worker->control,
                          .config = worker->config,
                          .control_fd = worker->control_fd,
                          .shadow_fd = worker->shadow_fd,
                          .output_fd = worker->output_fd,
                          .pidfd = -1,
                          .started = true,
                          .finished = true,
                          .wire = {.fd = -1}};
  close_files(part);
  fresh.control->wish = part->control->wish;
  fresh.control->work = part->control->work;
  fresh.control->stop = part->control->stop;
  fresh.control->state = part->control->state;
  worker->control = fresh.control;
  worker->control_fd = fresh.control_fd;
  worker->shadow_fd = fresh.shadow_fd;
  worker->output_fd = fresh.output_fd;
  return true;
}

static const struct area {
  uint64_t offset, most;
} job_area[] = {
#define X(id, most) [JOB_##id] = {JOB_##id##_OFFSET, most},
    HD_JOB_PARTS(X)
#undef X
};

static const struct area answer_area[] = {
#define X(id, most) [ANSWER_##id] = {ANSWER_##id##_OFFSET, most},
    HD_ANSWER_PARTS(X)
#undef X
};

void worker_give(struct worker *worker, enum job_part part, const void *bytes, size_t size)
{
  invariant(size <= job_area[part].most, "a part of a job is larger than such a part can be");
  if (size)
    memcpy(CONTROL_AT(worker->control, job_area[part].offset), bytes, size);
  worker->control->job_bytes[part] = size;
}

const void *worker_answer(const struct control *control, enum answer_part part, uint64_t *bytes)
{
  uint64_t size = control->answer_bytes[part], most = answer_area[part].most;
  *bytes = size < most ? size : most;
  return size ? CONTROL_AT(control, answer_area[part].offset) : NULL;
}

bool worker_has_answered(const struct worker *worker)
{
  return worker->busy && (worker->control->state == WORKER_HANDED || worker->control->state == WORKER_DONE);
}

void worker_read_answer(const struct worker *worker, struct answer *answer)
{
  const struct control *c = worker->control;
  *answer = (struct answer){.executions = c->executions,
                            .blocked = c->blocked,
                            .cut = c->cut,
                            .steps = c->steps,
                            .seconds = (double)c->work.worked * 1e-9,
                            .losses = c->incomplete | c->losses,
                            .bounded = c->bounded,
                            .learnt = c->work.learnt,
                            .found = c->bugs > 0,
                            .block = c};
  if (!c->config.instrumented && c->max_threads_seen > 1)
    answer->losses |= LOST_UNSEEN;
  for (unsigned i = 0; i < ANSWER_PART_COUNT; i++)
    answer->part[i] = worker_answer(c, i, &answer->bytes[i]);
}

void worker_drop_answer(struct worker *worker, enum answer_part part)
{
  uint64_t bytes;
  const void *at = worker_answer(worker->control, part, &bytes);
  uintptr_t from = ((uintptr_t)at + 4095) & ~(uintptr_t)4095, to = ((uintptr_t)at + bytes) & ~(uintptr_t)4095;
  worker->control->answer_bytes[part] = 0;
  if (from < to)
    madvise((void *)from, to - from, MADV_REMOVE);
}

void worker_starts(struct worker *worker)
{
  worker->control->state = WORKER_STARTING;
  worker->control->in_execution = 0;
  worker->control->work.listener = getpid();
  worker->killed = false;
  worker->still = 0;
  worker->asked = 0;
}

bool worker_watch(struct worker *worker, pid_t pid)
{
  worker->pid = pid;
  worker->pidfd = pidfd_open(pid, 0);
  worker->told = worker->pidfd >= 0;
  if (!worker->told && (errno == EPERM || errno == ENOSYS)) /* then we look ourselves: an event that never comes */
    worker->pidfd = eventfd(0, EFD_CLOEXEC);
  if (worker->pidfd >= 0)
    return true;
  int error = errno;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  errno = error;
  return false;
}

int worker_start(struct worker *worker, const struct launch *launch)
{
  struct stat st;
  if (fstat(worker->output_fd, &st) == 0 && st.st_size > 0) { /* of the process before */
    if (ftruncate(worker->output_fd, 0) == 0)
      lseek(worker->output_fd, 0, SEEK_SET);
  }
  worker_starts(worker);
  worker->control->work.scattered = launch->scattered;
  const struct child child = launch_child(launch, worker->control_fd, worker->shadow_fd, worker->output_fd);
  pid_t pid = child_spawn(&child);
  return pid < 0 || !worker_watch(worker, pid) ? errno : 0;
}

bool worker_has_ended(const struct worker *worker)
{
  siginfo_t info = {0};
  return worker->pidfd >= 0 && waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

void worker_kill(struct worker *worker)
{
  if (worker->pidfd < 0)
    return;
  worker->killed = true;
  kill(-worker->pid, SIGKILL); /* its whole session; and the process itself in case it has not got one yet */
  kill(worker->pid, SIGKILL);
}

int worker_reap(struct worker *worker)
{
  int status = 0;
  kill(-worker->pid, SIGKILL); /* what it started must not outlive it; its number is ours until we wait */
  while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
    ;
  close(worker->pidfd);
  worker->pidfd = -1;
  return status;
}

char *worker_output(const struct worker *worker, size_t *bytes)
{
  enum { MOST = 16384 };
  struct stat st;
  *bytes = 0;
  if (fstat(worker->output_fd, &st) != 0 || st.st_size <= 0)
    return NULL;
  char *text = malloc(MOST);
  ssize_t n = text ? pread(worker->output_fd, text, MOST, 0) : -1;
  if (n <= 0) {
    free(text);
    return NULL;
  }
  *bytes = (size_t)n;
  return text;
}

struct schedule_record *worker_schedule(const struct worker *worker, uint64_t offset)
{
  struct control *control = worker->control;
  uint64_t used = control->pool_used < CONTROL_SIZE_OF(POOL) ? control->pool_used : CONTROL_SIZE_OF(POOL);
  if (used < sizeof(struct schedule_record) || offset > used - sizeof(struct schedule_record) || offset % 8)
    return NULL;
  const struct schedule_record *found = CONTROL_AT(control, CONTROL_POOL_OFFSET + offset);
  struct schedule_record *copy = schedule_record_new(found->threads, found->segments, found->choices);
  if (copy && copy->bytes > used - offset) {
    free(copy);
    return NULL;
  }
  if (copy) { /* the engine may have padded the record: its own size says nothing more */
    copy->hash = found->hash;
    copy->strategy = found->strategy < STRATEGY_COUNT ? found->strategy : STRATEGY_random;
    copy->execution = found->execution;
    copy->punctual = found->punctual == 1;
    memcpy(copy + 1, found + 1, copy->bytes - sizeof *copy);
  }
  return copy;
}

/* The runtime adds to the configuration what it finds in the program; all else is ours alone. */
static bool config_is_same(const struct worker *worker)
{
  struct control_config now;
  memcpy(&now, &worker->control->config, sizeof now);
  now.instrumented = worker->config.instrumented;
  bool calls = now.calls <= WATCHED_CALLS;
  now.calls = worker->config.calls;
  memcpy(now.call, worker->config.call, sizeof now.call);
  return calls && !memcmp(&now, &worker->config, sizeof now);
}

bool worker_is_intact(const struct worker *worker)
{
  const struct control *c = worker->control;
  return c->magic == CONTROL_MAGIC && c->version == sizeof *c && c->seal_before_bugs == CONTROL_SEAL &&
         c->seal_before_threads == CONTROL_SEAL && c->seal_after_threads == CONTROL_SEAL && c->state <= WORKER_HANDED &&
         c->bugs <= CONTROL_BUGS && c->hotspots <= CONTROL_HOTSPOTS && c->threads <= MAX_THREADS &&
         c->trace_left <= MAX_THREADS && c->wish.reset < RESET_COUNT && c->wish.pool_threads <= 4 * MAX_THREADS &&
         config_is_same(worker);
}

void worker_wipe(struct worker *worker)
{
  memset(worker->control, 0, sizeof *worker->control);
  fill_in(worker);
  worker->control->state = WORKER_FAILED;
}

static void tidy_event(struct trace_event *e)
{
  if (e->op >= OP_COUNT)
    e->op = OP_NONE;
  if (e->depth > BUG_STACK)
    e->depth = BUG_STACK;
  e->text[sizeof e->text - 1] = 0;
}

static void tidy_monitors(struct monitor_trace *t)
{
  t->monitors = t->monitors < TRACED_MONITORS ? t->monitors : TRACED_MONITORS;
  t->readings = t->readings < TRACED_READINGS ? t->readings : TRACED_READINGS;
  for (uint32_t i = 0; i < t->monitors; i++) {
    struct traced_monitor *m = &t->monitor[i];
    m->property[sizeof m->property - 1] = 0;
    m->values = m->values < PROPERTY_PARAMETERS ? m->values : PROPERTY_PARAMETERS;
    for (uint32_t k = 0; k < m->values; k++)
      m->value[k].name[sizeof m->value[k].name - 1] = 0;
  }
  for (uint32_t i = 0; i < t->readings; i++) {
    struct traced_reading *r = &t->reading[i];
    r->event[sizeof r->event - 1] = r->state[sizeof r->state - 1] = 0;
    if (r->monitor >= t->monitors)
      t->readings = i;
  }
}

void worker_tidy(struct worker *worker)
{
  struct control *c = worker->control;
  c->opaque[sizeof c->opaque - 1] = 0;
  c->wish.reason[sizeof c->wish.reason - 1] = 0;
  c->error[sizeof c->error - 1] = 0;
  if (c->stuck.depth > BUG_STACK)
    c->stuck.depth = BUG_STACK;
  for (uint32_t i = 0; i < c->threads; i++)
    c->thread[i].name[sizeof c->thread[i].name - 1] = 0;
  for (uint32_t i = 0; i < c->hotspots; i++) {
    struct hotspot *h = &c->hotspot[i];
    h->name[sizeof h->name - 1] = h->where[sizeof h->where - 1] = 0;
    if (h->expectation >= EXPECTATION_COUNT)
      h->expectation = EXPECT_ALWAYS;
  }
  uint64_t events = c->trace_events < CONTROL_TRACE_MAX ? c->trace_events : CONTROL_TRACE_MAX;
  struct trace_event *event = CONTROL_AT(c, CONTROL_TRACE_OFFSET);
  for (uint64_t i = 0; c->config.trace && i < events + c->trace_left; i++)
    tidy_event(&event[i]);
  if (c->config.trace && c->answer_bytes[ANSWER_MONITORS] == sizeof(struct monitor_trace))
    tidy_monitors(CONTROL_AT(c, ANSWER_MONITORS_OFFSET));
}

uint32_t worker_bug_count(const struct worker *worker)
{
  uint32_t n = __atomic_load_n(&worker->control->bugs, __ATOMIC_ACQUIRE);
  return n < CONTROL_BUGS ? n : CONTROL_BUGS;
}

void worker_bug(const struct worker *worker, uint32_t n, struct bug *bug)
{
  *bug = worker->control->bug[n];
  bug->text[sizeof bug->text - 1] = 0;
  bug->where[sizeof bug->where - 1] = 0;
  if (bug->kind >= BUG_KIND_COUNT)
    bug->kind = BUG_CRASH;
  if (bug->parties > BUG_PARTIES)
    bug->parties = BUG_PARTIES;
  for (uint32_t i = 0; i < bug->parties; i++) {
    if (bug->party[i].depth > BUG_STACK)
      bug->party[i].depth = BUG_STACK;
    if (bug->party[i].op >= OP_COUNT)
      bug->party[i].op = OP_NONE;
  }
}
