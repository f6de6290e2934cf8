/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of a shared search, see the header. Pure: it starts nothing and prints nothing.
 */
#include "session/frontier.h"
#include "core/invariant.h"
#include "core/threadset.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum place_state { INNER, WAITING, TAKEN, FINISHED };

struct place {
  struct place *up, *next, *first, *last;
  struct unit_step *step; /* that leads here; NULL for the root */
  uint32_t state;
  uint32_t able;    /* threads that could go on here */
  uint32_t id;      /* grows from place to place */
  uint32_t due;     /* while a tree is read: how many of the children have not come yet */
  uint32_t settled; /* the number of places, when it became known what its step chooses; 0: it always was */
};

/* ---- places ---- */

static struct place *place_new(struct frontier *f, struct place *up, const struct unit_step *step, uint32_t state)
{
  struct place *p = calloc(1, sizeof *p);
  struct unit_step *copy = p && step ? malloc(unit_step_bytes(step)) : NULL;
  if (!p || (step && !copy)) {
    free(p);
    f->failed = true;
    return NULL;
  }
  if (step)
    p->step = memcpy(copy, step, unit_step_bytes(step));
  p->state = state;
  p->id = ++f->ids;
  p->up = up;
  f->waiting += state == WAITING;
  if (up && up->last)
    up->last = up->last->next = p;
  else if (up)
    up->first = up->last = p;
  return p;
}

/* The next place in the order parents before children, within the part below top. */
static struct place *walk(const struct place *top, struct place *p)
{
  if (p->first)
    return p->first;
  while (p != top && !p->next)
    p = p->up;
  return p == top ? NULL : p->next;
}

static void free_children(struct place *top)
{
  struct place *p = top->first;
  while (p) {
    if (p->first) { /* the children come to the front of the list */
      p->last->next = p->next;
      p->next = p->first;
    }
    struct place *next = p->next;
    free(p->step);
    free(p);
    p = next;
  }
  top->first = top->last = NULL;
}

bool frontier_open(struct frontier *f)
{
  *f = (struct frontier){0};
  f->root = place_new(f, NULL, NULL, WAITING);
  return f->root;
}

void frontier_close(struct frontier *f)
{
  if (f->root)
    free_children(f->root);
  free(f->root);
  *f = (struct frontier){0};
}

bool frontier_reset(struct frontier *f)
{
  struct lessons lessons = f->lessons;
  frontier_close(f);
  bool open = frontier_open(f);
  f->lessons = lessons;
  return open;
}

void frontier_learn(struct frontier *f, const struct hand_in *in)
{
  struct lessons *to = &f->lessons;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    to->interrupted.word[i] |= in->lessons.interrupted.word[i];
  to->creator = to->creator ? to->creator : in->lessons.creator;
  to->many_creators |= in->lessons.many_creators;
  to->polls_exit |= in->lessons.polls_exit;
  to->livelocked |= in->lessons.livelocked;
  to->chooses |= in->lessons.chooses;
}

/* ---- units ---- */

static uint32_t depth_of(const struct place *p)
{
  uint32_t n = 0;
  for (; p->up; p = p->up)
    n++;
  return n;
}

struct writer {
  char *at, *end;
  bool full;
};

static void put(struct writer *w, const void *data, uint64_t bytes)
{
  if (w->full || (uint64_t)(w->end - w->at) < bytes) {
    w->full = true;
    return;
  }
  memcpy(w->at, data, bytes);
  w->at += bytes;
}

static void put_step(struct writer *w, const struct unit_step *s)
{
  put(w, s, unit_step_bytes(s));
}

static uint32_t count_from(const struct place *p)
{
  uint32_t n = 0;
  for (; p; p = p->next)
    n++;
  return n;
}

static void put_trees(struct writer *w, const struct place *top)
{
  for (; top && !w->full; top = top->next)
    for (const struct place *p = top; p && !w->full; p = walk(top, (struct place *)p)) {
      struct unit_branch branch = {count_from(p->first), p->id};
      put_step(w, p->step);
      put(w, &branch, sizeof branch);
    }
}

/* The program ended in the one (enum ending). */
static bool cuts_off(const struct unit_step *a, const struct unit_step *b)
{
  return a->final == FINAL_OVER_ALL || (a->final && !b->hidden);
}

/* The one comes because of the state of something that the other changes. */
static bool watches(const struct unit_step *a, const struct unit_step *b)
{
  for (unsigned i = 0; i < a->watched && !op_only_looks(b->op.kind); i++)
    if (order_acts_on(&b->op, unit_step_watched(a)[i].key) & unit_step_watched(a)[i].bytes)
      return true;
  return false;
}

static bool depends(const struct unit_step *a, const struct unit_step *b)
{
  return cuts_off(a, b) || cuts_off(b, a) || a->thread == b->thread ||
         op_steps_dependent(a->thread, &a->op, b->thread, &b->op) || watches(a, b) || watches(b, a);
}

/* Those to the left of the way come before it, those to the right wait. */
static void write_level(struct writer *w, const struct place *p)
{
  struct unit_level level = {0, count_from(p->next)};
  for (const struct place *left = p->up->first; left != p; left = left->next)
    level.before++;
  put(w, &level, sizeof level);
  for (const struct place *left = p->up->first; left != p; left = left->next) {
    struct unit_step step = *left->step; /* which it was, not what it chose */
    step.choices = step.watched = 0;
    put_step(w, &step);
  }
  put_trees(w, p->next);
  put_step(w, p->step);
}

/* The places from the root's child down to the unit, and the root before them; NULL: no memory. */
static struct place **way_to(struct place *unit, uint32_t *depth)
{
  *depth = depth_of(unit);
  struct place **way = calloc(*depth + 1u, sizeof *way);
  for (uint32_t i = *depth + 1; way && i-- > 0; unit = unit->up)
    way[i] = unit;
  return way;
}

static bool write_unit(const struct frontier *f, struct place *unit, struct unit *out, uint64_t size)
{
  uint32_t depth;
  struct place **way = way_to(unit, &depth);
  struct writer w = {(char *)(out + 1), (char *)out + size, !way};
  for (uint32_t i = 1; i <= depth && !w.full; i++)
    write_level(&w, way[i]);
  free(way);
  *out = (struct unit){
      .steps = depth, .known = f->ids, .bytes = (uint64_t)(w.at - (char *)(out + 1)), .lessons = f->lessons};
  return !w.full;
}

struct place *frontier_take(struct frontier *f, struct unit *out, uint64_t size)
{
  if (!f->waiting || (f->taken && f->lessons.chooses))
    return NULL;
  for (struct place *p = f->root; p; p = walk(f->root, p))
    if (p->state == WAITING && write_unit(f, p, out, size)) {
      p->state = TAKEN;
      f->abreast |= f->taken;
      f->waiting--;
      f->taken++;
      return p;
    }
  return NULL;
}

void frontier_return(struct frontier *f, struct place *unit)
{
  invariant(f->taken && unit->state == TAKEN, "a unit came back that nobody had");
  unit->state = WAITING;
  f->taken--;
  f->waiting++;
}

/* ---- reading what was handed in ---- */

struct reader {
  const char *at, *end;
  bool bad;
};

static const void *get(struct reader *r, uint64_t bytes)
{
  if (r->bad || (uint64_t)(r->end - r->at) < bytes) {
    r->bad = true;
    return NULL;
  }
  const void *here = r->at;
  r->at += bytes;
  return here;
}

static const struct unit_step *get_step(struct reader *r)
{
  const struct unit_step *s = get(r, sizeof *s);
  if (!s || s->op.kind >= OP_COUNT || s->thread >= MAX_THREADS) {
    r->bad = true;
    return NULL;
  }
  get(r, unit_step_bytes(s) - sizeof *s);
  return r->bad ? NULL : s;
}

/* Adds trees of steps that wait; a leaf is a unit. */
static void read_trees(struct frontier *f, struct reader *r, struct place *top, uint32_t count)
{
  struct place *under = top;
  top->due = count;
  while (!r->bad && !f->failed) {
    while (under != top && !under->due)
      under = under->up;
    if (!under->due)
      return;
    under->due--;
    const struct unit_step *s = get_step(r);
    const struct unit_branch *b = get(r, sizeof *b);
    struct place *p = s && b ? place_new(f, under, s, b->then ? INNER : WAITING) : NULL;
    if (p && b->then) {
      p->due = b->then;
      under = p;
    }
  }
}

static void skip_trees(struct reader *r, uint64_t count)
{
  for (; count && !r->bad; count--) {
    const struct unit_step *s = get_step(r);
    const struct unit_branch *b = get(r, sizeof *b);
    count += s && b ? b->then : 0;
  }
}

/* The unit that something is handed in for, and the places on the way to it. */
struct handed_unit {
  struct place **way;
  uint32_t depth;
  uint32_t known; /* places */
};

/* The place that a found witness goes on from. */
static struct place *find_place(struct reader *r, const struct handed_unit *unit, const struct unit_found *head)
{
  const uint32_t *id = get(r, ((uint64_t)head->known + 1) / 2 * 8);
  if (!id || head->node >= unit->depth) {
    r->bad = true;
    return NULL;
  }
  struct place *p = unit->way[head->node];
  for (uint32_t i = 0; p && i < head->known; i++) {
    p = p->first;
    while (p && p->id != id[i])
      p = p->next;
  }
  r->bad |= !p;
  return p;
}

/* Whether a step that was put there without the finder's knowledge could come before something that was found, a tree
 * that is read: then the finder would have gone on from there, or kept more of what it had. That is where nothing on
 * the way into the tree wakes it, up to itself or to the end. */
static bool could_come_first(struct reader r, const struct unit_step *step)
{
  for (uint64_t left = 1; left; left--) {
    const struct unit_step *s = get_step(&r);
    const struct unit_branch *b = get(&r, sizeof *b);
    if (!s || !b)
      return false;
    bool same = s->thread == step->thread;
    if (depends(step, s) && !(same && s->outcome == step->outcome))
      skip_trees(&r, b->then);
    else if (same || !b->then)
      return true;
    else
      left += b->then;
  }
  return false;
}

static bool came_too_late(const struct place *under, uint32_t known, struct reader tree)
{
  for (const struct place *c = under->first; c; c = c->next)
    if ((c->id > known || c->settled > known) && could_come_first(tree, c->step))
      return true;
  return false;
}

/* add: put it there; else only look whether that is possible. */
static enum taken_in read_found(struct frontier *f, struct reader *r, const struct handed_unit *unit, bool add)
{
  const struct unit_found *head = get(r, sizeof *head);
  struct place *under = head ? find_place(r, unit, head) : NULL;
  if (!under)
    return HAND_IN_BAD;
  if (!add) {
    bool late = came_too_late(under, unit->known, *r);
    skip_trees(r, 1);
    return r->bad ? HAND_IN_BAD : late ? HAND_IN_LATE : HAND_IN_TAKEN;
  }
  read_trees(f, r, under, 1);
  for (struct place *up = under; up && up->state == FINISHED; up = up->up)
    up->state = INNER;
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
}

/* It had been left open what the step of a place chooses; now it is known, and others are to be told. */
static void settle_choices(struct frontier *f, struct place *p, const struct unit_step *s)
{
  if (p->step->choices || !s->choices || p->step->thread != s->thread)
    return;
  struct unit_step *copy = malloc(unit_step_bytes(s));
  if (!copy) {
    f->failed = true;
    return;
  }
  free(p->step);
  p->step = memcpy(copy, s, unit_step_bytes(s));
  p->settled = ++f->ids;
}

static void read_chosen(struct frontier *f, struct reader *r, const struct handed_unit *unit, uint32_t count)
{
  for (uint32_t i = 0; i < count && !r->bad; i++) {
    const uint64_t *node = get(r, sizeof *node);
    const struct unit_step *s = get_step(r);
    if (!node || !s || *node >= unit->depth)
      r->bad = true;
    else if (f)
      settle_choices(f, unit->way[*node + 1], s);
  }
}

static void read_nodes(struct frontier *f, struct reader *r, struct place *unit, uint32_t nodes)
{
  struct place *p = unit;
  for (uint32_t i = 0; i < nodes && !r->bad && !f->failed; i++) {
    const struct unit_node *n = get(r, sizeof *n);
    if (!n)
      return;
    p->able = n->able;
    p->state = INNER;
    for (uint32_t e = 0; e < n->explored && !r->bad; e++) {
      const struct unit_step *s = get_step(r);
      if (s)
        place_new(f, p, s, FINISHED);
    }
    /* The branch goes before what waits, as it was explored first; but its step is written last. */
    struct place *last_explored = p->last;
    read_trees(f, r, p, n->waiting);
    if (i + 1 == nodes)
      return;
    const struct unit_step *s = get_step(r);
    struct place *waiting = last_explored ? last_explored->next : p->first, *last = p->last;
    if (last_explored) {
      last_explored->next = NULL;
      p->last = last_explored;
    } else {
      p->first = p->last = NULL;
    }
    struct place *next = s ? place_new(f, p, s, INNER) : NULL;
    if (!next)
      return;
    next->next = waiting;
    p->last = waiting ? last : next;
    p = next;
  }
}

static bool awaited_from_left(const struct place *p)
{
  for (const struct place *left = p->up->first; left != p; left = left->next)
    if (left->state != FINISHED)
      return true;
  return false;
}

/* A place whose children are all finished is finished. What is below it is of no use any more when nobody can find
 * something for it: when nothing unfinished sleeps there, that is, comes before it or a place above it. */
static void close_up(const struct handed_unit *unit)
{
  uint32_t free_above = 1; /* from there down to the unit all are awaited */
  while (free_above <= unit->depth && !awaited_from_left(unit->way[free_above]))
    free_above++;
  for (uint32_t i = unit->depth + 1; i-- > 0;) {
    struct place *p = unit->way[i];
    bool finished = p->first || p->state == FINISHED;
    for (struct place *c = p->first; c && finished; c = c->next)
      finished = c->state == FINISHED;
    if (!finished)
      return;
    p->state = FINISHED;
    if (i < free_above)
      free_children(p);
  }
}

/* Those of one hand-in know of each other: they are looked at together before the first is put there. */
static enum taken_in read_founds(struct frontier *f, struct reader *r, const struct handed_unit *unit, uint32_t founds)
{
  struct reader again = *r;
  enum taken_in is = HAND_IN_TAKEN;
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, &again, unit, false);
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, r, unit, true);
  return is;
}

static enum taken_in read_hand_in(struct frontier *f, const struct handed_unit *unit, struct reader *r,
                                  const struct hand_in *head)
{
  struct place *place = unit->way[unit->depth];
  struct reader chosen = *r;
  read_chosen(NULL, r, unit, head->chosen); /* over it: it counts only if the rest is taken */
  enum taken_in is = read_founds(f, r, unit, head->founds);
  f->redone += is == HAND_IN_LATE;
  if (is != HAND_IN_TAKEN)
    return is;
  frontier_learn(f, head);
  read_chosen(f, &chosen, unit, head->chosen);
  if (!head->nodes && !head->finished)
    return HAND_IN_TAKEN;
  f->waiting--;
  place->state = head->nodes ? INNER : FINISHED;
  read_nodes(f, r, place, head->nodes);
  close_up(unit);
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
}

enum taken_in frontier_hand_in(struct frontier *f, struct place *unit, uint32_t known, const struct hand_in *in,
                               uint64_t size)
{
  struct hand_in head = *in;
  frontier_return(f, unit);
  if (head.full || head.bytes > size || head.bytes < sizeof head)
    return HAND_IN_BAD;
  if (head.lessons.chooses && !f->lessons.chooses && f->abreast) {
    frontier_learn(f, in);
    return HAND_IN_ANEW;
  }
  struct handed_unit handed = {.known = known};
  handed.way = way_to(unit, &handed.depth);
  if (!handed.way) {
    f->failed = true;
    return HAND_IN_BAD;
  }
  struct reader r = {(const char *)(in + 1), (const char *)in + head.bytes, false};
  enum taken_in is = read_hand_in(f, &handed, &r, &head);
  free(handed.way);
  return is;
}

/* ---- how much is done ---- */

/* Bottom up without recursion: the share of a place is added to that of its parent when the walk leaves it. */
struct level {
  struct scaled lazy, eager;
};

void frontier_share(const struct frontier *f, struct scaled *lazy, struct scaled *eager)
{
  size_t room = 0, depth = 0;
  struct level *level = NULL;
  struct place *p = f->root;
  *lazy = *eager = scaled_from_double(0);
  for (bool down = true; p;) {
    if (down) {
      if (depth == room) {
        struct level *grown = realloc(level, (room = 2 * room + 64) * sizeof *level);
        if (!grown)
          break;
        level = grown;
      }
      double done = p->state == FINISHED;
      level[depth++] = (struct level){scaled_from_double(done), scaled_from_double(done)};
      if (p->first && p->state != FINISHED) {
        p = p->first;
        continue;
      }
    }
    struct level own = level[--depth];
    if (p == f->root) {
      *lazy = own.lazy;
      *eager = own.eager;
      break;
    }
    uint32_t children = count_from(p->up->first), able = p->up->able > children ? p->up->able : children;
    struct level *up = &level[depth - 1];
    up->lazy = scaled_add(up->lazy, scaled_divide(own.lazy, scaled_from_double(children)));
    up->eager = scaled_add(up->eager, scaled_divide(own.eager, scaled_from_double(able)));
    down = p->next;
    p = p->next ? p->next : p->up;
  }
  free(level);
}

/* ---- as text ---- */

static void write_lessons(FILE *out, const struct lessons *l)
{
  fprintf(out, "lessons %" PRIu32 " %d %d %d %d", l->creator, l->many_creators, l->polls_exit, l->livelocked,
          l->chooses);
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    fprintf(out, " %" PRIx64, l->interrupted.word[i]);
  fputc('\n', out);
}

static bool read_lessons(FILE *in, struct lessons *l)
{
  int many_creators, polls_exit, livelocked, chooses;
  if (fscanf(in, " lessons %" SCNu32 " %d %d %d %d", &l->creator, &many_creators, &polls_exit, &livelocked, &chooses) !=
          5 ||
      l->creator > MAX_THREADS)
    return false;
  l->many_creators = many_creators;
  l->polls_exit = polls_exit;
  l->livelocked = livelocked;
  l->chooses = chooses;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    if (fscanf(in, "%" SCNx64, &l->interrupted.word[i]) != 1)
      return false;
  return true;
}

/* What is said of the step and of where its object lives, as one number. */
static unsigned marks_of(const struct unit_step *s)
{
  return (unsigned)(s->final | s->awaits << 2 | s->hidden << 3 | s->supposed << 4 | s->op.space << 8);
}

static void read_marks(struct unit_step *s, unsigned marks)
{
  s->final = marks & 3;
  s->awaits = marks >> 2 & 1;
  s->hidden = marks >> 3 & 1;
  s->supposed = marks >> 4 & 1;
  s->op.space = marks >> 8 & 255;
}

static void write_step(FILE *out, const struct unit_step *s)
{
  fprintf(out, " %u %u %s %u %u %u %u %u %" PRIxPTR " %" PRIx64 " %" PRIxPTR " %" PRIu32 " %" PRIu32 " %u %u",
          s->thread, marks_of(s), op_table[s->op.kind].name, s->op.order, s->op.traits, s->op.length, s->op.object,
          s->op.second, s->op.addr, s->op.arg, s->op.pc, s->nth, s->outcome, s->choices, s->watched);
  for (unsigned i = 0; i < s->choices; i++)
    fprintf(out, " %" PRIu32, ((const uint32_t *)(s + 1))[i]);
  for (unsigned i = 0; i < s->watched; i++)
    fprintf(out, " %" PRIx64 " %" PRIx64, unit_step_watched(s)[i].key, unit_step_watched(s)[i].bytes);
}

/* What was learnt, and one line for each place, parents before children: depth, state, able, then the step. */
bool frontier_write(const struct frontier *f, FILE *out)
{
  static const char letter[] = "iwwf";
  uint32_t depth = 0;
  write_lessons(out, &f->lessons);
  for (struct place *p = f->root; p;) {
    fprintf(out, "%" PRIu32 " %c %" PRIu32, depth, letter[p->state], p->able);
    if (p->step)
      write_step(out, p->step);
    fputc('\n', out);
    if (p->first) {
      p = p->first;
      depth++;
      continue;
    }
    for (; p->up && !p->next; p = p->up)
      depth--;
    p = p->next;
  }
  fputs("end\n", out);
  return !ferror(out);
}

static bool read_behind_step(FILE *in, struct unit_step *s)
{
  for (unsigned i = 0; i < s->choices; i++)
    if (fscanf(in, "%" SCNu32, &((uint32_t *)(s + 1))[i]) != 1)
      return false;
  for (unsigned i = 0; i < s->watched; i++)
    if (fscanf(in, "%" SCNx64 " %" SCNx64, &unit_step_watched(s)[i].key, &unit_step_watched(s)[i].bytes) != 2)
      return false;
  return true;
}

static struct unit_step *read_step(FILE *in)
{
  struct unit_step s = {0};
  char kind[32];
  unsigned order, traits, choices, thread, marks, watched;
  if (fscanf(in,
             "%u %u %31s %u %u %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNxPTR " %" SCNx64 " %" SCNxPTR " %" SCNu32
             " %" SCNu32 " %u %u",
             &thread, &marks, kind, &order, &traits, &s.op.length, &s.op.object, &s.op.second, &s.op.addr, &s.op.arg,
             &s.op.pc, &s.nth, &s.outcome, &choices, &watched) != 15 ||
      op_by_name(kind) == OP_COUNT || thread >= MAX_THREADS || choices > UINT16_MAX || watched > ORDER_WATCHED)
    return NULL;
  s.op.kind = (uint16_t)op_by_name(kind);
  s.op.order = order & 7;
  s.op.traits = traits & OP_TRAITS;
  s.thread = (uint16_t)thread;
  read_marks(&s, marks);
  s.choices = (uint16_t)choices;
  s.watched = (uint8_t)watched;
  struct unit_step *copy = calloc(1, unit_step_bytes(&s));
  if (!copy)
    return NULL;
  *copy = s;
  if (read_behind_step(in, copy))
    return copy;
  free(copy);
  return NULL;
}

/* The next place, of that depth; above is the one before it and its depth, and becomes this one. */
static bool read_place(struct frontier *f, FILE *in, struct place **above, uint32_t *at, uint32_t depth)
{
  char state;
  uint32_t able;
  if (fscanf(in, " %c %" SCNu32, &state, &able) != 2 || !strchr("iwf", state) || (!depth && *above) ||
      (depth && (!*above || depth > *at + 1)))
    return false;
  struct place *up = *above;
  for (; depth && *at + 1 > depth; --*at)
    up = up->up;
  struct unit_step *step = depth ? read_step(in) : NULL;
  if (depth && !step)
    return false;
  struct place *p = place_new(f, up, step, state == 'i' ? INNER : state == 'w' ? WAITING : FINISHED);
  free(step);
  if (!p)
    return false;
  if (!depth)
    f->root = p;
  p->able = able;
  *above = p;
  *at = depth;
  return true;
}

bool frontier_read(struct frontier *f, FILE *in, char *error, size_t error_size)
{
  struct place *at = NULL;
  uint32_t at_depth = 0;
  char word[16];
  frontier_close(f);
  if (!read_lessons(in, &f->lessons)) {
    snprintf(error, error_size, "what was learnt is damaged");
    return false;
  }
  for (unsigned long line = 1; fscanf(in, "%15s", word) == 1; line++) {
    char *end;
    if (!strcmp(word, "end") && at)
      return true;
    unsigned long depth = strtoul(word, &end, 10);
    if (*end || end == word || depth > UINT32_MAX - 1 || !read_place(f, in, &at, &at_depth, (uint32_t)depth)) {
      snprintf(error, error_size, "its place %lu is damaged", line);
      frontier_close(f);
      return false;
    }
  }
  snprintf(error, error_size, "it is cut short");
  frontier_close(f);
  return false;
}
