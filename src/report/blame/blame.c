/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch to blame and the pattern of accesses it made, see the header.
 */
#include "report/blame/blame.h"
#include "report/story/moment.h"

#include <stdlib.h>

/* Traces can be of a million events. What is further away than this from the switch has nothing to do with it. */
#define WINDOW 50000     /* events of a block, or on the way to the nearest access */
#define FAR_MOST 2000    /* accesses after the switch that a pattern is looked for */
#define FLIPS_MOST 20000 /* events of a passing run that are compared with each other */

/* ---- an execution ---- */

static bool is_access(const struct trace_event *e)
{
  return op_is_memory(e->op);
}

static bool writes(const struct trace_event *e)
{
  return op_writes_memory(e->op);
}

/* Each event belongs to the first segment of its thread that ends at or behind it; `beyond` when there is none. */
static void find_segments(const struct blame_trace *t, struct schedule_record *record, uint32_t beyond, uint32_t *out)
{
  const struct segment *segment = schedule_segments(record);
  uint64_t end[MAX_THREADS] = {0};
  uint32_t at[MAX_THREADS] = {0}, next[MAX_THREADS] = {0};
  for (size_t i = 0; i < t->count; i++) {
    uint32_t thread = t->events[i].thread % MAX_THREADS;
    while (next[thread] < record->segments && end[thread] < t->events[i].operations) {
      uint32_t s = next[thread]++;
      if (segment[s].thread != thread)
        continue;
      at[thread] = s;
      end[thread] += segment[s].operations;
    }
    out[i] = end[thread] < t->events[i].operations ? beyond : at[thread];
  }
}

static int by_address(const void *a, const void *b, void *events)
{
  const struct trace_event *e = events;
  uintptr_t x = e[*(const size_t *)a].addr, y = e[*(const size_t *)b].addr;
  return x < y ? -1 : x > y;
}

/* Accesses that overlap are of one variable; it counts if two threads use it and one writes. */
static bool find_variables(struct blame_trace *t)
{
  size_t *order = malloc((t->count + 1) * sizeof *order), n = 0;
  if (!order)
    return false;
  for (size_t i = 0; i < t->count; i++) {
    t->variable[i] = NO_VARIABLE;
    if (is_access(&t->events[i]) && t->events[i].op != OP_FREE)
      order[n++] = i;
  }
  qsort_r(order, n, sizeof *order, by_address, (void *)t->events);
  for (size_t first = 0, last; first < n; first = last) {
    const struct trace_event *e = &t->events[order[first]];
    uintptr_t end = e->addr + e->length;
    bool shared = false, written = false;
    for (last = first; last < n && (last == first || t->events[order[last]].addr < end); last++) {
      const struct trace_event *other = &t->events[order[last]];
      end = other->addr + other->length > end ? other->addr + other->length : end;
      shared |= other->thread != e->thread;
      written |= writes(other);
    }
    for (size_t i = first; shared && written && i < last; i++)
      t->variable[order[i]] = t->variables;
    t->variables += shared && written;
  }
  free(order);
  return true;
}

bool blame_trace_open(struct blame_trace *t, const struct trace_event *events, size_t count,
                      struct schedule_record *record)
{
  *t = (struct blame_trace){.events = events,
                            .count = count,
                            .record = record,
                            .segment = calloc(count + 1, sizeof *t->segment),
                            .variable = calloc(count + 1, sizeof *t->variable)};
  if (!t->segment || !t->variable || !find_variables(t)) {
    blame_trace_close(t);
    return false;
  }
  find_segments(t, record, blame_switches(record), t->segment);
  return true;
}

void blame_trace_close(struct blame_trace *t)
{
  free(t->segment);
  free(t->variable);
  *t = (struct blame_trace){0};
}

/* ---- the switch ---- */

/* The first event of a segment or a later one. They come in the order of their segments. */
static size_t begin_of(const struct blame_trace *t, uint32_t segment)
{
  size_t low = 0, high = t->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (t->segment[middle] < segment)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_thread(uint32_t thread, struct threadset *seen, uint32_t *out, uint32_t *count)
{
  if (threadset_has(seen, thread % MAX_THREADS))
    return;
  threadset_add(seen, thread % MAX_THREADS);
  out[(*count)++] = thread;
}

/* Threads that have ended when the beginning for that switch is over. */
static struct threadset ended_by(struct schedule_record *record, uint32_t at)
{
  struct threadset ended = {{0}};
  const struct segment *segment = schedule_segments(record);
  for (uint32_t i = 0; i <= at; i++)
    if (segment[i].op == OP_EXIT && i + 1 < record->segments)
      threadset_add(&ended, segment[i].thread);
  return ended;
}

uint32_t blame_candidates(const struct blame_trace *t, uint32_t at, uint32_t out[MAX_THREADS])
{
  struct threadset seen = ended_by(t->record, at);
  uint32_t count = 0, left = t->variables;
  char *known = calloc(t->variables + 1, 1);
  size_t end = begin_of(t, at + 1), start = end > WINDOW ? end - WINDOW : 0;
  for (size_t i = end; known && left && i-- > start;) {
    uint32_t v = t->variable[i];
    if (v == NO_VARIABLE || known[v])
      continue;
    known[v] = 1;
    left--;
    add_thread(t->events[i].thread, &seen, out, &count);
  }
  free(known);
  if (at + 1 == t->record->segments && count) /* it has failed before anybody goes on */
    return 1;
  const struct segment *segment = schedule_segments(t->record);
  uint32_t most = count ? count : t->variables ? t->variables : 1;
  for (uint32_t i = at + 1; count < most && i-- > 0;)
    add_thread(segment[i].thread, &seen, out, &count);
  return count;
}

uint32_t blame_decide(const struct trial *trials, uint32_t count, uint32_t switches)
{
  for (uint32_t i = 0; i < count; i++)
    if (trials[i].verdict == TRIAL_PASSES)
      return trials[i].label == switches ? 0 : trials[i].label + 1;
  return 1;
}

/* ---- the pattern ---- */

/* Accesses of a segment, which is of one thread; of none when there is no such segment. */
struct block {
  uint32_t segment;
};

enum want { ANY, READING, WRITING };

static bool is_wanted(const struct trace_event *e, enum want want)
{
  return want == ANY || (want == WRITING ? writes(e) : event_reads(e));
}

/* The last (or first) access of that memory in a block. */
static size_t find_access(const struct blame_trace *t, const struct block *b, const struct trace_event *memory,
                          enum want want, bool first)
{
  size_t from = begin_of(t, b->segment), to = begin_of(t, b->segment + 1);
  for (size_t n = 0; n < to - from && n < WINDOW; n++) {
    size_t i = first ? from + n : to - 1 - n;
    const struct trace_event *e = &t->events[i];
    if (is_access(e) && events_overlap(e, memory) && is_wanted(e, want))
      return i;
  }
  return NO_EVENT;
}

/* Writes preferred. */
static size_t pick(const struct blame_trace *t, const struct block *b, const struct trace_event *memory, bool first)
{
  size_t i = find_access(t, b, memory, WRITING, first);
  return i != NO_EVENT ? i : find_access(t, b, memory, READING, first);
}

static const struct {
  enum pattern_kind kind;
  enum want want[3];
} triples[] = {
    {PATTERN_RWW, {READING, WRITING, WRITING}}, {PATTERN_RWR, {READING, WRITING, READING}},
    {PATTERN_WWR, {WRITING, WRITING, READING}}, {PATTERN_WRW, {WRITING, READING, WRITING}},
    {PATTERN_WWW, {WRITING, WRITING, WRITING}},
};
#define TRIPLES (sizeof triples / sizeof triples[0])

/* What three accesses are. An update counts as a read and a write: before the switch as the write it ends with. */
static enum pattern_kind kind_of(const struct blame_trace *t, const size_t event[3], bool strict)
{
  for (size_t k = 0; k < TRIPLES; k++) {
    bool all = true;
    for (int n = 0; n < 3; n++) {
      const struct trace_event *e = &t->events[event[n]];
      bool as_write = strict ? writes(e) : n == 2 ? !event_reads(e) : writes(e);
      all &= as_write == (triples[k].want[n] == WRITING);
    }
    if (all)
      return triples[k].kind;
  }
  return PATTERN_NONE;
}

/* The first thread has waited for others between its accesses: it expects them to have changed something, as long as it
 * reads it anew. */
static bool is_expected(const struct blame_trace *t, const struct pattern *p)
{
  if (p->kind != PATTERN_RWR && p->kind != PATTERN_WWR)
    return false;
  for (size_t i = p->event[0] + 1; i < p->event[2]; i++) {
    const struct trace_event *e = &t->events[i];
    if (e->thread == t->events[p->event[0]].thread &&
        (e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE || e->op == OP_BARRIER_LEAVE || e->op == OP_SEM_WAIT ||
         (e->op == OP_JOIN && e->arg == t->events[p->event[1]].thread)))
      return true;
  }
  return false;
}

/* The same code looks again and again: it waits for a change. */
static bool is_polling(const struct blame_trace *t, const struct pattern *p)
{
  return p->kind == PATTERN_RWR && t->events[p->event[0]].pc == t->events[p->event[2]].pc;
}

/* The pattern on that memory in three blocks, if there is one. */
static struct pattern match(const struct blame_trace *t, const struct block b[3], const struct trace_event *memory,
                            bool strict)
{
  struct pattern p = {.event[3] = NO_EVENT};
  if (!strict) { /* nearest to the switch */
    p.event[0] = find_access(t, &b[0], memory, ANY, false);
    p.event[1] = pick(t, &b[1], memory, false);
    p.event[2] = find_access(t, &b[2], memory, ANY, true);
    if (p.event[0] == NO_EVENT || p.event[1] == NO_EVENT || p.event[2] == NO_EVENT)
      return p;
    p.kind = kind_of(t, p.event, false);
    if (p.kind)
      return p;
  }
  p.event[0] = pick(t, &b[0], memory, false);
  p.event[1] = pick(t, &b[1], memory, false);
  p.event[2] = pick(t, &b[2], memory, true);
  if (p.event[0] == NO_EVENT || p.event[1] == NO_EVENT || p.event[2] == NO_EVENT)
    return p;
  p.kind = kind_of(t, p.event, true);
  for (size_t k = 0; !strict && !p.kind && k < TRIPLES; k++) {
    for (int n = 0; n < 3; n++)
      p.event[n] = find_access(t, &b[n], memory, triples[k].want[n], n == 2);
    if (p.event[0] != NO_EVENT && p.event[1] != NO_EVENT && p.event[2] != NO_EVENT)
      p.kind = triples[k].kind;
  }
  return p;
}

static struct pattern match_order(const struct blame_trace *t, const struct block b[3],
                                  const struct trace_event *memory)
{
  struct pattern p = {.event = {pick(t, &b[0], memory, false), pick(t, &b[1], memory, false), NO_EVENT, NO_EVENT}};
  if (p.event[0] != NO_EVENT && p.event[1] != NO_EVENT &&
      (writes(&t->events[p.event[0]]) || writes(&t->events[p.event[1]])))
    p.kind = PATTERN_ORDER;
  return p;
}

/* Once for every piece of memory that is accessed behind the switch. */
static size_t match_all(const struct blame_trace *t, const struct block b[3], bool order, bool strict,
                        struct pattern *out)
{
  size_t count = 0, end = begin_of(t, b[1].segment + 1), looked = 0;
  for (size_t i = begin_of(t, b[1].segment); i < end && count < PATTERNS_MOST && looked < FAR_MOST; i++) {
    if (!is_access(&t->events[i]))
      continue;
    looked++;
    struct pattern p = order ? match_order(t, b, &t->events[i]) : match(t, b, &t->events[i], strict);
    bool known = false;
    for (size_t k = 0; k < count; k++)
      known |= events_overlap(&t->events[out[k].event[1]], &t->events[i]);
    if (p.kind && !known && (order || strict || !is_expected(t, &p)))
      out[count++] = p;
  }
  return count;
}

/* The segment in which a thread goes on after the switch; the number of segments when it does not. */
static uint32_t returns_in(const struct blame_trace *t, uint32_t at, uint32_t thread)
{
  const struct segment *segment = schedule_segments(t->record);
  uint32_t j = at + 1;
  while (j < t->record->segments && segment[j].thread != thread)
    j++;
  return j;
}

/* The access of that memory by a thread before (or after) an event. */
static size_t nearest(const struct blame_trace *t, size_t from, uint32_t thread, bool after)
{
  const struct trace_event *memory = &t->events[from];
  size_t left = WINDOW;
  for (size_t i = from; left-- > 0 && (after ? ++i < t->count : i-- > 0);)
    if (t->events[i].thread == thread && is_access(&t->events[i]) && events_overlap(&t->events[i], memory))
      return i;
  return NO_EVENT;
}

/* Beyond the blocks: what others did, after the switch, between two accesses of a thread. The first of these is before
 * the switch, or, of the thread that it let in, right behind it. */
static size_t match_far(const struct blame_trace *t, uint32_t thread, uint32_t low, uint32_t high, uint32_t at,
                        bool polling, struct pattern *out)
{
  size_t count = 0, looked = 0;
  for (size_t i = begin_of(t, at); i < t->count && count < PATTERNS_MOST && looked < FAR_MOST; i++) {
    if (t->events[i].thread == thread || !is_access(&t->events[i]))
      continue;
    looked++;
    struct pattern p = {.event = {nearest(t, i, thread, false), i, nearest(t, i, thread, true), NO_EVENT}};
    bool known = p.event[0] == NO_EVENT || p.event[2] == NO_EVENT || t->segment[p.event[0]] < low ||
                 t->segment[p.event[0]] > high;
    for (size_t k = 0; !known && k < count; k++)
      known = events_overlap(&t->events[out[k].event[1]], &t->events[i]);
    p.kind = known ? PATTERN_NONE : kind_of(t, p.event, false);
    if (p.kind && !is_expected(t, &p) && (polling || !is_polling(t, &p)))
      out[count++] = p;
  }
  return count;
}

size_t blame_patterns(const struct blame_trace *t, uint32_t at, bool strict, struct pattern out[PATTERNS_MOST])
{
  const struct segment *segment = schedule_segments(t->record);
  if (!at || at >= t->record->segments)
    return 0;
  uint32_t a = segment[at - 1].thread, b = segment[at].thread;
  const struct block near[3] = {{at - 1}, {at}, {returns_in(t, at, a)}};
  size_t count = match_all(t, near, false, strict, out);
  for (int polling = 0; polling < 2 && !strict; polling++) {
    if (!count)
      count = match_far(t, a, 0, at - 1, at, polling, out);
    for (uint32_t x = 0; !count && x < t->record->threads; x++)
      count = x == b ? 0 : match_far(t, x, 0, at - 1, at, polling, out);
    if (!count)
      count = match_far(t, b, at, at, at, polling, out);
  }
  if (!count)
    count = match_all(t, near, true, strict, out);
  return count;
}

uint32_t blame_trials(const struct blame_trace *t, uint32_t at, const struct pattern *p, struct trial out[2])
{
  if (p->kind >= PATTERN_ORDER)
    return 0;
  const struct trace_event *first = &t->events[p->event[0]], *between = &t->events[p->event[1]];
  if (t->segment[p->event[0]] == at) {
    out[0] = out[1] =
        (struct trial){.segments = at + 1, .first = between->thread, .end = {0, first->operations}, .label = at};
    return 2;
  }
  if (t->segment[p->event[0]] + 1 != at || t->segment[p->event[1]] != at)
    return 0;
  for (int i = 0; i < 2; i++)
    out[i] = (struct trial){.segments = at + 1,
                            .first = first->thread,
                            .end = {i ? 0 : first->operations, between->operations},
                            .label = at};
  return 2;
}

/* ---- orders that a passing run has the other way round ---- */

static bool is_one(const struct trace_event *a, const struct trace_event *b, enum op_kind one, enum op_kind other)
{
  return (a->op == one && b->op == other) || (a->op == other && b->op == one);
}

static bool begins_or_ends(enum op_kind op)
{
  return op_initialises(op) || op_destroys(op);
}

/* Whether it means something which of two operations on an object of synchronisation is first: of two that take a lock,
 * of a signal and the wait for it. Not of a lock and an unlock: these belong to two critical sections. */
static bool orders(const struct trace_event *a, const struct trace_event *b)
{
  if (begins_or_ends(a->op) || begins_or_ends(b->op))
    return true;
  switch (op_table[a->op].object) {
  case OBJECT_MUTEX:
  case OBJECT_SPIN:
  case OBJECT_RWLOCK:
    return op_takes_lock(a->op) && op_takes_lock(b->op);
  case OBJECT_COND:
    return is_one(a, b, OP_COND_WAIT, OP_COND_SIGNAL) || is_one(a, b, OP_COND_WAIT, OP_COND_BROADCAST);
  case OBJECT_SEM:
    return is_one(a, b, OP_SEM_WAIT, OP_SEM_POST) || is_one(a, b, OP_SEM_TRYWAIT, OP_SEM_POST) ||
           is_one(a, b, OP_SEM_TIMEDWAIT, OP_SEM_POST);
  case OBJECT_FUTEX:
    return is_one(a, b, OP_FUTEX_WAIT, OP_FUTEX_WAKE);
  case OBJECT_BARRIER:
    return a->op == b->op && a->op == OP_BARRIER_ARRIVE;
  case OBJECT_ONCE:
    return a->op == b->op && a->op == OP_ONCE_ENTER;
  default:
    return false;
  }
}

static bool conflict(const struct trace_event *a, const struct trace_event *b)
{
  if (is_access(a) != is_access(b) || a->thread == b->thread || a->op >= OP_COUNT || b->op >= OP_COUNT)
    return false;
  if (is_access(a))
    return events_overlap(a, b) && (writes(a) || writes(b));
  if (a->op == OP_PROPERTY && b->op == OP_PROPERTY)
    return property_events_meet(a->length, (uint64_t[]){a->addr, a->arg}, b->length, (uint64_t[]){b->addr, b->arg});
  return a->addr && a->addr == b->addr && op_table[a->op].object == op_table[b->op].object && orders(a, b);
}

/* What the bug is about counts most: the objects that its threads wait for, memory that was used wrongly. */
static int weight(const struct trace_event *early, const struct trace_event *late, const struct bug *bug,
                  const struct segment *before)
{
  int score = is_access(early) != (bug->kind == BUG_DEADLOCK) ? 2 : 1;
  if (is_access(late) && late->thread == before->thread && late->pc == before->pc)
    score++; /* what the switch kept it from */
  if (bug->kind == BUG_MEMORY && early->op == OP_FREE)
    score += 8;
  if (bug->kind == BUG_PROPERTY && early->op == OP_PROPERTY)
    score += early->thread == bug->party[0].thread && early->pc == bug->party[0].pc ? 16 : 8;
  for (uint32_t i = 0; i < bug->parties && i < BUG_PARTIES; i++)
    score += bug->party[i].addr && bug->party[i].addr == early->addr ? 4 : 0;
  return score * 4 + 2 * (late->thread == before->thread || early->thread == before->thread) + (early->op == late->op);
}

/* All is read from the passing run, which has accesses that the failing one did not come to; where the failing one did
 * them is known from its schedule. */
bool blame_flip(const struct blame_trace *failing, const struct blame_trace *passing, uint32_t at,
                const struct bug *bug, struct pattern *out)
{
  const struct segment *segment = schedule_segments(failing->record);
  const struct segment *before = &segment[at ? at - 1 : 0];
  size_t count = passing->count < FLIPS_MOST ? passing->count : FLIPS_MOST;
  uint32_t *there = calloc(passing->count + 1, sizeof *there);
  int best = 0;
  if (!there)
    return false;
  find_segments(passing, failing->record, UINT32_MAX, there);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = there[i] <= at ? 0 : i; k < i; k++) {
      const struct trace_event *early = &passing->events[i], *late = &passing->events[k];
      bool about_to = there[k] == UINT32_MAX && (!at || late->thread == segment[at].thread);
      bool flipped = there[i] < there[k] && (there[i] == at || there[k] == at || about_to);
      int score = flipped && conflict(early, late) ? weight(early, late, bug, before) : 0;
      if (score <= best)
        continue;
      best = score;
      *out = (struct pattern){.kind = PATTERN_EARLY, .event = {i, k, NO_EVENT, NO_EVENT}};
    }
  }
  free(there);
  return best > 0;
}
