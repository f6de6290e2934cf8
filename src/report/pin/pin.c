/* SPDX-License-Identifier: Apache-2.0
 *
 * From a trace to orderings; see pin.h.
 */
#include "report/pin/pin.h"
#include "core/operation.h"
#include "file/input_file.h"
#include "report/blame/trail.h"
#include "report/pin/pin_names.h"
#include "report/pin/pin_split.h"
#include "report/story/moment.h"
#include "report/story/story_words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pin_cannot(struct pin *p, const char *why)
{
  if (!p->problem[0])
    snprintf(p->problem, sizeof p->problem, "%s", why);
  return false;
}

const struct trace_event *pin_trace_event(const struct pin *p, size_t operation)
{
  const struct story *s = p->story;
  return operation < s->event_count ? &s->events[operation] : &s->left[operation - s->event_count];
}

/* ---- what operations touch ---- */

static void add_touch(struct pin_operation *o, enum object_kind kind, uintptr_t from, uint64_t length, bool changes)
{
  o->touch[o->touches++] = (struct pin_touch){kind, from, from + (length ? length : 1), changes};
}

static void find_touches(const struct trace_event *e, struct pin_operation *o)
{
  const enum object_kind kind = op_table[e->op].object;
  if (op_is_memory(e->op)) {
    add_touch(o, OBJECT_MEMORY, e->addr, e->length, e->op == OP_FREE || op_writes_memory(e->op));
  } else if (kind != OBJECT_NOTHING && kind != OBJECT_THREAD && e->addr) {
    add_touch(o, kind, e->addr, 1, !op_only_looks(e->op));
    if (op_has_address(e->op))
      add_touch(o, OBJECT_MEMORY, e->addr, 1, false); /* that must not be freed */
    if (e->second && kind == OBJECT_COND)
      add_touch(o, OBJECT_MUTEX, e->second, 1, true);
  }
}

/* The second half of a call that waits: nothing can stand before it. */
static bool ends_wait(enum op_kind op)
{
  return op == OP_COND_WAKE || op == OP_COND_TIMEDWAKE || op == OP_BARRIER_LEAVE || op == OP_FUTEX_BLOCK ||
         op == OP_FUTEX_TIMEDBLOCK;
}

/* The first: nothing can stand behind it. */
static bool begins_wait(enum op_kind op)
{
  return op == OP_COND_WAIT || op == OP_BARRIER_ARRIVE || op == OP_FUTEX_WAIT;
}

/* The operation, from 1, of the thread that another one, or nobody, must come before; 0: none. */
static size_t find_before(const struct pin *p, size_t from, enum op_kind op, uint32_t thread, bool of_thread)
{
  while (from-- > 0) {
    const struct trace_event *e = pin_trace_event(p, from);
    if (e->op == op && (of_thread ? e->thread == thread : e->arg == thread))
      return from + 1;
  }
  return 0;
}

static size_t find_step(const struct pin *p, size_t from, uint64_t step)
{
  while (step && from-- > 0)
    if (pin_trace_event(p, from)->step == step)
      return from + 1;
  return 0;
}

static size_t find_followed(const struct pin *p, size_t of)
{
  const struct trace_event *e = pin_trace_event(p, of);
  if (e->op == OP_START)
    return find_before(p, of, OP_CREATE, e->thread, false);
  if (e->op == OP_JOIN)
    return find_before(p, of, OP_EXIT, (uint32_t)e->arg, true);
  return ends_wait(e->op) ? find_step(p, of, e->woken_by) : 0;
}

static bool find_operations(struct pin *p)
{
  const struct story *s = p->story;
  p->operations = s->event_count + s->left_count;
  if (!s->events || s->event_total > s->event_count || p->operations > PIN_EVENTS_MOST)
    return pin_cannot(p, "its execution is too long");
  p->operation = calloc(p->operations + 1, sizeof *p->operation);
  p->spot = calloc(p->operations + 1, sizeof *p->spot);
  if (!p->operation || !p->spot)
    return pin_cannot(p, "there is no memory");
  for (size_t i = 0; i < p->operations; i++) {
    const struct trace_event *e = pin_trace_event(p, i);
    struct pin_operation *o = &p->operation[i];
    o->thread = e->thread < s->thread_count ? e->thread : 0;
    o->left = i >= s->event_count;
    if (e->op >= OP_COUNT)
      continue;
    find_touches(e, o);
    o->follows = i < s->event_count ? find_followed(p, i) : 0;
  }
  return true;
}

/* ---- which of them count ---- */

static bool touches_told(const struct pin *p, const struct story_step *steps, size_t count, size_t operation)
{
  const struct pin_operation *o = &p->operation[operation];
  for (size_t i = 0; i < count; i++)
    for (size_t k = steps[i].event; k <= steps[i].last && k < p->story->event_count; k++) {
      struct pin_operation told = p->operation[k];
      for (uint32_t t = 0; t < told.touches; t++)
        told.touch[t].changes = true; /* the same object is enough */
      if (pin_conflict(&told, o))
        return true;
    }
  return false;
}

static void choose_operations(struct pin *p, bool whole)
{
  size_t count = 0;
  struct story_step *steps = whole ? NULL : story_steps(p->story, &count);
  for (size_t i = 0; i < p->operations; i++)
    p->operation[i].counts =
        p->operation[i].touches && (whole || i >= p->story->event_count || touches_told(p, steps, count, i));
  free(steps);
}

/* ---- places in the source ---- */

static char *read_source(const char *path, size_t *length)
{
  char *text = NULL, error[256];
  FILE *in = input_open(path, error, sizeof error), *out = in ? open_memstream(&text, length) : NULL;
  for (int c; out && (c = fgetc(in)) != EOF;)
    fputc(c, out);
  const bool good = out && fclose(out) == 0;
  if (in)
    fclose(in);
  if (good)
    return text;
  free(text);
  return NULL;
}

/* From 1; 0: it cannot be read, or there are too many. */
static uint32_t file_of(struct pin *p, const char *path)
{
  for (uint32_t i = 0; i < p->files; i++)
    if (!strcmp(p->file[i].path, path))
      return i + 1;
  if (p->files == PIN_FILES)
    return 0;
  struct pin_file f = {.path = path};
  f.text = read_source(path, &f.length);
  f.code = f.text ? source_without_comments(f.text, f.length) : NULL;
  if (!f.code) {
    free(f.text);
    return 0;
  }
  p->file[p->files] = f;
  return ++p->files;
}

/* The place with the statement there, from 1. */
static uint32_t place_of(struct pin *p, uint32_t file, const struct source_statement *s, const char *function)
{
  for (uint32_t i = 0; i < p->places; i++)
    if (p->place[i].file == file - 1 && p->place[i].statement.from == s->from &&
        p->place[i].statement.value_from == s->value_from)
      return i + 1;
  struct pin_place *more = realloc(p->place, (p->places + 1) * sizeof *more);
  if (!more)
    return 0;
  p->place = more;
  more[p->places] = (struct pin_place){.file = file - 1, .statement = *s, .function = function};
  return ++p->places;
}

static uint32_t find_place(struct pin *p, uintptr_t pc)
{
  struct source_place at;
  struct source_statement s;
  struct source_patch lines;
  if (!symbols_line(p->story->symbols, pc, &at) || at.library || !at.file || !at.line)
    return 0;
  const uint32_t file = file_of(p, at.file);
  if (!file)
    return 0;
  const struct pin_file *f = &p->file[file - 1];
  source_patch_open(&lines, f->text, f->length);
  const size_t place = source_patch_place(&lines, at.line, at.column);
  return statement_at(f->code, f->length, place, &s) ? place_of(p, file, &s, at.function) : 0;
}

/* How far a thread is with a statement. */
struct visit {
  uint32_t place, thread;
  uint32_t nth;
  size_t last;       /* operation there */
  uintptr_t seen[8]; /* code of it that was executed this time */
  unsigned count;
};

struct visits {
  struct visit *visit;
  size_t count;
};

static struct visit *visit_of(struct visits *v, uint32_t place, uint32_t thread)
{
  for (size_t i = 0; i < v->count; i++)
    if (v->visit[i].place == place && v->visit[i].thread == thread)
      return &v->visit[i];
  struct visit *more = realloc(v->visit, (v->count + 1) * sizeof *more);
  if (!more)
    return NULL;
  v->visit = more;
  more[v->count] = (struct visit){.place = place, .thread = thread};
  return &more[v->count++];
}

/* Whether the thread has left the statement since: it was elsewhere, and not in what the statement calls. */
static bool has_left(const struct pin *p, const struct visit *v, size_t now)
{
  const uint32_t depth = pin_trace_event(p, v->last)->depth;
  for (size_t i = v->last + 1; i < now; i++) {
    const struct trace_event *e = pin_trace_event(p, i);
    if (e->thread == v->thread && p->spot[i].place != v->place && e->depth <= depth)
      return true;
  }
  return false;
}

static void note_visit(struct pin *p, struct visits *visits, size_t operation)
{
  struct pin_spot *spot = &p->spot[operation];
  struct visit *v = visit_of(visits, spot->place, p->operation[operation].thread);
  if (!v)
    return;
  const bool goes_on = v->nth && ends_wait(pin_trace_event(p, operation)->op);
  bool again = v->nth == 0 || (!goes_on && has_left(p, v, operation));
  for (unsigned i = 0; i < v->count && !goes_on; i++)
    again |= v->seen[i] == spot->pc;
  if (again) {
    v->nth++;
    v->count = 0;
  }
  if (v->count < 8)
    v->seen[v->count++] = spot->pc;
  v->last = operation;
  spot->nth = v->nth;
}

static void note_thread(struct pin_place *place, uint32_t thread)
{
  if (!place->threads || place->thread != thread)
    place->threads++;
  place->thread = thread;
}

static void find_spots(struct pin *p)
{
  struct visits visits = {0};
  for (size_t i = 0; i < p->operations; i++) {
    const struct trace_event *e = pin_trace_event(p, i);
    if (e->op >= OP_COUNT || e->op == OP_START || e->op == OP_EXIT)
      continue;
    struct pin_spot *spot = &p->spot[i];
    spot->pc = event_pc(p->story, e);
    spot->place = spot->pc ? find_place(p, spot->pc) : 0;
    if (!spot->place)
      continue;
    note_thread(&p->place[spot->place - 1], p->operation[i].thread);
    note_visit(p, &visits, i);
  }
  free(visits.visit);
}

/* ---- pairs ---- */

/* What the other threads would have done next, and then, is not known: none of it came before the failure. */
static bool add_ends(struct pin *p)
{
  const size_t ended = p->story->event_count;
  const uint32_t failed = failing_thread(p->story);
  size_t last = ended;
  while (last > 0 && (p->operation[last - 1].thread != failed || !p->spot[last - 1].place))
    last--;
  for (size_t i = ended; last && i < p->operations; i++) {
    if (p->operation[i].thread == failed || pin_trace_event(p, i)->marks & (TRACE_BLOCKED | TRACE_DEADLOCK))
      continue;
    struct pin_pair *more = realloc(p->pair, (p->pairs + 1) * sizeof *more);
    if (!more)
      return pin_cannot(p, "there is no memory");
    p->pair = more;
    more[p->pairs++] = (struct pin_pair){last - 1, i};
  }
  return true;
}

/* A wake-up of which the mutex is known can be delayed. */
static bool can_wake_late(const struct pin *p, size_t operation)
{
  size_t from, to;
  const struct pin_place *place = &p->place[p->spot[operation].place - 1];
  return pin_trace_event(p, operation)->op == OP_COND_WAKE && place->statement.kind == STATEMENT_SIMPLE &&
         find_wait_mutex(p->file[place->file].code, &place->statement, &from, &to);
}

static bool can_stand(const struct pin *p, const struct pin_pair *pair)
{
  const enum op_kind second = pin_trace_event(p, pair->second)->op;
  const enum op_kind first = pin_trace_event(p, pair->first)->op;
  return p->spot[pair->first].place && p->spot[pair->second].place && (!ends_wait(first) || first == OP_COND_WAKE) &&
         (!ends_wait(second) || can_wake_late(p, pair->second));
}

/* Those for which there is a place in the source. */
static bool keep_pairs(struct pin *p)
{
  size_t kept = 0, lost = 0;
  for (size_t i = 0; i < p->pairs; i++) {
    if (can_stand(p, &p->pair[i]))
      p->pair[kept++] = p->pair[i];
    else
      lost++;
  }
  p->pairs = kept;
  if (kept > PIN_PAIRS)
    return pin_cannot(p, "it needs too many orderings to be read by anybody");
  if (!kept)
    return pin_cannot(p,
                      lost ? "its threads meet where no event can be placed: in libraries, or inside of calls that wait"
                           : "no order between its threads makes it fail");
  return true;
}

static const char *unpinnable_kind(const struct bug *bug)
{
  switch (bug->kind) {
  case BUG_RACE:
    return "a data race has no outcome of its own that a test could see; pin the failure that it leads to";
  case BUG_PROPERTY:
    return "whether a property holds is not seen without heddle";
  case BUG_SCHEDULE:
    return "the schedule of the test itself cannot be followed";
  default:
    return NULL;
  }
}

bool pin_open(struct pin *p, const struct story *story, const char *name, bool whole)
{
  *p = (struct pin){.story = story};
  pin_name_from(name, p->name, sizeof p->name);
  const char *why = unpinnable_kind(story->bug);
  if (why)
    return pin_cannot(p, why);
  if (!story->symbols || !symbols_have_debug_info(story->symbols))
    return pin_cannot(p, "the program has no debug information, so that no place in its source is known (-g)");
  if (!find_operations(p))
    return false;
  choose_operations(p, whole);
  find_spots(p);
  p->pair = pin_order(p->operation, p->operations, story->thread_count, &p->pairs);
  return (!whole || add_ends(p)) && keep_pairs(p);
}

static void forget_edits(struct pin *p)
{
  for (uint32_t i = 0; i < p->files; i++)
    source_patch_close(&p->file[i].patch);
  free(p->schedule);
  p->schedule = NULL;
}

void pin_close(struct pin *p)
{
  forget_edits(p);
  for (uint32_t i = 0; i < p->files; i++) {
    free(p->file[i].text);
    free(p->file[i].code);
  }
  free(p->operation);
  free(p->spot);
  free(p->place);
  free(p->pair);
  *p = (struct pin){0};
}

/* ---- events ---- */

static struct pin_event event_at(const struct pin *p, size_t operation, bool behind)
{
  const enum op_kind op = pin_trace_event(p, operation)->op;
  const bool waits = behind && begins_wait(op), wakes = !behind && ends_wait(op);
  return (struct pin_event){.operation = operation,
                            .behind = behind && !waits,
                            .blocked = waits,
                            .wakes = wakes,
                            .place = p->spot[operation].place - 1,
                            .slot = (behind && !waits) || wakes ? PIN_BEHIND : PIN_BEFORE};
}

static bool is_same_visit(const struct pin *p, size_t a, size_t b)
{
  return p->operation[a].thread == p->operation[b].thread && p->spot[a].place == p->spot[b].place &&
         p->spot[a].nth == p->spot[b].nth;
}

/* Whether everything of the thread between the two is done by what the statement of the first one calls. */
static bool is_within(const struct pin *p, size_t a, size_t b)
{
  const uint32_t depth = pin_trace_event(p, a)->depth;
  for (size_t i = a + 1; i <= b; i++) {
    const struct trace_event *e = pin_trace_event(p, i);
    if (p->operation[i].thread == p->operation[a].thread && !is_same_visit(p, a, i) && e->depth <= depth)
      return false;
  }
  return true;
}

static size_t next_of_thread(const struct pin *p, size_t operation)
{
  for (size_t i = operation + 1; i < p->operations; i++)
    if (p->operation[i].thread == p->operation[operation].thread && p->spot[i].place)
      return i;
  return p->operations;
}

static bool split_place(struct pin *p, const struct pin_event *a, const struct pin_event *b)
{
  struct pin_place *place = &p->place[a->place];
  const uintptr_t behind = p->spot[a->operation].pc, before = p->spot[b->operation].pc;
  if (place->split && (place->behind != behind || place->before != before))
    return pin_cannot(p, "a statement would have to be taken apart at two places");
  char object[OBJECT_SIZE];
  describe_object(p->story, pin_trace_event(p, a->operation), object);
  place->split = true;
  place->behind = behind;
  place->before = before;
  place->writes = op_writes_memory(pin_trace_event(p, b->operation)->op);
  snprintf(place->operand, sizeof place->operand, "%.*s", (int)sizeof place->operand - 1, object);
  return true;
}

/* An event behind an operation and one before a later one of the same statement need it to be taken apart; where the
 * later one is in a function that it calls, the first event stands there, too. */
static bool part(struct pin *p, struct pin_event *a, const struct pin_event *b)
{
  if (!a->behind || a->slot != PIN_BEHIND || b->behind || b->operation <= a->operation ||
      p->operation[a->operation].thread != p->operation[b->operation].thread)
    return true;
  if (is_same_visit(p, a->operation, b->operation))
    return split_place(p, a, b);
  const size_t next = next_of_thread(p, a->operation);
  if (is_within(p, a->operation, b->operation) && next <= b->operation && !is_same_visit(p, a->operation, next)) {
    a->place = p->spot[next].place - 1;
    a->slot = PIN_BEFORE;
  }
  return true;
}

static bool find_splits(struct pin *p)
{
  for (size_t i = 0; i < 2 * p->pairs; i++)
    for (size_t k = 0; k < 2 * p->pairs; k++)
      if (!p->left_out[i / 2] && !p->left_out[k / 2] && !part(p, &p->event[i], &p->event[k]))
        return false;
  for (size_t i = 0; i < 2 * p->pairs; i++) { /* those of other threads, too, so that there is one event for all */
    struct pin_event *e = &p->event[i];
    const struct pin_place *place = &p->place[e->place];
    const uintptr_t pc = p->spot[e->operation].pc;
    const bool own = e->place == p->spot[e->operation].place - 1;
    if (place->split && own && !e->blocked && !e->wakes && (e->behind ? place->behind == pc : place->before == pc))
      e->slot = PIN_INSIDE;
  }
  return true;
}

/* The time that its thread comes to where the event stands. */
static uint32_t nth_of(const struct pin *p, const struct pin_event *e)
{
  const bool own = e->place == p->spot[e->operation].place - 1;
  return p->spot[own ? e->operation : next_of_thread(p, e->operation)].nth;
}

/* Whether they are the same event, in whatever threads. */
static bool is_same_event(const struct pin *p, const struct pin_event *a, const struct pin_event *b)
{
  return a->place == b->place && a->slot == b->slot && a->behind == b->behind &&
         p->spot[a->operation].pc == p->spot[b->operation].pc && a->nth == b->nth;
}

static bool is_taken(const struct pin *p, size_t of)
{
  const struct pin_event *e = &p->event[of];
  for (size_t i = 0; i < of; i++)
    if (!p->left_out[i / 2] && !strcmp(p->event[i].name, e->name) && !is_same_event(p, &p->event[i], e))
      return true;
  return false;
}

/* Different ones have different names. */
static void name_event(struct pin *p, size_t of)
{
  struct pin_event *e = &p->event[of];
  char name[ORDERING_NAME], thread[THREAD_NAME_SIZE], event[ORDERING_NAME + THREAD_NAME_SIZE];
  const char *function = p->place[p->spot[e->operation].place - 1].function;
  pin_event_name(p->story, pin_trace_event(p, e->operation), function, e->behind, e->nth, name);
  snprintf(e->name, sizeof e->name, "%s", name);
  for (unsigned number = 2; is_taken(p, of); number++)
    snprintf(e->name, sizeof e->name, "%.40s_%u", name, number);
  identify_thread(p->story, p->operation[e->operation].thread, thread);
  snprintf(event, sizeof event, p->place[e->place].threads > 1 ? "%s@%s" : "%s", e->name, thread);
  snprintf(e->text, sizeof e->text, e->blocked ? "[%.70s]" : "%.72s", event);
}

/* ---- the schedule ---- */

static bool is_told_before(const struct pin *p, size_t pair)
{
  for (size_t i = 0; i < pair; i++)
    if (!p->left_out[i] && !strcmp(p->event[2 * i].text, p->event[2 * pair].text) &&
        !strcmp(p->event[2 * i + 1].text, p->event[2 * pair + 1].text))
      return true;
  return false;
}

static bool write_schedule(struct pin *p)
{
  size_t bytes;
  FILE *out = open_memstream(&p->schedule, &bytes);
  if (!out)
    return pin_cannot(p, "there is no memory");
  p->lines = 0;
  for (size_t i = 0; i < p->pairs; i++) {
    if (p->left_out[i] || is_told_before(p, i))
      continue;
    fprintf(out, "%s%s -> %s", p->lines ? ",\n" : "", p->event[2 * i].text, p->event[2 * i + 1].text);
    p->lines++;
  }
  return fclose(out) == 0 || pin_cannot(p, "there is no memory");
}

bool pin_place(struct pin *p)
{
  forget_edits(p);
  for (uint32_t i = 0; i < p->places; i++)
    p->place[i].split = false;
  for (size_t i = 0; i < p->pairs; i++) {
    p->event[2 * i] = event_at(p, p->pair[i].first, true);
    p->event[2 * i + 1] = event_at(p, p->pair[i].second, false);
  }
  if (!find_splits(p))
    return false;
  for (size_t i = 0; i < 2 * p->pairs; i++)
    p->event[i].nth = nth_of(p, &p->event[i]);
  for (size_t i = 0; i < 2 * p->pairs; i++)
    if (!p->left_out[i / 2])
      name_event(p, i);
  return write_schedule(p) && pin_edit(p);
}
