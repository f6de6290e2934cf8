/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of a search by causality; see the header.
 */
#include "session/courses.h"
#include "causal/part.h"
#include "core/rng.h"
#include "explore/unit.h"
#include "session/division.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SOON 0.1   /* a worker is left alone for so long when others wait for work */
#define SLICE 0.03 /* seconds of a batch: a thousand times what it takes to give it out and take it back */

/* ---- all that is known ---- */

static struct courses *open_courses(struct division *d)
{
  if (d->courses)
    return d->courses;
  struct courses *k = calloc(1, sizeof *k);
  void *keeper =
      mmap(NULL, sizeof *k->keeper, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!k || keeper == MAP_FAILED) {
    division_fail(d, "no memory left");
    free(k);
    return NULL;
  }
  k->keeper = keeper;
  return d->courses = k;
}

void courses_close(struct courses *k)
{
  if (!k)
    return;
  munmap(k->keeper, sizeof *k->keeper);
  for (unsigned i = 0; i < k->seats; i++)
    free(k->seat[i].job);
  free(k->seat);
  free(k);
}

bool courses_are_finished(const struct courses *k)
{
  return k->begun && !k->out && !causal_has_courses(k->keeper);
}

struct planned courses_planned(const struct courses *k)
{
  return k->keeper->planned;
}

static bool make_seat(struct courses *k, unsigned worker)
{
  if (worker < k->seats)
    return true;
  struct course_seat *grown = realloc(k->seat, (worker + 1) * sizeof *grown);
  if (!grown)
    return false;
  k->seat = grown;
  while (k->seats <= worker)
    k->seat[k->seats++] = (struct course_seat){0};
  return true;
}

static void begin_anew(struct division *d)
{
  struct courses *k = d->courses;
  d->epoch++;
  division_forget(d);
  causal_forget(k->keeper);
  k->begun = false;
  for (unsigned i = 0; i < k->seats; i++)
    k->seat[i].told = 0;
}

/* ---- giving ---- */

/* The job without the classes that it tells, in case that nobody answers. */
static struct causal_job *copy_courses(const struct causal_job *job, uint64_t bytes)
{
  const uint64_t *at = (const uint64_t *)(job + 1), *end = (const uint64_t *)((const char *)job + bytes);
  for (uint32_t i = 0; i < job->classes; i++)
    at += 1 + *at;
  struct causal_job *copy = malloc(sizeof *copy + (size_t)((const char *)end - (const char *)at));
  if (!copy)
    return NULL;
  *copy = *job;
  copy->classes = 0;
  memcpy(copy + 1, at, (size_t)((const char *)end - (const char *)at));
  return copy;
}

static uint32_t batch_size(const struct courses *k, unsigned others)
{
  double wished = k->pace > 0 ? SLICE / k->pace : 1;
  uint32_t share = k->keeper->work.count / (others + k->out + 1) + 1;
  return wished < 1 ? 1 : wished < share ? (uint32_t)wished : share;
}

static bool next(void *self, struct job_draft *draft, struct ticket *ticket, double now)
{
  struct division *d = self;
  struct courses *k = open_courses(d);
  if (!k || (k->single && draft->worker) || (k->begun && !causal_has_courses(k->keeper)))
    return false;
  if (!make_seat(k, draft->worker)) {
    division_fail(d, "no memory left");
    return false;
  }
  struct causal_job *job = (struct causal_job *)(draft->unit + 1);
  bool alone = !k->out && (!draft->others || !k->begun || k->keeper->work.count < 2);
  *job = (struct causal_job){
      .epoch = d->epoch, .base = k->seat[draft->worker].told, .begins = !k->begun, .alone = alone || k->single};
  uint64_t bytes = causal_write_job(k->keeper, job, draft->room - sizeof *draft->unit,
                                    job->alone ? UINT32_MAX : batch_size(k, draft->others));
  struct causal_job *copy = bytes ? copy_courses(job, bytes) : NULL;
  if (!copy) {
    division_fail(d, "no memory left for what is to be explored");
    return false;
  }
  if (!job->begins && !job->courses) { /* executions had shown all of them */
    free(copy);
    return false;
  }
  *draft->unit = (struct unit){.bytes = bytes};
  division_draft(d, draft);
  *ticket = (struct ticket){.worker = draft->worker, .epoch = d->epoch, .given_at = now};
  k->seat[draft->worker] = (struct course_seat){k->keeper->classes.count, copy};
  k->abreast |= k->out > 0;
  k->out++;
  k->begun = true;
  return true;
}

/* Nobody answers, or not as it should be. */
static void give_back(const struct division *d, struct course_seat *seat)
{
  seat->told = 0;
  if (seat->job->epoch != d->epoch)
    return;
  d->courses->begun &= !seat->job->begins;
  causal_return_job(d->courses->keeper, seat->job);
}

static void end_job(struct courses *k, struct course_seat *seat)
{
  free(seat->job);
  seat->job = NULL;
  k->out--;
}

static void lost(void *self, const struct ticket *ticket, const struct control *block, int wait_status)
{
  (void)block, (void)wait_status;
  struct division *d = self;
  struct course_seat *seat = &d->courses->seat[ticket->worker];
  division_note_loss(d, ticket);
  give_back(d, seat);
  end_job(d->courses, seat);
}

/* ---- taking ---- */

/* Others may have run what it ran; the lines of these executions are left out. */
static void count(struct division *d, const struct answer *answer, uint64_t repeats)
{
  struct courses *k = d->courses;
  struct answer counted = *answer;
  const struct execution_line *line = answer->part[ANSWER_LINES];
  uint64_t lines = answer->bytes[ANSWER_LINES] / sizeof *line, kept = 0;
  struct execution_line *own = lines ? malloc(lines * sizeof *own) : NULL;
  if (lines && !own) {
    division_fail(d, "no memory left");
    return;
  }
  for (uint64_t i = 0; i < lines; i++)
    if (causal_mark(k->keeper, mix64(line[i].class_hash)) || !k->abreast)
      own[kept++] = line[i];
  counted.part[ANSWER_LINES] = own;
  counted.bytes[ANSWER_LINES] = kept * sizeof *own;
  counted.executions -= repeats < counted.executions ? repeats : counted.executions;
  k->repeats += repeats;
  division_count(d, &counted);
  free(own);
}

static bool can_take_part(struct courses *k, const struct answer *answer)
{
  const struct work *work = &answer->block->work;
  k->layout = k->layout ? k->layout : work->layout;
  bool same = work->layout == k->layout;
  k->single |= work->scattered || !same;
  return same;
}

static void commit(struct division *d, const struct ticket *ticket, const struct answer *answer)
{
  struct courses *k = d->courses;
  const struct hand_in *in = answer->part[ANSWER_HAND_IN];
  const struct causal_answer *part = in ? (const struct causal_answer *)(in + 1) : NULL;
  uint64_t repeats = 0;
  bool whole = in && answer->bytes[ANSWER_HAND_IN] >= sizeof *in + sizeof *part;
  if (whole && (part->lacks || (!can_take_part(k, answer) && ticket->worker))) {
    give_back(d, &k->seat[ticket->worker]);
    return;
  }
  if (!whole || !causal_take_answer(k->keeper, part, answer->bytes[ANSWER_HAND_IN] - sizeof *in, &repeats)) {
    division_fail(d, "what a worker handed in is damaged: the program writes to memory that is not its own");
    return;
  }
  if (answer->executions)
    k->pace = answer->seconds / (double)answer->executions;
  count(d, answer, repeats);
}

static void take(void *self, const struct ticket *ticket, const struct answer *answer, double now)
{
  (void)now;
  struct division *d = self;
  if (ticket->epoch == d->epoch) {
    division_learn(d, answer);
    if (answer->learnt)
      begin_anew(d);
    else
      commit(d, ticket, answer);
  }
  end_job(d->courses, &d->courses->seat[ticket->worker]);
}

/* ---- looking ---- */

static double patience(const void *self, const struct ticket *ticket, bool idle)
{
  const struct division *d = self;
  if (ticket->epoch != d->epoch || (d->haste && ticket->worked >= d->haste))
    return 0;
  return d->courses->seat[ticket->worker].job->alone && idle && !d->courses->single ? SOON : INFINITY;
}

/* What a session that is over left unanswered waits again. */
static void clear_seats(const struct division *d)
{
  for (unsigned i = 0; i < d->courses->seats; i++)
    if (d->courses->seat[i].job) {
      give_back(d, &d->courses->seat[i]);
      end_job(d->courses, &d->courses->seat[i]);
    }
}

static enum outlook look(void *self, bool working, double now)
{
  (void)now;
  struct division *d = self;
  if (d->courses && !working)
    clear_seats(d);
  d->incomplete |= d->courses && d->courses->keeper->full ? LOST_TOO_LONG : 0;
  bool enough = d->limit && d->tally.executions >= d->limit;
  return enough || (!working && d->courses && courses_are_finished(d->courses)) ? JOBS_OVER : JOBS_TO_COME;
}

static const char *problem(const void *self)
{
  const struct division *d = self;
  return d->failed ? d->error : NULL;
}

const struct planner courses_planner = {
    .next = next, .take = take, .lost = lost, .patience = patience, .look = look, .problem = problem};
