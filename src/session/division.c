/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of an exhaustive search; see the header.
 */
#include "session/division.h"
#include "file/format_version.h"
#include "file/output_file.h"
#include "file/sealed.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOON 0.1        /* a worker is left alone for so long when others wait for work */
#define SEVERAL 0.3     /* and for so long otherwise: what it has not handed in can be lost */
#define SHORT 0.005     /* a unit */
#define SAVED_EVERY 2.0 /* seconds between checkpoints */
#define FORECAST_EVERY 0.2
#define LOCATIONS_MOST (JOB_LOCATIONS_MOST / sizeof(uint64_t))

bool division_open(struct division *d)
{
  *d = (struct division){0};
  return frontier_open(&d->frontier);
}

void division_close(struct division *d)
{
  frontier_close(&d->frontier);
  free(d->location);
  free(d->line);
}

static void fail(struct division *d, const char *why)
{
  if (!d->failed)
    snprintf(d->error, sizeof d->error, "%s", why);
  d->failed = true;
}

static void wake(struct worker *w, uint32_t state)
{
  w->control->state = state;
  syscall(SYS_futex, &w->control->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

uint64_t division_executions(const struct division *d, const struct worker *workers, unsigned count)
{
  uint64_t n = d->tally.executions;
  for (unsigned i = 0; i < count; i++)
    if (workers[i].unit && workers[i].epoch == d->epoch)
      n += workers[i].control->executions;
  return n;
}

/* ---- what is shared memory ---- */

static int by_address(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* What the worker knows and we do not. */
static void learn(struct division *d, const struct worker *w)
{
  uint64_t bytes;
  const uint64_t *found = worker_answer(w->control, ANSWER_LOCATIONS, &bytes);
  uint32_t n = (uint32_t)(bytes / sizeof *found);
  uint64_t *all = realloc(d->location, (d->locations + (size_t)n + 1) * sizeof *all);
  if (!all) {
    fail(d, "no memory left");
    return;
  }
  if (n)
    memcpy(all + d->locations, found, n * sizeof *all);
  n += d->locations;
  qsort(all, n, sizeof *all, by_address);
  d->location = all;
  d->locations = 0;
  for (uint32_t i = 0; i < n && d->locations < LOCATIONS_MOST; i++)
    if (!d->locations || all[d->locations - 1] != all[i])
      all[d->locations++] = all[i];
}

static void begin_anew(struct division *d)
{
  d->epoch++;
  d->tally = (struct handed){.seconds = d->tally.seconds};
  d->lines = 0;
  d->forecast = (struct forecast){0};
  if (!frontier_reset(&d->frontier))
    fail(d, "no memory left");
}

/* ---- taking ---- */

static void clear_counts(struct control *c)
{
  c->executions = c->blocked = c->cut = c->steps = c->answer_bytes[ANSWER_LINES] = 0;
}

static void take_lines(struct division *d, const struct control *c)
{
  uint64_t bytes;
  const struct execution_line *line = worker_answer(c, ANSWER_LINES, &bytes);
  uint64_t n = bytes / sizeof *line;
  if (d->lines + n > d->line_room) {
    uint64_t room = 2 * (d->lines + n);
    struct execution_line *grown = realloc(d->line, room * sizeof *grown);
    if (!grown) {
      fail(d, "no memory left");
      return;
    }
    d->line = grown;
    d->line_room = room;
  }
  if (n)
    memcpy(d->line + d->lines, line, n * sizeof *d->line);
  d->lines += n;
}

static void commit(struct division *d, struct worker *w)
{
  struct control *c = w->control;
  const struct unit *unit = CONTROL_AT(c, JOB_UNIT_OFFSET);
  switch (
      frontier_hand_in(&d->frontier, w->unit, unit->known, CONTROL_AT(c, ANSWER_HAND_IN_OFFSET), ANSWER_HAND_IN_MOST)) {
  case HAND_IN_LATE:
    return;
  case HAND_IN_ANEW:
    begin_anew(d);
    return;
  case HAND_IN_BAD:
    fail(d, d->frontier.failed
                ? "no memory left for what is to be explored"
                : "what a worker handed in is damaged: the program writes to memory that is not its own");
    return;
  case HAND_IN_TAKEN:
    break;
  }
  d->tally.executions += c->executions;
  d->tally.blocked += c->blocked;
  d->tally.cut += c->cut;
  d->tally.steps += c->steps;
  d->bounded |= c->bounded;
  d->incomplete |= c->incomplete | c->losses;
  if (!c->config.instrumented && c->max_threads_seen > 1)
    d->incomplete |= LOST_UNSEEN;
  d->found |= c->bugs > 0;
  take_lines(d, c);
}

static void collect(struct division *d, struct worker *w, double now)
{
  d->hurried = now - w->given_at < SHORT;
  bool current = w->epoch == d->epoch;
  if (current && w->control->work.learnt) {
    learn(d, w);
    frontier_learn(&d->frontier, CONTROL_AT(w->control, ANSWER_HAND_IN_OFFSET));
    frontier_return(&d->frontier, w->unit);
    begin_anew(d);
  } else if (current) {
    commit(d, w);
  }
  clear_counts(w->control);
  w->unit = NULL;
}

void division_lost(struct division *d, struct worker *w)
{
  if (w->unit && w->epoch == d->epoch)
    frontier_return(&d->frontier, w->unit);
  w->unit = NULL;
}

/* ---- giving ---- */

static bool give(struct division *d, struct worker *w, double now)
{
  struct control *c = w->control;
  w->unit = frontier_take(&d->frontier, CONTROL_AT(c, JOB_UNIT_OFFSET), JOB_UNIT_MOST);
  if (!w->unit)
    return false;
  worker_give(w, JOB_LOCATIONS, d->location, d->locations * sizeof *d->location);
  c->work.shared = c->work.given = 1;
  c->work.asked = 0;
  c->config.executions = w->config.executions =
      d->limit && d->limit > d->tally.executions ? d->limit - d->tally.executions : d->limit;
  clear_counts(c);
  w->epoch = d->epoch;
  w->given_at = now;
  w->control->work.learnt = 0;
  if (w->pidfd >= 0)
    wake(w, WORKER_RUNNING);
  else
    w->wanted = true;
  return true;
}

/* A process that ends with each execution does not wait for a unit: the next one gets it. */
static bool is_idle(const struct worker *w)
{
  bool waits = w->control->state == WORKER_HANDED && w->control->reset != RESET_EXEC;
  return !w->unit && !w->finished && (w->pidfd < 0 || waits);
}

static void let_go(struct worker *w)
{
  if (w->pidfd < 0)
    w->finished = true;
  else if (w->control->state == WORKER_HANDED)
    wake(w, WORKER_DONE);
}

/* Whoever works is asked to hand in: soon when somebody else has nothing to do. */
static void ask(struct division *d, struct worker *workers, unsigned count, bool idle, double now)
{
  for (unsigned i = 0; i < count; i++) {
    struct worker *w = &workers[i];
    double patience = w->epoch != d->epoch ? 0 : idle ? SOON : SEVERAL;
    if (w->unit && (d->saving || now - w->given_at >= patience))
      w->control->work.asked = 1;
  }
}

static void predict(struct division *d, double now)
{
  if (now - d->forecast_at < FORECAST_EVERY || !d->tally.executions)
    return;
  struct scaled lazy, eager, done = scaled_from_double((double)d->tally.executions);
  frontier_share(&d->frontier, &lazy, &eager);
  d->forecast_at = now;
  if (scaled_compare(lazy, scaled_from_double(0)) > 0 && scaled_compare(eager, scaled_from_double(0)) > 0)
    forecast_feed(&d->forecast, (double)d->tally.executions, scaled_divide(done, lazy), scaled_divide(done, eager));
}

static void save_when_due(struct division *d, bool working, double now)
{
  if (!d->checkpoint)
    return;
  if (!d->saved_at)
    d->saved_at = now;
  if (!d->saving && now - d->saved_at >= SAVED_EVERY)
    d->saving = true;
  if (d->saving && !working)
    division_save(d, now);
}

void division_look(struct division *d, struct worker *workers, unsigned count, bool stopping, double now)
{
  bool working = false, idle = false;
  for (unsigned i = 0; i < count; i++) {
    struct worker *w = &workers[i];
    if (w->unit && (w->control->state == WORKER_HANDED || w->control->state == WORKER_DONE))
      collect(d, w, now);
    working |= w->unit != NULL;
  }
  predict(d, now);
  save_when_due(d, working, now);
  bool over = stopping || d->failed || (!working && frontier_is_finished(&d->frontier));
  for (unsigned i = 0; i < count; i++) {
    if (over && is_idle(&workers[i]))
      let_go(&workers[i]);
    else if (!over && !d->saving && is_idle(&workers[i]))
      idle |= !give(d, &workers[i], now);
  }
  if (!over)
    ask(d, workers, count, idle, now);
}

/* ---- the file ---- */

#define TITLE "heddle checkpoint 3"

static bool write_all(const struct division *d, FILE *f)
{
  seal_begin(f, TITLE);
  if (!identity_write(d->identity, f))
    return false;
  fprintf(f,
          "executions %" PRIu64 "\nblocked %" PRIu64 "\ncut %" PRIu64 "\nsteps %" PRIu64
          "\nseconds %.3f\nbounded %d\nfound %d\nincomplete %" PRIu32 "\nlocations %" PRIu32 "\n",
          d->tally.executions, d->tally.blocked, d->tally.cut, d->tally.steps, d->tally.seconds, d->bounded, d->found,
          d->incomplete, d->locations);
  for (uint32_t i = 0; i < d->locations; i++)
    fprintf(f, "%" PRIx64 "\n", d->location[i]);
  return frontier_write(&d->frontier, f);
}

bool division_save(struct division *d, double now)
{
  char error[640] = "no memory left", *text = NULL;
  size_t bytes = 0;
  d->saving = false;
  d->saved_at = now;
  FILE *f = open_memstream(&text, &bytes);
  bool good = f && write_all(d, f);
  if (f && fclose(f) != 0)
    good = false;
  if (good)
    seal(text, bytes);
  good = good && output_file_write(d->checkpoint, FILE_CHECKPOINT, text, bytes, error, sizeof error);
  free(text);
  if (!good && !d->failed)
    snprintf(d->error, sizeof d->error, "--checkpoint: %s", error);
  d->failed |= !good;
  return good;
}

static bool read_counts(struct division *d, FILE *f, uint32_t *locations)
{
  int bounded, found;
  if (fscanf(f,
             " executions %" SCNu64 " blocked %" SCNu64 " cut %" SCNu64 " steps %" SCNu64
             " seconds %lf bounded %d found %d incomplete %" SCNu32 " locations %" SCNu32,
             &d->tally.executions, &d->tally.blocked, &d->tally.cut, &d->tally.steps, &d->tally.seconds, &bounded,
             &found, &d->incomplete, locations) != 9 ||
      *locations > LOCATIONS_MOST)
    return false;
  d->bounded = bounded;
  d->found = d->found_before = found;
  return true;
}

static bool check_identity(struct division *d, FILE *f, char *error, size_t error_size)
{
  struct identity then = {0};
  bool same = false;
  if (!identity_read(&then, f)) {
    snprintf(error, error_size, "it does not say of what search it is");
  } else {
    identity_ignore_as(d->identity, &then);
    same = identity_is_same(&then, d->identity, error, error_size);
  }
  identity_free(&then);
  return same;
}

static bool read_all(struct division *d, FILE *f, char *error, size_t error_size)
{
  uint32_t locations;
  if (!check_identity(d, f, error, error_size))
    return false;
  if (!read_counts(d, f, &locations)) {
    snprintf(error, error_size, "its counts are damaged");
    return false;
  }
  d->location = calloc(locations + 1u, sizeof *d->location);
  for (; d->location && d->locations < locations; d->locations++)
    if (fscanf(f, "%" SCNx64, &d->location[d->locations]) != 1) {
      snprintf(error, error_size, "it is cut short");
      return false;
    }
  return d->location && frontier_read(&d->frontier, f, error, error_size);
}

/* All of a regular file, malloc'ed; NULL: the error says why. */
static char *read_file(const char *path, size_t *bytes, char *error, size_t error_size)
{
  struct stat st;
  char *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &st) != 0)
    snprintf(error, error_size, "%s", strerror(errno));
  else if (!S_ISREG(st.st_mode))
    snprintf(error, error_size, "it is not a regular file");
  else
    text = malloc((size_t)st.st_size + 1);
  *bytes = 0;
  for (ssize_t n = 1; text && n > 0; *bytes += n > 0 ? (size_t)n : 0)
    n = read(fd, text + *bytes, (size_t)st.st_size - *bytes);
  if (fd >= 0)
    close(fd);
  return text;
}

static bool read_sealed(struct division *d, char *text, size_t bytes, char *error, size_t error_size)
{
  size_t rest = 0;
  enum seal_state state = seal_check(text, bytes, TITLE, &rest);
  if (state != SEAL_HOLDS) {
    if (!is_of_another_version(text, bytes, TITLE, error, error_size))
      snprintf(error, error_size,
               state == SEAL_BROKEN ? "it is damaged: its checksum is not that of its content"
                                    : "it is not a checkpoint");
    return false;
  }
  FILE *f = fmemopen(text + rest, bytes - rest, "r");
  bool good = f && read_all(d, f, error, error_size);
  if (f)
    fclose(f);
  return good;
}

bool division_resume(struct division *d, const char *path)
{
  char error[1024] = "no memory left";
  size_t bytes;
  char *text = read_file(path, &bytes, error, sizeof error);
  bool good = text && read_sealed(d, text, bytes, error, sizeof error);
  free(text);
  if (!good)
    console_error("--resume: %s cannot be used: %s", path, error);
  return good;
}
