/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of a trace matter. Every event gets a score; the highest are told.
 *
 * The argument behind the scores: a bug of interleaving is almost always two accesses of one thread to the same place
 * with another thread's access in between (a triple), most of all when the thread was preempted there; then come the
 * objects the report itself names; then the way the values took that the failing thread saw last. The numbers only
 * order these groups, with room for a bonus inside of each.
 */
#include "report/story/select.h"

#include <stdlib.h>
#include <string.h>

enum {
  SCORE_HOLDER = 90, /* where the lock that others wait for was taken */
  SCORE_PARTY = 90,  /* the accesses the report names */
  SCORE_LOST = 60,   /* triples, by kind */
  SCORE_CHANGED = 40,
  SCORE_SEEN = 25,
  BONUS_PREEMPTED = 25,
  BONUS_CONCERNED = 25,
  SCORE_OBJECT = 50,  /* operations on the bug's own objects */
  SCORE_MEETING = 45, /* waits, wake-ups, barriers of a run that ends with a wrong value */
  SCORE_LAST = 50,    /* the last event */
  SCORE_FLOW = 30,    /* values handed from thread to thread through concerned memory */
  SCORE_HANDED = 16,  /* values merely handed over: written first, then only read */
  SCORE_TAIL = 22,    /* last events of the failing thread */
  SCORE_SWITCH = 15,  /* around preemptions */
  SCORE_FRAME = 2,    /* threads that come and go */
  SCORE_EVENT = 15,   /* the program's own events and choices */
  SCORE_LEAST = 20,   /* below this an event is dropped when there are triples or objects */
  CONCERNED_MAX = 24,
  FLOW_MAX = 8,    /* last ones, for each place */
  OBJECT_MAX = 6,  /* last ones, over all objects */
  MEETING_MAX = 5, /* last ones */
  SWITCH_MAX = 8,
  ENDS_MAX = 2,
  TAIL = 6,
  HANG_TAIL = 4,
  FILES_MAX = 8,
  DECISIVE_MOST = 4
};

struct access {
  uintptr_t addr;
  size_t event;
};

struct chooser {
  const struct bug *bug;
  const struct trace_event *events;
  size_t end;
  uint8_t *score;
  uintptr_t concerned[CONCERNED_MAX]; /* memory the bug is about */
  size_t concerned_count;
  const struct insight *insight;
  struct selection *out;
};

static bool is_dull(const struct chooser *c, const struct trace_event *e)
{
  return c->insight && c->insight->is_dull(c->insight->context, e);
}

static void raise_score(struct chooser *c, size_t event, int score)
{
  if (score > 255)
    score = 255;
  if (c->score[event] < score)
    c->score[event] = (uint8_t)score;
}

static void concern(struct chooser *c, uintptr_t addr)
{
  for (size_t i = 0; i < c->concerned_count; i++)
    if (c->concerned[i] == addr)
      return;
  if (addr && c->concerned_count < CONCERNED_MAX)
    c->concerned[c->concerned_count++] = addr;
}

static bool is_concerned(const struct chooser *c, uintptr_t addr)
{
  for (size_t i = 0; i < c->concerned_count; i++)
    if (c->concerned[i] == addr)
      return true;
  return false;
}

static uint32_t failing_thread(const struct chooser *c)
{
  return c->bug->parties ? c->bug->party[0].thread : c->events[c->end - 1].thread;
}

/* The bug's own memory, and what the failing thread looked at last. */
static void find_concerned(struct chooser *c)
{
  const uint32_t thread = failing_thread(c);
  for (uint32_t i = 0; i < c->bug->parties && i < BUG_PARTIES; i++)
    concern(c, c->bug->party[i].addr);
  if (c->bug->kind == BUG_DEADLOCK || c->bug->kind == BUG_RACE || c->bug->kind == BUG_LEAK)
    return; /* these know their objects */
  size_t seen = 0;
  for (size_t i = c->end; i > 0 && seen < TAIL; i--) {
    const struct trace_event *e = &c->events[i - 1];
    if (e->thread != thread || e->op == OP_START || e->op == OP_EXIT || e->op == OP_CREATE || is_dull(c, e))
      continue;
    if (op_is_memory(e->op))
      concern(c, e->addr);
    raise_score(c, i - 1, seen < 2 ? SCORE_TAIL : SCORE_TAIL - 4);
    seen += !(e->marks & TRACE_UNSHARED); /* comes on top of the others */
  }
}

/* ---- triples ---- */

static bool reads(const struct trace_event *e)
{
  return e->op == OP_READ || e->op == OP_ATOMIC_LOAD;
}

/* Whether the thread of an event was preempted before it went on. */
static bool preempted_after(const struct chooser *c, size_t event)
{
  for (size_t i = event + 1; i < c->end; i++)
    if (c->events[i].thread != c->events[event].thread)
      return c->events[i].switched == 2;
  return false;
}

/* Of two equals the later one is nearer to the bug. */
static bool lighter(const struct triple *a, const struct triple *b)
{
  return a->weight != b->weight ? a->weight < b->weight : a->last < b->last;
}

static void keep_triple(struct chooser *c, const struct triple *t)
{
  struct selection *out = c->out;
  if (out->triple_count < TRIPLES_MAX) {
    out->triple[out->triple_count++] = *t;
    return;
  }
  struct triple *lightest = &out->triple[0];
  for (size_t i = 1; i < TRIPLES_MAX; i++)
    if (lighter(&out->triple[i], lightest))
      lightest = &out->triple[i];
  if (lighter(lightest, t))
    *lightest = *t;
}

static void weigh_triple(struct chooser *c, enum triple_kind kind, size_t first, size_t between, size_t last)
{
  static const int base[] = {[LOST_UPDATE] = SCORE_LOST,
                             [CHANGED_READ] = SCORE_CHANGED,
                             [OVERWRITTEN] = SCORE_CHANGED,
                             [SEEN_BETWEEN] = SCORE_SEEN};
  struct triple t = {.kind = kind, .first = first, .between = between, .last = last, .weight = base[kind]};
  if (c->bug->kind == BUG_DEADLOCK && !preempted_after(c, first))
    return; /* waiting threads see changes, that is what they wait for */
  if (preempted_after(c, first))
    t.weight += BONUS_PREEMPTED;
  else
    t.weight /= 2; /* it stopped by itself: most likely between two critical sections */
  if (is_concerned(c, c->events[first].addr))
    t.weight += BONUS_CONCERNED;
  keep_triple(c, &t);
}

/* The accesses between two consecutive ones of a thread, all to one place: which of them disturbs? */
static void find_triple(struct chooser *c, const struct access *accesses, size_t first, size_t last)
{
  const struct trace_event *a = &c->events[accesses[first].event], *b = &c->events[accesses[last].event];
  const bool first_reads = reads(a), last_writes = b->op == OP_WRITE || b->op == OP_ATOMIC_STORE;
  for (size_t i = last; i-- > first + 1;) {
    const struct trace_event *e = &c->events[accesses[i].event];
    const bool writes = op_writes_memory(e->op);
    if (writes && first_reads && last_writes) {
      weigh_triple(c, LOST_UPDATE, accesses[first].event, accesses[i].event, accesses[last].event);
      return;
    }
    if (writes && !last_writes) {
      weigh_triple(c, first_reads ? CHANGED_READ : OVERWRITTEN, accesses[first].event, accesses[i].event,
                   accesses[last].event);
      return;
    }
    if (!writes && !first_reads && last_writes) {
      weigh_triple(c, SEEN_BETWEEN, accesses[first].event, accesses[i].event, accesses[last].event);
      return;
    }
  }
}

static bool is_write(const struct chooser *c, const struct access *access)
{
  return op_writes_memory(c->events[access->event].op);
}

/* What a write goes over: the access of another thread before it, unless its own thread wrote in between; or
 * SIZE_MAX. */
static size_t before_write(const struct chooser *c, const struct access *accesses, size_t at)
{
  const uint32_t thread = c->events[accesses[at].event].thread;
  for (size_t i = at; i-- > 0;) {
    if (c->events[accesses[i].event].thread != thread)
      return i;
    if (is_write(c, &accesses[i]))
      break;
  }
  return SIZE_MAX;
}

/* Values that went from one thread to another through concerned memory: the last few. A read has its value from the
 * last write before it. */
static void follow_flow(struct chooser *c, const struct access *accesses, size_t count, int score)
{
  size_t told = 0, written = count; /* behind the last write before i */
  for (size_t i = count; i-- > 1 && told < FLOW_MAX;) {
    written = written < i ? written : i;
    while (written > 0 && !is_write(c, &accesses[written - 1]))
      written--;
    size_t source = is_write(c, &accesses[i]) ? before_write(c, accesses, i) : written - 1; /* or SIZE_MAX */
    if (source == SIZE_MAX || c->events[accesses[source].event].thread == c->events[accesses[i].event].thread)
      continue;
    raise_score(c, accesses[source].event, score);
    raise_score(c, accesses[i].event, score);
    told++;
  }
}

/* Whether anyone writes after another thread was there. What is written first and only read later, such as the
 * arguments of new threads, is just handed over, which is of interest only when nothing else is. */
static bool is_contended(const struct chooser *c, const struct access *accesses, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (c->events[accesses[i].event].thread != c->events[accesses[0].event].thread)
      for (; i < count; i++)
        if (op_writes_memory(c->events[accesses[i].event].op))
          return true;
  return false;
}

/* All accesses to one place, in order. */
static void look_at_place(struct chooser *c, const struct access *accesses, size_t count)
{
  const size_t window = 64; /* accesses of others between two of one thread: beyond, the two have little in common */
  bool shared = false, written = false;
  if (c->bug->kind == BUG_RACE && !is_concerned(c, accesses[0].addr))
    return;
  for (size_t i = 0; i < count; i++) {
    shared |= c->events[accesses[i].event].thread != c->events[accesses[0].event].thread;
    written |= op_writes_memory(c->events[accesses[i].event].op);
  }
  if (!shared || !written)
    return;
  for (size_t last = 2; last < count; last++) {
    const uint32_t thread = c->events[accesses[last].event].thread;
    for (size_t first = last; first-- > 0 && last - first <= window;) {
      if (c->events[accesses[first].event].thread != thread)
        continue;
      if (last - first > 1)
        find_triple(c, accesses, first, last);
      break;
    }
  }
  if (is_concerned(c, accesses[0].addr))
    follow_flow(c, accesses, count, is_contended(c, accesses, count) ? SCORE_FLOW : SCORE_HANDED);
}

/* The three, and what the disturbing thread did to the place before it disturbed. */
static void score_triple(struct chooser *c, const struct triple *t)
{
  unsigned told = 0;
  raise_score(c, t->first, t->weight);
  raise_score(c, t->between, t->weight);
  raise_score(c, t->last, t->weight);
  for (size_t i = t->between; i-- > t->first + 1 && told < 3;) {
    const struct trace_event *e = &c->events[i];
    if (e->addr != c->events[t->first].addr || e->thread != c->events[t->between].thread || !op_is_memory(e->op))
      continue;
    raise_score(c, i, t->weight);
    told++;
  }
}

static int by_place(const void *a, const void *b)
{
  const struct access *left = a, *right = b;
  if (left->addr != right->addr)
    return left->addr < right->addr ? -1 : 1;
  return left->event < right->event ? -1 : left->event > right->event;
}

static bool look_at_memory(struct chooser *c)
{
  size_t count = 0;
  struct access *accesses = calloc(c->end, sizeof *accesses);
  if (!accesses)
    return false;
  for (size_t i = 0; i < c->end; i++)
    if (op_is_memory(c->events[i].op))
      accesses[count++] = (struct access){.addr = c->events[i].addr, .event = i};
  qsort(accesses, count, sizeof *accesses, by_place);
  for (size_t start = 0, i = 1; i <= count; i++) {
    if (i < count && accesses[i].addr == accesses[start].addr)
      continue;
    look_at_place(c, accesses + start, i - start);
    start = i;
  }
  free(accesses);
  for (size_t i = 0; i < c->out->triple_count; i++)
    score_triple(c, &c->out->triple[i]);
  return true;
}

/* ---- the rest ---- */

/* The coming and going of threads goes without saying. */
static bool is_frame(const struct trace_event *e)
{
  return e->op == OP_START || e->op == OP_EXIT || e->op == OP_CREATE || e->op == OP_JOIN;
}

static void look_at_objects(struct chooser *c)
{
  size_t told = 0;
  for (size_t i = c->end; i-- > 0;) {
    const struct trace_event *e = &c->events[i];
    for (uint32_t k = 0; k < c->bug->parties && k < BUG_PARTIES; k++) {
      const struct bug_party *p = &c->bug->party[k];
      const bool same = p->addr && (e->addr == p->addr || e->second == p->addr);
      if (!same || op_is_memory(e->op) || op_is_memory(p->op) || op_initialises((enum op_kind)e->op))
        continue;
      if (p->holder >= 0 && e->thread == (uint32_t)p->holder && e->pc == p->holder_pc)
        raise_score(c, i, SCORE_HOLDER);
      else if (told++ < OBJECT_MAX)
        raise_score(c, i, SCORE_OBJECT);
      break;
    }
  }
}

static bool is_meeting(const struct trace_event *e)
{
  switch (e->op) {
  case OP_COND_WAIT:
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
  case OP_BARRIER_ARRIVE:
  case OP_BARRIER_LEAVE:
    return true;
  default:
    return false;
  }
}

/* Where threads wait for each other: most wrong values come of what they take for granted behind that. */
static void look_at_meetings(struct chooser *c)
{
  size_t told = 0;
  for (size_t i = c->end; i-- > 0 && told < MEETING_MAX && c->bug->kind == BUG_ASSERTION;)
    if (is_meeting(&c->events[i])) {
      raise_score(c, i, SCORE_MEETING);
      told++;
    }
}

/* A read by who has read or written the same before, and nobody has written it since, tells nothing new. */
static void drop_repeated(struct chooser *c)
{
  const size_t near = 64;
  for (size_t i = c->end - 1; i-- > 0;) {
    const struct trace_event *e = &c->events[i];
    if (!c->score[i] || c->score[i] >= SCORE_LAST || !reads(e))
      continue;
    for (size_t k = i; k-- > 0 && i - k < near;) {
      const struct trace_event *before = &c->events[k];
      if (before->addr != e->addr || !op_is_memory(before->op))
        continue;
      if (before->thread == e->thread && before->length == e->length) {
        if (c->score[k] && before->pc != e->pc) /* those of one place are told as one */
          c->score[i] = 0;
        break;
      }
      if (op_writes_memory(before->op))
        break;
    }
  }
}

/* The first write of another thread to what an event read, after it; end when there is none. */
static size_t changed_after(const struct chooser *c, size_t event)
{
  for (size_t i = event + 1; i < c->end; i++)
    if (c->events[i].addr == c->events[event].addr && op_writes_memory(c->events[i].op) &&
        c->events[i].thread != c->events[event].thread)
      return i;
  return c->end;
}

/* A thread that waits in vain has looked before it began to wait: at something that changed after it looked? */
static void look_at_predicate(struct chooser *c, const struct bug_party *p)
{
  const size_t most = 2000;
  size_t wait = c->end, told = 0;
  while (wait-- > 0)
    if (c->events[wait].thread == p->thread && c->events[wait].op == OP_COND_WAIT && c->events[wait].addr == p->addr)
      break;
  for (size_t i = wait; wait < c->end && i-- > 0 && wait - i < most && told < 3;) {
    const struct trace_event *e = &c->events[i];
    if (e->thread != p->thread)
      continue;
    if (e->op == OP_COND_WAKE || (e->op == OP_MUTEX_LOCK && e->addr == c->events[wait].second))
      return;
    const size_t change = reads(e) ? changed_after(c, i) : c->end;
    if (change == c->end)
      continue;
    raise_score(c, i, SCORE_PARTY);
    raise_score(c, change, SCORE_PARTY);
    told++;
  }
}

/* A thread that waits for a signal in vain: the one that came too early, what the thread did before, and its handler.
 */
static void look_at_signal(struct chooser *c, const struct bug_party *p)
{
  const struct trace_event *sent = c->insight ? c->insight->last_signal(c->insight->context, p) : NULL;
  if (!sent || sent < c->events || sent >= c->events + c->end)
    return;
  const size_t at = (size_t)(sent - c->events);
  raise_score(c, at, SCORE_PARTY);
  size_t before = at, handler = at + 1;
  while (before > 0 && c->events[before - 1].thread != p->thread)
    before--;
  while (handler < c->end && !(c->events[handler].thread == p->thread && c->events[handler].handling))
    handler++;
  if (before > 0 && !is_frame(&c->events[before - 1]))
    raise_score(c, before - 1, SCORE_OBJECT);
  if (handler < c->end)
    raise_score(c, handler, SCORE_OBJECT);
}

static void look_at_waits(struct chooser *c)
{
  for (uint32_t k = 0; k < c->bug->parties && k < BUG_PARTIES; k++) {
    const struct bug_party *p = &c->bug->party[k];
    if (p->op < OP_COUNT && op_table[p->op].object == OBJECT_COND)
      look_at_predicate(c, p);
    else if (p->op == OP_SIGNAL_WAIT)
      look_at_signal(c, p);
  }
}

/* Other processes that were gone by then. */
static void look_at_ends(struct chooser *c)
{
  size_t told = 0;
  for (size_t i = c->end; i-- > 0 && told < ENDS_MAX;)
    if (c->events[i].op == OP_PROCESS_END && !c->events[i].arg && c->events[i].thread != failing_thread(c)) {
      raise_score(c, i, SCORE_SWITCH);
      told++;
    }
}

/* What a timer did last may be what nobody reckoned with. */
static void look_at_clock(struct chooser *c)
{
  for (size_t i = c->end; i-- > 0;)
    if (c->events[i].op == OP_EXPIRE) {
      raise_score(c, i, SCORE_SWITCH);
      return;
    }
}

bool frees_party(const struct bug *bug, const struct trace_event *event, const struct bug_party *party)
{
  const bool is_bug =
      bug->kind != BUG_RACE && party->op == OP_FREE && event->step == bug->step && event->thread == party->thread;
  return event->op == OP_FREE && !is_bug && party->freed_pc && event->pc == party->freed_pc &&
         event->addr <= party->addr && party->addr - event->addr < event->length;
}

/* The last time each party did what the report says of it: the sides of a race. And who freed its memory. */
static void look_at_parties(struct chooser *c)
{
  for (uint32_t k = 0; k < c->bug->parties && k < BUG_PARTIES; k++) {
    const struct bug_party *p = &c->bug->party[k];
    bool told = false, freed = false;
    for (size_t i = c->end; i-- > 0 && !(told && (freed || !p->freed_pc));) {
      const struct trace_event *e = &c->events[i];
      const bool acts = !told && e->thread == p->thread && e->pc == p->pc && e->addr == p->addr && op_is_memory(e->op);
      const bool frees = !freed && frees_party(c->bug, e, p);
      if (acts || frees)
        raise_score(c, i, SCORE_PARTY);
      told |= acts;
      freed |= frees;
    }
  }
}

/* The event that shows what a thread was let run for: not its first plain read when more follows at once. */
static size_t telling(const struct chooser *c, size_t event)
{
  const size_t near = 5;
  for (size_t i = event; i < c->end && i < event + near && c->events[i].thread == c->events[event].thread; i++)
    if (c->events[i].op != OP_READ && !is_frame(&c->events[i]))
      return i;
  return event;
}

/* Whether the event of a property is one of what the bug is about, if that is a property. What no monitor has read has
 * no text. */
static bool is_of_property(const struct chooser *c, const struct trace_event *e)
{
  if (e->op != OP_PROPERTY || !e->text[0])
    return false;
  bool told = c->bug->kind != BUG_PROPERTY || !c->bug->detail;
  for (uint32_t i = 0; !told && i < c->bug->parties && i < BUG_PARTIES; i++) {
    const char *name = strstr(c->bug->party[i].what, " of ");
    const char *own = strstr(e->text, " of ");
    told = name && own && strncmp(name, own, strlen(name)) == 0;
  }
  return told;
}

static void look_at_switches(struct chooser *c)
{
  size_t told = 0;
  for (size_t i = c->end; i-- > 1 && told < SWITCH_MAX;) {
    if (c->events[i].switched != 2)
      continue;
    raise_score(c, telling(c, i), is_frame(&c->events[telling(c, i)]) ? SCORE_FRAME : SCORE_SWITCH);
    raise_score(c, i - 1, is_frame(&c->events[i - 1]) ? SCORE_FRAME : SCORE_SWITCH);
    told++;
  }
  for (size_t i = 0; i < c->end; i++)
    if (c->events[i].op == OP_EVENT || c->events[i].op == OP_CHOOSE || is_of_property(c, &c->events[i]))
      raise_score(c, i, SCORE_EVENT);
  for (size_t i = c->end; i-- > 0 && c->bug->kind == BUG_HANG && c->end - i <= HANG_TAIL;)
    raise_score(c, i, is_frame(&c->events[i]) ? SCORE_FRAME : SCORE_TAIL);
  if (c->bug->kind != BUG_DEADLOCK && c->bug->kind != BUG_RACE && c->bug->kind != BUG_LEAK &&
      !(c->bug->kind == BUG_HANG && is_frame(&c->events[c->end - 1])))
    raise_score(c, c->end - 1, SCORE_LAST);
}

/* What the mistake consists of. Only where the events are those that were looked at. */
static void look_at_mistake(struct chooser *c)
{
  const size_t *at = c->insight ? c->insight->decisive : NULL;
  for (size_t i = 0; at && i < DECISIVE_MOST && at[i] < c->end; i++)
    raise_score(c, at[i], SCORE_PARTY);
}

/* The file that a system call is on, as the trace has it: "write(journal)". Empty for none. */
static const char *subject_of(const struct trace_event *e)
{
  const char *open = e->op == OP_SYSTEM ? memchr(e->text, '(', sizeof e->text) : NULL;
  return open && open[1] != ')' ? open : "";
}

/* What others did to the files that the failing thread used last: their calls, but for coming and going. */
static void look_at_files(struct chooser *c)
{
  const char *files[FILES_MAX];
  size_t count = 0, told = 0;
  for (size_t i = c->end; i-- > 0 && count < FILES_MAX && c->bug->kind != BUG_RACE;)
    if (c->events[i].thread == failing_thread(c) && *subject_of(&c->events[i]))
      files[count++] = subject_of(&c->events[i]);
  for (size_t i = c->end; i-- > 0 && told < FLOW_MAX;) {
    const struct trace_event *e = &c->events[i];
    const char *subject = subject_of(e);
    bool same = false;
    for (size_t k = 0; k < count && *subject; k++)
      same |= strcmp(subject, files[k]) == 0;
    if (!same || !strncmp(e->text, "close", 5) || !strncmp(e->text, "open", 4) || e->thread == failing_thread(c))
      continue;
    raise_score(c, i, SCORE_FLOW);
    told++;
  }
}

static void drop_dull(struct chooser *c)
{
  for (size_t i = 0; i < c->end; i++)
    if (c->score[i] && is_dull(c, &c->events[i]))
      c->score[i] = 0;
}

struct cutoff {
  int whole;   /* all events of at least this score are told, */
  int part;    /* of this one only the last ones, -1 for none, */
  size_t room; /* so many */
};

static struct cutoff find_cutoff(const struct chooser *c, size_t limit)
{
  size_t with[256] = {0};
  int best = 0;
  for (size_t i = 0; i < c->end; i++) {
    with[c->score[i]]++;
    best = c->score[i] > best ? c->score[i] : best;
  }
  const int least = best > SCORE_LAST ? SCORE_LEAST : 1;
  int score = 255;
  for (; score >= least && with[score] <= limit; score--)
    limit -= with[score];
  return (struct cutoff){.whole = score + 1, .part = score >= least ? score : -1, .room = limit};
}

static bool collect(struct chooser *c, size_t limit)
{
  struct selection *out = c->out;
  struct cutoff cutoff = find_cutoff(c, limit);
  out->event = calloc(limit + 1, sizeof *out->event);
  if (!out->event)
    return false;
  for (size_t i = c->end; i-- > 0;) {
    const bool in_part = c->score[i] == cutoff.part && cutoff.room > 0;
    if (c->score[i] >= cutoff.whole || in_part)
      out->event[out->count++] = i;
    cutoff.room -= in_part;
  }
  for (size_t i = 0; i < out->count / 2; i++) {
    const size_t swap = out->event[i];
    out->event[i] = out->event[out->count - 1 - i];
    out->event[out->count - 1 - i] = swap;
  }
  return true;
}

static size_t end_of(const struct bug *bug, const struct trace_event *events, size_t count)
{
  while (bug->step && count > 0 && events[count - 1].step > bug->step)
    count--;
  return count;
}

bool select_events(const struct bug *bug, const struct trace_event *events, size_t count, size_t limit,
                   const struct insight *insight, struct selection *out)
{
  *out = (struct selection){.end = events ? end_of(bug, events, count) : 0};
  if (out->end == 0)
    return true;
  struct chooser c = {.bug = bug, .events = events, .end = out->end, .insight = insight, .out = out};
  c.score = calloc(c.end, 1);
  bool done = c.score != NULL;
  if (done) {
    find_concerned(&c);
    done = look_at_memory(&c);
    look_at_objects(&c);
    look_at_waits(&c);
    look_at_parties(&c);
    look_at_ends(&c);
    look_at_clock(&c);
    look_at_switches(&c);
    look_at_meetings(&c);
    look_at_files(&c);
    drop_dull(&c);
    drop_repeated(&c);
    look_at_mistake(&c);
    done = done && collect(&c, limit);
  }
  free(c.score);
  if (!done)
    selection_free(out);
  return done;
}

void selection_free(struct selection *selection)
{
  free(selection->event);
  *selection = (struct selection){0};
}
