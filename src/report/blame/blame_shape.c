/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes, see the header: first found, then told, then mended.
 */
#include "report/blame/blame_shape.h"

#include "core/footprint.h"
#include "report/blame/blame_deadlock.h"
#include "report/blame/shape_table.h"
#include "report/blame/told_part.h"
#include "report/blame/trail.h"
#include "report/story/held.h"
#include "report/story/process_words.h"
#include "report/story/select.h"
#include "report/story/terminal_text.h"
#include <stdio.h>
#include <string.h>

/* ---- signals ---- */

static size_t last_sent(const struct story *story, uint32_t thread, uint64_t signal)
{
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->op == OP_SIGNAL_SEND && e->arg == signal &&
        (SENT_TO_THREAD(e->length) == thread || SENT_TO_PROCESS(e->length)))
      return i;
  }
  return NO_EVENT;
}

/* A thread waits for a lock of its own, in a handler. */
static bool find_handler(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  if (d.kind != DEADLOCK_SELF)
    return false;
  const struct bug_party *p = &story->bug->party[d.party[0]];
  const struct trace_event *waits = left_of(story, p->thread);
  if (!waits || !waits->handling || !op_takes_lock(waits->op))
    return false;
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == p->thread && event_takes(e, waits->addr) && !e->handling) {
      *out = pattern_of(PATTERN_HANDLER, i, last_sent(story, p->thread, waits->handling), NO_EVENT, NO_EVENT);
      return true;
    }
  }
  return false;
}

/* A thread waits for a signal that was sent, and taken by a handler, before it began to. */
static bool find_missed_signal(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  if (d.kind != DEADLOCK_SIGNAL)
    return false;
  const struct bug_party *p = &story->bug->party[d.party[0]];
  const struct trace_event *sent = last_signal_to(story, p);
  if (!sent || sent->op != OP_SIGNAL_SEND)
    return false;
  *out = pattern_of(PATTERN_MISSED_SIGNAL, (size_t)(sent - story->events), NO_EVENT, NO_EVENT, NO_EVENT);
  return true;
}

/* A thread waits at a pipe or a connection whose other end nobody uses any more, but somebody still has. */
static bool find_open_end(const struct story *story, struct pattern *out)
{
  const struct deadlock d = deadlock_of(story->bug);
  *out = pattern_of(PATTERN_OPEN_END, NO_EVENT, NO_EVENT, NO_EVENT, NO_EVENT);
  return d.kind == DEADLOCK_DESCRIPTOR && story->bug->party[d.party[0]].op == OP_CHANNEL_RECEIVE &&
         story->bug->party[d.party[0]].state[0];
}

/* ---- the end of memory and of objects ---- */

static size_t find_free(const struct story *story, const struct bug_party *party)
{
  for (size_t i = story->event_count; i-- > 0;)
    if (frees_party(story->bug, &story->events[i], party))
      return i;
  return NO_EVENT;
}

static bool has_ended(const struct story *story, uint32_t thread)
{
  for (size_t i = story->event_count; i-- > 0;)
    if (story->events[i].thread == thread)
      return event_ends_thread(&story->events[i]);
  return false;
}

/* Where the thread read the pointer to the block that it uses: the last value it read that leads there. */
static size_t find_pointer(const struct story *story, const struct bug_party *party, uint32_t thread)
{
  const uintptr_t block = key_address(party->addr) - party->block_offset;
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == thread && event_reads(e) && e->has_value && e->length == sizeof(void *) && e->value >= block &&
        e->value < block + (party->block_size ? party->block_size : 1))
      return i;
  }
  return NO_EVENT;
}

/* Whether a block is one of std::shared_ptr: it ends with its count. */
static bool is_counted(const struct story *story, const struct trace_event *e)
{
  return is_called_in(story, e, "_Sp_counted") || is_called_in(story, e, "shared_count");
}

/* Whether who frees a block had counted down in it right before. */
static bool counts_down(const struct story *story, size_t freed)
{
  const struct trace_event *block = &story->events[freed];
  for (size_t i = freed; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread == block->thread && op_is_memory(e->op) && events_overlap(e, block))
      return e->op == OP_ATOMIC_RMW && e->has_value && e->value <= e->before; /* equal: the outcome is not known */
  }
  return false;
}

/* Whether a thread writes to where another one has read a pointer: it takes away what it frees. */
static bool takes_away(const struct story *story, size_t pointer, uint32_t thread)
{
  for (size_t i = 0; pointer != NO_EVENT && i < story->event_count; i++)
    if (story->events[i].thread == thread && op_writes_memory(story->events[i].op) &&
        story->events[i].addr == story->events[pointer].addr && i > pointer)
      return true;
  return false;
}

/* Memory that was freed by another thread than the one that uses it. */
static bool find_freed(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if ((bug->kind != BUG_MEMORY && bug->kind != BUG_CRASH) || !party_count(bug) || !bug->party[0].freed_pc)
    return false;
  const struct bug_party *p = &bug->party[0];
  const size_t freed = find_free(story, p);
  if (freed == NO_EVENT || story->events[freed].thread == p->thread)
    return false;
  const uint32_t by = story->events[freed].thread;
  const size_t pointer = find_pointer(story, p, p->thread), creation = find_creation(story, by, p->thread);
  enum pattern_kind kind = PATTERN_FREED;
  if (is_counted(story, &story->events[freed]))
    kind = PATTERN_FREED_COUNTED;
  else if (counts_down(story, freed))
    kind = PATTERN_UNCOUNTED;
  else if (creation != NO_EVENT && creation < freed && !has_ended(story, p->thread) && !takes_away(story, pointer, by))
    kind = PATTERN_UNJOINED;
  else if (p->op < OP_COUNT && !op_is_memory(p->op) && p->op != OP_NONE)
    kind = PATTERN_FREED_LOCK;
  *out = pattern_of(kind, freed, pointer, NO_EVENT, NO_EVENT);
  return true;
}

/* Another thread that is about to use an object, or holds it; NULL when there is none. */
static const struct trace_event *find_user(const struct story *story, uintptr_t addr, uint32_t but)
{
  for (size_t i = 0; story->left && i < story->left_count; i++)
    if (story->left[i].thread != but && (story->left[i].addr == addr || story->left[i].second == addr))
      return &story->left[i];
  for (size_t i = story->event_count; i-- > 0;)
    if (story->events[i].thread != but && story->events[i].addr == addr)
      return &story->events[i];
  return NULL;
}

/* It is destroyed while another one uses it; or was, and is used now. */
static bool find_destroyed(const struct story *story, struct pattern *out)
{
  const struct bug *bug = story->bug;
  if (bug->kind != BUG_PROPERTY || !party_count(bug))
    return false;
  const struct bug_party *p = &bug->party[0];
  for (size_t i = story->event_count; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (!op_destroys((enum op_kind)e->op) || e->addr != p->addr)
      continue;
    *out = pattern_of(PATTERN_DESTROYED, i, NO_EVENT, NO_EVENT, NO_EVENT);
    return op_destroys((enum op_kind)p->op) ? find_user(story, p->addr, e->thread) != NULL : e->thread != p->thread;
  }
  return false;
}

/* ---- values ---- */

#define TELLING 3 /* preemptions: of more, each one explains little */

/* Whether it is one that some steps around any of many preemptions look like. */
static bool is_guess(const struct story *story, const struct pattern *p)
{
  return (p->kind == PATTERN_PUBLISHED || p->kind == PATTERN_CHECK_ACT) && count_preemptions(story) > TELLING;
}

/* Whether another thread gave a word another value, then the first one again, between two accesses. */
static bool find_round_trip(const struct story *story, size_t first, size_t last, struct pattern *out)
{
  const struct trace_event *events = story->events;
  size_t away = NO_EVENT;
  for (size_t i = first + 1; i < last; i++) {
    const struct trace_event *e = &events[i];
    if (e->thread == events[first].thread || !op_writes_memory(e->op) || e->addr != events[first].addr || !e->has_value)
      continue;
    if (away == NO_EVENT && e->value != events[first].value)
      away = i;
    else if (away != NO_EVENT && e->value == events[first].value) {
      *out = pattern_of(PATTERN_ABA, first, away, i, last);
      return true;
    }
  }
  return false;
}

/* A load, then an update by the same thread, with an update by another one in between, which the preemption let in. */
static bool find_check_act_at(const struct story *story, size_t at, struct pattern *out)
{
  const struct trace_event *events = story->events;
  const uint32_t thread = events[at - 1].thread;
  for (size_t last = at; last < story->event_count; last++) {
    const struct trace_event *e = &events[last];
    if (e->thread != thread || (e->op != OP_ATOMIC_RMW && e->op != OP_ATOMIC_STORE) || !e->has_value)
      continue;
    const size_t first = access_before(story, last, thread, e);
    if (first == NO_EVENT || first >= at || events[first].op != OP_ATOMIC_LOAD || events[first].addr != e->addr)
      continue;
    if (find_round_trip(story, first, last, out) && e->op == OP_ATOMIC_RMW && e->before == events[first].value)
      return true;
    size_t between = NO_EVENT;
    for (size_t i = first + 1; i < last; i++)
      if (events[i].thread != thread && op_writes_memory(events[i].op) && events[i].addr == e->addr &&
          events[i].has_value && events[i].value != events[i].before)
        between = i;
    if (between == NO_EVENT || (e->op == OP_ATOMIC_RMW && (e->value == e->before || e->before == events[first].value)))
      continue;
    *out = pattern_of(PATTERN_CHECK_ACT, first, between, last, NO_EVENT);
    return true;
  }
  return false;
}

/* At the first preemption that has it: what goes wrong later may come of that. */
static bool find_check_act(const struct story *story, struct pattern *out)
{
  for (size_t at = next_preemption(story, 0); shows_by_value(story->bug) && at != NO_EVENT;
       at = next_preemption(story, at + 1))
    if (find_check_act_at(story, at, out) && !is_guess(story, out))
      return true;
  return false;
}

/* A flag that two threads set to the same is set. */
static bool is_same_flag(const struct trace_event *a, const struct trace_event *b)
{
  return a->length == 1 && b->length == 1 && a->value == b->value;
}

/* The last write of another thread between two accesses, if it has changed what the first of them read. */
static size_t lost_between(const struct story *story, size_t first, size_t last)
{
  const struct trace_event *events = story->events, *a = &events[first];
  for (size_t i = last; i-- > first + 1;) {
    const struct trace_event *e = &events[i];
    if (e->thread == a->thread || !op_writes_memory(e->op) || e->op == OP_FREE || !events_overlap(e, a))
      continue;
    const bool changed = e->has_value && a->has_value && e->value != a->value;
    return changed && (event_reads(&events[last]) || !is_same_flag(e, &events[last])) ? i : NO_EVENT;
  }
  return NO_EVENT;
}

/* Whether two threads have found something free and both taken it: not an update, but a check and an act. */
static bool is_claim(const struct story *story, size_t check, size_t other, size_t act)
{
  const struct trace_event *events = story->events;
  return events[check].has_value && events[other].has_value && events[act].has_value && events[check].value == 0 &&
         events[other].value == 1 && events[act].value == 1 && is_tested(story, &events[check]) &&
         !is_same_line(story, &events[check], &events[act]);
}

/* A thread was preempted between its read of some memory and its write there, and what another one wrote meanwhile is
 * lost; or between two reads of it, each under the same lock, which it gave away in between. */
static bool find_torn_at(const struct story *story, size_t at, struct pattern *out)
{
  const size_t most = 400;
  const struct trace_event *events = story->events;
  const uint32_t thread = events[at - 1].thread;
  for (size_t first = at; first-- > 0 && at - first < most;) {
    if (events[first].thread != thread || (events[first].op != OP_READ && events[first].op != OP_ATOMIC_LOAD) ||
        in_library(story, events[first].pc) || (first + 1 < at && is_repeated(story, first + 1)))
      continue;
    const size_t last = access_after(story, at, thread, &events[first]);
    if (last == NO_EVENT || access_after(story, first + 1, thread, &events[first]) != last)
      continue;
    const size_t between = lost_between(story, first, last);
    const bool writes = events[last].op == OP_WRITE || events[last].op == OP_ATOMIC_STORE;
    if (between == NO_EVENT || (!writes && !relocked(story, first, last)))
      continue;
    *out = pattern_of(writes && is_claim(story, first, between, last) ? PATTERN_CHECK_ACT
                      : writes                                        ? PATTERN_RWW
                                                                      : PATTERN_RWR,
                      first, between, last, NO_EVENT);
    return true;
  }
  return false;
}

static bool find_torn(const struct story *story, struct pattern *out)
{
  for (size_t at = next_preemption(story, 0); shows_by_value(story->bug) && at != NO_EVENT;
       at = next_preemption(story, at + 1))
    if (find_torn_at(story, at, out))
      return true;
  return false;
}

/* A critical section made two: another thread is let in between, and fails. */
static bool find_split(const struct story *story, struct pattern *out)
{
  const size_t at = last_preemption(story);
  return shows_by_value(story->bug) && at != NO_EVENT && blame_split(story, story->events[at].step, out) &&
         story->events[out->event[1]].thread == failing_thread(story);
}

/* What a thread read from another one told it that it may look at other memory, which that one was still about to
 * write. If that one has a lock meanwhile, it is nobody's business before it is unlocked: two values, read apart. */
static bool find_published(const struct story *story, struct pattern *out)
{
  if (!shows_by_value(story->bug))
    return false;
  const uint32_t thread = failing_thread(story);
  size_t looked = 0, told = NO_EVENT; /* the last such pair of reads */
  for (size_t k = 0; story->left && k < story->left_count; k++) {
    const struct trace_event *next = &story->left[k];
    if (next->thread == thread || !op_writes_memory(next->op) || next->op == OP_FREE)
      continue;
    const size_t i = find_last_read(story, thread, next);
    const size_t n = i == NO_EVENT || i <= looked ? NO_EVENT : find_told_by(story, i, next->thread);
    if (n != NO_EVENT) {
      looked = i;
      told = n;
    }
  }
  if (told == NO_EVENT)
    return false;
  const size_t source = find_source(story, told);
  *out = held_to_the_end(story, source) ? pattern_of(PATTERN_PAIR, told, source, NO_EVENT, looked)
                                        : pattern_of(PATTERN_PUBLISHED, source, told, looked, NO_EVENT);
  return true;
}

/* A thread fails before one that it created has done anything, and has read what nobody else has written. */
static bool find_not_waited(const struct story *story, struct pattern *out)
{
  if (!shows_by_value(story->bug) || last_preemption(story) != NO_EVENT)
    return false;
  const uint32_t thread = failing_thread(story);
  size_t read = story->event_count;
  while (read-- > 0)
    if (story->events[read].thread == thread && event_reads(&story->events[read]) &&
        !in_library(story, story->events[read].pc))
      break;
  if (read >= story->event_count)
    return false;
  const size_t source = find_source(story, read);
  if (source != NO_EVENT && story->events[source].thread != thread)
    return false;
  for (uint32_t t = 0; t < story->thread_count; t++) {
    const struct trace_event *next = left_of(story, t);
    const size_t creation = find_creation(story, thread, t);
    if (!next || next->op != OP_START || creation == NO_EVENT || creation > read)
      continue;
    *out = pattern_of(PATTERN_NOT_WAITED, creation, read, NO_EVENT, NO_EVENT);
    return true;
  }
  return false;
}

/* The first of a table, at the first preemption that has it. */
static bool find_in_table(const struct story *story, const struct shape *shapes, size_t count, struct pattern *out)
{
  for (size_t i = 0; i < count; i++) {
    if (shapes[i].find && shapes[i].find(story, out))
      return true;
    for (size_t at = shapes[i].find_at ? next_preemption(story, 0) : NO_EVENT; at != NO_EVENT;
         at = next_preemption(story, at + 1)) {
      struct gap gap = {.thread = story->events[at - 1].thread, .from = at, .to = at};
      while (gap.to < story->event_count && story->events[gap.to].thread != gap.thread)
        gap.to++;
      if (shapes[i].find_at(story, &gap, out))
        return true;
    }
  }
  return false;
}

static bool find_misuse(const struct story *story, struct pattern *out)
{
  return find_in_table(story, misuse_shapes, misuse_count, out);
}

static bool find_property(const struct story *story, struct pattern *out)
{
  return find_in_table(story, property_shapes, property_count, out);
}

static bool find_apart(const struct story *story, struct pattern *out)
{
  return shows_by_value(story->bug) && find_in_table(story, apart_shapes, apart_count, out);
}

/* A wait that is left without looking again. */
static bool find_stale_wake(const struct story *story, struct pattern *out)
{
  return shows_by_value(story->bug) && blame_wake(story, 0, out);
}

bool blame_shape(const struct story *story, struct pattern *out)
{
  static bool (*const finders[])(const struct story *, struct pattern *) = {
      find_property,  find_handler,    find_misuse,    find_open_end, find_missed_signal, find_freed, find_destroyed,
      find_published, find_stale_wake, find_check_act, find_torn,     find_split,         find_apart, find_not_waited};
  if (!story->bug || !story->events || !story->event_count)
    return false;
  for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++)
    if (finders[i](story, out) && !is_guess(story, out))
      return true;
  return blame_deadlock(story, out);
}

/* The shape of a table that a pattern is of, NULL when it is of none. */
static const struct shape *shape_of(const struct pattern *p)
{
  for (size_t i = 0; i < misuse_count; i++)
    if (misuse_shapes[i].kind == p->kind)
      return &misuse_shapes[i];
  for (size_t i = 0; i < apart_count; i++)
    if (apart_shapes[i].kind == p->kind)
      return &apart_shapes[i];
  for (size_t i = 0; i < property_count; i++)
    if (property_shapes[i].kind == p->kind)
      return &property_shapes[i];
  return NULL;
}

/* ---- telling ---- */

static void describe_handler_lock(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct trace_event *waits = left_of(story, story->events[p->event[0]].thread);
  struct told_part lock = part_of(story, p->event[0]);
  char signal[32], place[PLACE_SIZE];
  describe_lock_name(story, waits->addr, lock.what);
  describe_signal((int)waits->handling, signal, sizeof signal);
  describe_place(story, event_pc(story, waits), place);
  snprintf(out, n, "%s holds `%s` since %s when %s interrupts it", lock.who, lock.what, lock.where, signal);
  if (p->event[1] != NO_EVENT) {
    const struct told_part sender = part_of(story, p->event[1]);
    append(out, n, ", sent by %s at %s", sender.who, place_after(lock.where, sender.where));
  }
  append(out, n, "; the handler waits for the same lock at %s, and %s cannot go on to unlock it",
         place_after(lock.where, place), lock.who);
}

static void describe_missed_signal(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct deadlock d = deadlock_of(story->bug);
  const struct told_part sent = part_of(story, p->event[0]),
                         wait = part_of_party(story, &story->bug->party[d.party[0]]);
  snprintf(out, n, "%s sends %s at %s before %s waits for it at %s; the handler has run by then, and nothing keeps it",
           sent.who, sent.what, sent.where, wait.who, place_after(sent.where, wait.where));
}

static void describe_freed_use(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part freed = part_of(story, p->event[0]), use = part_of_party(story, &story->bug->party[0]);
  const uint16_t op = party_op(story, &story->bug->party[0]);
  out[0] = '\0';
  if (p->event[1] != NO_EVENT && p->event[1] < p->event[0]) {
    const struct told_part pointer = part_of(story, p->event[1]);
    append(out, n, "%s takes the pointer from `%s` at %s; %s frees what it points to at %s; %s uses it at %s",
           pointer.who, pointer.what, pointer.where, freed.who, place_after(pointer.where, freed.where), use.who,
           place_after(pointer.where, use.where));
    return;
  }
  append(out, n, "%s frees `%s` at %s, and then %s %s it at %s", freed.who, freed.what, freed.where, use.who,
         op == OP_NONE || op >= OP_COUNT ? "uses" : op_table[op].phrase, place_after(freed.where, use.where));
}

static void describe_destroyed(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part end = part_of(story, p->event[0]);
  const struct bug_party *party = &story->bug->party[0];
  const struct trace_event *user =
      op_destroys((enum op_kind)party->op) ? find_user(story, party->addr, story->events[p->event[0]].thread) : NULL;
  if (user) {
    const struct told_part use = part_of_event(story, user);
    snprintf(out, n, "%s destroys `%s` at %s while %s still uses it, at %s", end.who, end.what, end.where, use.who,
             place_after(end.where, use.where));
    return;
  }
  const struct told_part use = part_of_party(story, party);
  snprintf(out, n, "%s destroys `%s` at %s, and %s uses it after that, at %s", end.who, end.what, end.where, use.who,
           place_after(end.where, use.where));
}

static void describe_aba(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part first = part_of(story, p->event[0]), away = part_of(story, p->event[1]),
                         back = part_of(story, p->event[2]), last = part_of(story, p->event[3]);
  char value[VALUE_SIZE], other[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[0]], false, value);
  describe_plain_value(story, &story->events[p->event[1]], false, other);
  bool alone = story->events[p->event[1]].thread == story->events[p->event[2]].thread;
  snprintf(
      out, n,
      "%s reads `%s` at %s; %s changes it from %s to %s at %s and %s%sback to %s at %s; the compare-exchange of %s at "
      "%s finds the old value and takes it that nothing has happened",
      first.who, first.what, first.where, away.who, value, other, place_after(first.where, away.where),
      alone ? "" : back.who, alone ? "" : " ", value, place_after(first.where, back.where), last.who,
      place_after(first.where, last.where));
}

static void describe_aba_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const unsigned preemptions = count_preemptions(story);
  append(out, n, "what is compared must differ after each change: a counter beside it in the same word, %sor a lock",
         story->events[p->event[0]].length == sizeof(void *) ? "hazard pointers if it is a pointer, " : "");
  if (preemptions > TELLING)
    append(out, n, "; with %u preemptions there may be more to it, and only the lock is sure to help", preemptions);
}

static void describe_check_act(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part check = part_of(story, p->event[0]), between = part_of(story, p->event[1]),
                         act = part_of(story, p->event[2]);
  char value[VALUE_SIZE], found[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[0]], false, value);
  describe_plain_value(story, &story->events[p->event[2]], true, found);
  snprintf(out, n,
           "%s reads `%s` at %s (%s) and changes it at %s; %s has changed it in between, at %s: it is %s by then",
           check.who, check.what, check.where, value, place_after(check.where, act.where), between.who,
           place_after(check.where, between.where), found);
}

static void describe_published(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part public = part_of(story, p->event[0]), sees = part_of(story, p->event[1]),
                         reads = part_of(story, p->event[2]);
  const struct trace_event *next = left_of(story, story->events[p->event[0]].thread);
  const struct told_part late = part_of_event(story, next);
  snprintf(out, n,
           "%s writes `%s` at %s before it writes `%s` at %s; %s sees the first at %s and reads the other at %s",
           public.who, public.what, public.where, late.what, place_after(public.where, late.where), sees.who,
           place_after(public.where, sees.where), place_after(public.where, reads.where));
}

static void describe_not_waited(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part creation = part_of(story, p->event[0]), read = part_of(story, p->event[1]);
  char value[VALUE_SIZE];
  describe_plain_value(story, &story->events[p->event[1]], false, value);
  snprintf(out, n, "%s creates %s at %s and reads `%s` at %s%s%s%s before %s has run at all", creation.who,
           creation.what, creation.where, read.what, place_after(creation.where, read.where), value[0] ? " (" : "",
           value, value[0] ? ")" : "", creation.what);
}

void describe_shape(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  char waiting[SENTENCE_SIZE];
  const struct shape *shape = shape_of(p);
  if (shape) {
    shape->tell(story, p, out, n);
    return;
  }
  switch (p->kind) {
  case PATTERN_HANDLER:
    describe_handler_lock(story, p, out, n);
    return;
  case PATTERN_MISSED_SIGNAL:
    describe_missed_signal(story, p, out, n);
    return;
  case PATTERN_OPEN_END:
    describe_waiting(story, &story->bug->party[deadlock_of(story->bug).party[0]], waiting);
    snprintf(out, n, "%s", waiting);
    return;
  case PATTERN_FREED:
  case PATTERN_FREED_LOCK:
  case PATTERN_FREED_COUNTED:
  case PATTERN_UNCOUNTED:
  case PATTERN_UNJOINED:
    describe_freed_use(story, p, out, n);
    return;
  case PATTERN_DESTROYED:
    describe_destroyed(story, p, out, n);
    return;
  case PATTERN_ABA:
    describe_aba(story, p, out, n);
    return;
  case PATTERN_CHECK_ACT:
    describe_check_act(story, p, out, n);
    return;
  case PATTERN_PUBLISHED:
    describe_published(story, p, out, n);
    return;
  case PATTERN_NOT_WAITED:
    describe_not_waited(story, p, out, n);
    return;
  default:
    describe_deadlock(story, p, out, n);
  }
}

/* ---- what would forbid it ---- */

/* A lock that two threads each held at an event; 0 for none. */
static uintptr_t common_lock(const struct story *story, size_t one, size_t other)
{
  const struct held held = held_at(story, one);
  for (uint32_t i = 0; i < held.count; i++)
    if (holds_at(story, other, held.lock[i].addr))
      return held.lock[i].addr;
  return 0;
}

/* Whether an event is in a destructor, or in one that the compiler adds to it. */
static bool is_in_destructor(const struct story *story, size_t event)
{
  struct source_place place;
  return symbols_line(story->symbols, event_pc(story, &story->events[event]), &place) && place.function &&
         strstr(place.function, "::~");
}

static void describe_free_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part freed = part_of(story, p->event[0]), use = part_of_party(story, &story->bug->party[0]);
  const bool known = p->event[1] != NO_EVENT && p->event[1] < p->event[0];
  const uintptr_t lock = known ? common_lock(story, p->event[1], p->event[0]) : 0;
  char name[OBJECT_SIZE] = "";
  if (lock)
    describe_lock_name(story, lock, name);
  if (name[0])
    append(out, n,
           "%s reads the pointer with `%s` locked and unlocks before its last use: it must keep the lock until then, "
           "or make "
           "a copy under it and use that; or the users are counted, and the last one frees it",
           use.who, name);
  else if (known)
    append(
        out, n,
        "%s must hold a lock from reading `%s` to its last use of what that points to, and %s must take the same lock "
        "to free it; or the users are counted, and the last one frees it",
        use.who, part_of(story, p->event[1]).what, freed.who);
  else
    append(out, n, "%s must not free it before %s is done with it: count the users, and let the last one free it",
           freed.who, use.who);
}

/* The one step that does both: by what the act is. */
static void describe_check_act_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct trace_event *act = &story->events[p->event[2]];
  const struct told_part check = part_of(story, p->event[0]), other = part_of(story, p->event[1]);
  if (!op_is_atomic(act->op))
    append(out, n,
           "one lock around the check and the act, which %s takes too for its own; or one atomic step for both (an "
           "exchange that tells who was first)",
           strcmp(check.who, other.who) ? other.who : "the other");
  else if (act->op == OP_ATOMIC_STORE && act->value == 0)
    append(out, n,
           "one atomic step: an exchange, which returns what was there and writes the new value; or one lock "
           "around both");
  else
    append(out, n,
           "one atomic step: a loop with compare-exchange that checks the value it replaces, or one lock around "
           "both");
}

/* What is claimed by a compare-exchange is public with that: it cannot come last. */
static void describe_published_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct told_part public = part_of(story, p->event[0]), reads = part_of(story, p->event[2]);
  if (story->events[p->event[0]].op == OP_ATOMIC_RMW)
    append(
        out, n,
        "%s must claim `%s` with a value that no reader looks for, write `%s`, and only then write the real `%s` (with "
        "a release store)",
        public.who, public.what, reads.what, public.what);
  else
    append(out, n, "%s must write `%s` last, when all that it leads to is there (and with a release store)", public.who,
           public.what);
}

/* What would forbid those for which it is always the same. */
static const char *const remedies[PATTERN_KINDS] = {
    [PATTERN_HANDLER] =
        ("a handler must take no lock: let it set a volatile sig_atomic_t or write to a pipe; or block the signal "
         "(pthread_sigmask) while the lock is held"),
    [PATTERN_MISSED_SIGNAL] =
        ("block the signal before the check and wait with sigsuspend(), which unblocks it and waits in one step (or "
         "sigwait(), ppoll(), a signalfd)"),
    [PATTERN_OPEN_END] =
        ("who reads sees the end only when every copy of the other end is closed: close it where the writing is done, "
         "and after fork() in each process that does not write"),
    [PATTERN_FREED_LOCK] =
        ("a lock inside of the block cannot protect its end: count the users outside of it (an atomic counter, taken "
         "before the pointer is handed on), use a lock that outlives the block, or let who frees it wait for those who "
         "use it"),
    [PATTERN_FREED_COUNTED] =
        ("the counts of a shared_ptr are atomic, the pointer itself is not: std::atomic<std::shared_ptr<T>>, or one "
         "lock around each copy and each assignment of it"),
};

void describe_shape_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  struct told_part part;
  out[0] = '\0';
  const struct shape *shape = shape_of(p);
  if (shape && shape->mend) {
    shape->mend(story, p, out, n);
    return;
  }
  const char *remedy = shape ? shape->remedy : p->kind < PATTERN_KINDS ? remedies[p->kind] : NULL;
  if (remedy) {
    append(out, n, "%s", remedy);
    return;
  }
  switch (p->kind) {
  case PATTERN_FREED:
    describe_free_remedy(story, p, out, n);
    return;
  case PATTERN_UNCOUNTED:
    part = part_of_party(story, &story->bug->party[0]);
    append(out, n,
           "%s must be counted before %s can drop the last reference: where the pointer is handed on, not where it "
           "is used",
           part.who, part_of(story, p->event[0]).who);
    return;
  case PATTERN_UNJOINED:
    part = part_of_party(story, &story->bug->party[0]);
    append(out, n, "%s must wait for the end of %s (join it) before it frees what %s uses%s",
           part_of(story, p->event[0]).who, part.who, part.who,
           is_in_destructor(story, p->event[0])
               ? "; members are destroyed in the reverse order of their declaration, so a thread must be declared last"
               : "");
    return;
  case PATTERN_DESTROYED:
    part = part_of(story, p->event[0]);
    append(out, n, "%s must know that nobody uses it any more: join those threads first, or count the users", part.who);
    return;
  case PATTERN_PUBLISHED:
    describe_published_remedy(story, p, out, n);
    return;
  case PATTERN_ABA:
    describe_aba_remedy(story, p, out, n);
    return;
  case PATTERN_CHECK_ACT:
    describe_check_act_remedy(story, p, out, n);
    return;
  case PATTERN_NOT_WAITED:
    part = part_of(story, p->event[0]);
    append(out, n, "if %s is to write it, %s must wait for that: join it, or wait on a condition that it signals",
           part.what, part.who);
    return;
  case PATTERN_RWW:
  case PATTERN_RWR:
    describe_triple_remedy(story, p, out, n);
    return;
  default:
    describe_deadlock_remedy(story, p, out, n);
  }
}
