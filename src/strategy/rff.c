/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads-from feedback: an execution that showed a pair of a read and the write it saw that was never seen before is
 * worth going on from. What is kept of it is the abstract schedule that it followed; what is tried next are variations
 * of those: this read sees that write, or does not. Partial order sampling decides all else, among those threads that a
 * constraint does not ask to wait: a read waits for its write, and a write that would come between the two waits for
 * the read. A constraint that nobody can keep is given up, so that no execution comes to a stop by it.
 *
 * What others found, workers of the same session or runs before, is read from the job while it grows; what is new here
 * is added to the answer.
 */
#include "core/attempt.h"
#include "core/control.h"
#include "core/invariant.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "core/world.h"
#include "strategy/reads_from.h"
#include "strategy/rff_corpus.h"

#define BASE_ONE_IN 8 /* executions without constraints, */
#define BASE_LATER 2  /* and when nothing new came for so many: */
#define STALE 2000
#define PATIENCE 100 /* steps for which somebody waits by constraints, beside as many as executions usually have */
#define BASE_STATE 4096
#define WORTH_OF_PLACES 16
#define WORTH_OF_PAIRS 4
#define WORTH_OF_OTHERS 2 /* entries that others found */

/* A constraint in this process. */
struct aim {
  uintptr_t read_pc, write_pc, location;
  bool over;     /* kept or given up */
  bool mattered; /* it made somebody wait, or was kept */
};

struct rff {
  uint64_t stream;
  uint64_t executions; /* so far */
  uint64_t taken;      /* entries of others */
  uint64_t news;       /* the last execution that showed something new */
  uint64_t usual;      /* steps of executions without constraints */
  bool prepared;       /* aims are those of this execution */
  uint64_t waited;     /* steps of it for which somebody waited by a constraint */
  struct abstract_schedule schedule;
  struct aim aim[CONSTRAINTS_MOST];
  struct rff_corpus corpus;
  struct reads_from seen;
  _Alignas(16) unsigned char base[BASE_STATE];
};

static const struct strategy *base(void)
{
  return strategy_table[STRATEGY_pos];
}

static void rff_open(void *state, const struct job *job)
{
  (void)state, (void)job;
  invariant(base()->state_size <= BASE_STATE, "the strategy below rff needs more memory than there is");
}

/* ---- what others found ---- */

static void take_from_others(struct rff *f, const struct job *job)
{
  const struct corpus_area *others = job->part[JOB_CORPUS];
  if (!job->bytes[JOB_CORPUS])
    return;
  for (; f->taken < others->count && f->taken < CORPUS_ENTRIES; f->taken++) {
    const struct abstract_schedule *s = &others->entry[f->taken];
    for (uint32_t i = 0; i < s->constraints; i++) {
      const struct constraint *c = &s->constraint[i];
      reads_from_meet(&f->seen, &c->read, c->location, true, false);
      if (c->write.place)
        reads_from_meet(&f->seen, &c->write, c->location, false, true);
    }
    bool new = false;
    for (uint32_t i = 0; i < s->pairs; i++)
      new |= reads_from_note(&f->seen, s->pair[i]);
    if (new) /* it may be our own */
      rff_keep(&f->corpus, s, 0, WORTH_OF_OTHERS);
  }
}

static void tell_others(const struct job *job, const struct abstract_schedule *schedule)
{
  struct corpus_area *out = job->answer[ANSWER_CORPUS];
  if (!job->bytes[JOB_CORPUS] || out->count >= CORPUS_ENTRIES)
    return;
  out->entry[out->count] = *schedule;
  __atomic_store_n(&out->count, out->count + 1, __ATOMIC_RELEASE);
}

/* ---- an execution ---- */

static void rff_begin(void *state, const struct job *job, uint64_t seed, uint64_t execution)
{
  struct rff *f = state;
  f->stream = mix64(seed ^ 1);
  take_from_others(f, job);
  f->schedule.constraints = 0;
  if (f->executions++ && rng_below(&f->stream, f->executions - f->news > STALE ? BASE_LATER : BASE_ONE_IN))
    rff_vary(&f->corpus, &f->seen, &f->stream, &f->schedule);
  f->prepared = false;
  f->waited = 0;
  reads_from_begin(&f->seen);
  base()->begin(f->base, job, seed, execution);
}

static void prepare(struct rff *f, const struct world *world)
{
  f->prepared = true;
  for (uint32_t i = 0; i < f->schedule.constraints; i++) {
    const struct constraint *c = &f->schedule.constraint[i];
    f->aim[i] = (struct aim){.read_pc = world->address(world->self, c->read.place),
                             .write_pc = c->write.place ? world->address(world->self, c->write.place) : 0,
                             .location = world->address(world->self, c->location)};
  }
}

static bool is_at(const struct rff *f, const struct choice *c, unsigned t, const struct abstract_event *event,
                  uintptr_t pc)
{
  return c->thread[t].pending.pc == pc && (!event->thread || event->thread == f->seen.path[t]) &&
         (!event->nth || event->nth == reads_from_nth(&f->seen, t, pc));
}

static bool is_written_by(const struct abstract_event *written, const struct abstract_event *wanted)
{
  return written->place == wanted->place && (!wanted->thread || wanted->thread == written->thread) &&
         (!wanted->nth || wanted->nth == written->nth);
}

/* Whether the thread is to wait. */
static bool waits(struct rff *f, const struct choice *c, uint32_t i, unsigned t)
{
  const struct constraint *asked = &f->schedule.constraint[i];
  const struct operation *op = &c->thread[t].pending;
  uint64_t location = reads_from_location(op);
  if (!location)
    return false;
  bool is_read = is_at(f, c, t, &asked->read, f->aim[i].read_pc);
  if (!is_read && (asked->negative || location != f->aim[i].location || !reads_from_writes(op)))
    return false;
  bool is_there = is_written_by(reads_from_writer(&f->seen, location), &asked->write);
  return is_read ? is_there == (bool)asked->negative : is_there;
}

/* Threads that no constraint asks to wait. */
static struct threadset free_to_go(struct rff *f, const struct choice *c)
{
  struct threadset going = *c->enabled;
  for (uint32_t i = 0; i < f->schedule.constraints; i++) {
    struct aim *aim = &f->aim[i];
    if (aim->over)
      continue;
    struct threadset before = going;
    bool waiting = false;
    THREADSET_EACH(t, c->enabled)
    {
      if (!waits(f, c, i, t))
        continue;
      threadset_remove(&going, t);
      waiting = true;
    }
    aim->mattered |= waiting;
    f->waited += waiting;
    if (threadset_empty(&going) || f->waited > PATIENCE + f->usual) {
      aim->over = true;
      going = before;
    }
  }
  return going;
}

/* The read of a constraint comes now, as it was asked for or not. */
static void note_kept(struct rff *f, const struct choice *c, unsigned t)
{
  for (uint32_t i = 0; i < f->schedule.constraints; i++) {
    const struct constraint *asked = &f->schedule.constraint[i];
    if (f->aim[i].over || !is_at(f, c, t, &asked->read, f->aim[i].read_pc))
      continue;
    f->aim[i].mattered = true;
    f->aim[i].over = asked->read.nth || !asked->negative;
  }
}

static unsigned rff_pick(void *state, const struct choice *c)
{
  struct rff *f = state;
  if (!f->prepared)
    prepare(f, c->world);
  reads_from_settle(&f->seen, c);
  struct choice asked = *c;
  struct threadset going;
  if (f->schedule.constraints && c->count > 1) {
    going = free_to_go(f, c);
    asked.enabled = &going;
    asked.count = threadset_count(&going);
  }
  unsigned t = asked.count == 1 ? threadset_next(asked.enabled, 0) : base()->pick(f->base, &asked);
  if (f->schedule.constraints)
    note_kept(f, c, t);
  reads_from_step(&f->seen, c, t);
  return t;
}

static unsigned rff_choose(void *state, unsigned n)
{
  return rng_below(&((struct rff *)state)->stream, n);
}

/* ---- what became of it ---- */

/* Only what mattered is worth keeping. */
static void minimise(struct rff *f)
{
  struct abstract_schedule *s = &f->schedule;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->constraints; i++)
    if (f->prepared && f->aim[i].mattered)
      s->constraint[kept++] = s->constraint[i];
  s->constraints = kept;
}

static bool rff_end(void *state, const struct outcome *outcome)
{
  struct rff *f = state;
  const struct reads_from *seen = &f->seen;
  if (!f->schedule.constraints && !outcome->cut)
    f->usual = f->usual ? (7 * f->usual + outcome->steps) / 8 : outcome->steps;
  minimise(f);
  attempt_tell(outcome, &f->schedule);
  rff_count(&f->corpus, seen->signature);
  if (!seen->new_pairs && !outcome->bug)
    return true;
  f->news = f->executions;
  f->schedule.pairs = seen->new_pairs < PAIRS_MOST ? seen->new_pairs : PAIRS_MOST;
  for (uint32_t i = 0; i < f->schedule.pairs; i++)
    f->schedule.pair[i] = seen->first_pair[i];
  rff_keep(&f->corpus, &f->schedule, seen->signature, seen->new_places ? WORTH_OF_PLACES : WORTH_OF_PAIRS);
  tell_others(outcome->job, &f->schedule);
  return true;
}

const struct strategy strategy_rff = {
    .name = "rff",
    .state_size = sizeof(struct rff),
    .every_step = true,
    .open = rff_open,
    .begin = rff_begin,
    .pick = rff_pick,
    .choose = rff_choose,
    .end = rff_end,
};
