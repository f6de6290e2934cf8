/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of a shared search, see the header. Pure: it starts nothing and prints nothing.
 */
#include "cli/frontier.h"
#include "core/threadset.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum place_state { INNER, WAITING, TAKEN, FINISHED };

struct place {
  struct place *up, *next, *first, *last;
  struct unit_step *step; /* that leads here; NULL for the root */
  uint32_t state;
  uint32_t able; /* threads that could go on here */
  uint32_t id;   /* grows from place to place */
};

/* ---- places ---- */

static struct place *place_new(struct frontier *f, struct place *up, const struct unit_step *step,
                               uint32_t state)
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
  frontier_close(f);
  return frontier_open(f);
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

static void put_trees(struct writer *w, const struct place *p)
{
  for (; p && !w->full; p = p->next) {
    struct unit_branch branch = {count_from(p->first), p->id};
    put_step(w, p->step);
    put(w, &branch, sizeof branch);
    put_trees(w, p->first);
  }
}

/* The program ended in the one (enum ending). */
static bool cuts_off(const struct unit_step *a, const struct unit_step *b)
{
  return a->final == FINAL_OVER_ALL || (a->final && !b->hidden);
}

static bool depends(const struct unit_step *a, const struct unit_step *b)
{
  return cuts_off(a, b) || cuts_off(b, a) || a->thread == b->thread ||
         op_steps_dependent(a->thread, &a->op, b->thread, &b->op);
}

/* The sleepers of one node after the other: those to the left of the way, as long as nothing on it depends on them. */
struct sleepers {
  const struct unit_step **step;
  uint32_t count, room;
};

static bool fall_asleep(struct sleepers *s, const struct unit_step *step)
{
  if (s->count == s->room) {
    uint32_t room = 2 * s->room + 16;
    const struct unit_step **grown = realloc(s->step, room * sizeof *grown);
    if (!grown)
      return false;
    s->step = grown;
    s->room = room;
  }
  s->step[s->count++] = step;
  return true;
}

static void wake_up(struct sleepers *s, const struct unit_step *by)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->count; i++)
    if (!depends(s->step[i], by))
      s->step[kept++] = s->step[i];
  s->count = kept;
}

static void write_level(struct writer *w, const struct place *p, struct sleepers *s)
{
  for (const struct place *left = p->up->first; left != p; left = left->next)
    if (!fall_asleep(s, left->step))
      w->full = true;
  struct unit_level level = {s->count, count_from(p->next)};
  put(w, &level, sizeof level);
  for (uint32_t i = 0; i < s->count; i++) {
    struct unit_step step = *s->step[i]; /* which it was, not what it chose */
    step.choices = 0;
    put_step(w, &step);
  }
  put_trees(w, p->next);
  put_step(w, p->step);
  wake_up(s, p->step);
}

static bool write_unit(const struct frontier *f, struct place *unit, struct unit *out, uint64_t size)
{
  uint32_t depth = depth_of(unit);
  struct place **way = calloc(depth + 1u, sizeof *way);
  struct writer w = {(char *)(out + 1), (char *)out + size, !way};
  struct sleepers s = {0};
  struct place *p = unit;
  for (uint32_t i = depth; way && i-- > 0; p = p->up)
    way[i] = p;
  for (uint32_t i = 0; i < depth && !w.full; i++)
    write_level(&w, way[i], &s);
  free(way);
  free(s.step);
  *out = (struct unit){depth, f->ids, (uint64_t)(w.at - (char *)(out + 1))};
  return !w.full;
}

struct place *frontier_take(struct frontier *f, struct unit *out, uint64_t size)
{
  if (!f->waiting)
    return NULL;
  for (struct place *p = f->root; p; p = walk(f->root, p))
    if (p->state == WAITING && write_unit(f, p, out, size)) {
      p->state = TAKEN;
      f->waiting--;
      f->taken++;
      return p;
    }
  return NULL;
}

void frontier_return(struct frontier *f, struct place *unit)
{
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

/* Adds a tree of steps that wait; a leaf is a unit. */
static void read_trees(struct frontier *f, struct reader *r, struct place *under, uint32_t count)
{
  for (uint32_t i = 0; i < count && !r->bad && !f->failed; i++) {
    const struct unit_step *s = get_step(r);
    const struct unit_branch *b = get(r, sizeof *b);
    if (!s || !b)
      return;
    struct place *p = place_new(f, under, s, b->then ? INNER : WAITING);
    if (p && b->then)
      read_trees(f, r, p, b->then);
  }
}

static struct place *ancestor(struct place *p, uint32_t depth)
{
  for (uint32_t n = depth_of(p); n > depth; n--)
    p = p->up;
  return p;
}

/* The place that a found witness goes on from. */
static struct place *find_place(struct reader *r, struct place *unit, const struct unit_found *head)
{
  const uint32_t *id = get(r, (uint64_t)(head->known + 1) / 2 * 8);
  if (!id || head->node >= depth_of(unit)) {
    r->bad = true;
    return NULL;
  }
  struct place *p = ancestor(unit, head->node);
  for (uint32_t i = 0; p && i < head->known; i++) {
    p = p->first;
    while (p && p->id != id[i])
      p = p->next;
  }
  r->bad |= !p;
  return p;
}

/* Whether a step that was put there without the finder's knowledge could come before something that was found, a tree
 * that is read: then the finder would have gone on from there, or kept more of what it had. */
static bool could_come_first(struct reader *r, const struct unit_step *step)
{
  const struct unit_step *s = get_step(r);
  const struct unit_branch *b = get(r, sizeof *b);
  if (!s || !b)
    return false;
  bool same = s->thread == step->thread, woken = depends(step, s) && !(same && s->outcome == step->outcome);
  bool could = same ? !woken : !woken && !b->then;
  for (uint32_t i = 0; i < b->then; i++) /* all of it is read, whatever is found */
    if (could_come_first(r, step) && !woken)
      could = true;
  return could;
}

static bool came_too_late(const struct place *under, uint32_t known, struct reader tree)
{
  for (const struct place *c = under->first; c; c = c->next) {
    struct reader again = tree;
    if (c->id > known && could_come_first(&again, c->step))
      return true;
  }
  return false;
}

/* add: put it there; else only look whether that is possible. */
static enum taken_in read_found(struct frontier *f, struct reader *r, struct place *unit, uint32_t known,
                                bool add)
{
  const struct unit_found *head = get(r, sizeof *head);
  struct place *under = head ? find_place(r, unit, head) : NULL;
  if (!under)
    return HAND_IN_BAD;
  if (!add) {
    bool late = came_too_late(under, known, *r);
    struct place nowhere = {.state = INNER}; /* read over it */
    struct frontier none = {0};
    read_trees(&none, r, &nowhere, 1);
    free_children(&nowhere);
    return r->bad ? HAND_IN_BAD : late ? HAND_IN_LATE : HAND_IN_TAKEN;
  }
  read_trees(f, r, under, 1);
  for (struct place *up = under; up && up->state == FINISHED; up = up->up)
    up->state = INNER;
  return r->bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
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

/* A place whose children are all finished is finished. What is below it is of no use any more when nobody can find
 * something for it: when nothing unfinished sleeps there. */
static void close_up(struct place *p)
{
  for (; p; p = p->up) {
    bool finished = p->first || p->state == FINISHED;
    for (struct place *c = p->first; c && finished; c = c->next)
      finished = c->state == FINISHED;
    if (!finished)
      return;
    p->state = FINISHED;
    bool awaited = false;
    for (const struct place *q = p; q->up && !awaited; q = q->up)
      for (const struct place *left = q->up->first; left != q && !awaited; left = left->next)
        awaited = left->state != FINISHED;
    if (!awaited)
      free_children(p);
  }
}

/* Those of one hand-in know of each other: they are looked at together before the first is put there. */
static enum taken_in read_founds(struct frontier *f, struct reader *r, struct place *unit, uint32_t known,
                                 uint32_t founds)
{
  struct reader again = *r;
  enum taken_in is = HAND_IN_TAKEN;
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, &again, unit, known, false);
  for (uint32_t i = 0; i < founds && is == HAND_IN_TAKEN; i++)
    is = read_found(f, r, unit, known, true);
  return is;
}

enum taken_in frontier_hand_in(struct frontier *f, struct place *unit, uint32_t known,
                               const struct hand_in *in, uint64_t size)
{
  struct hand_in head = *in;
  frontier_return(f, unit);
  if (head.full || head.bytes > size || head.bytes < sizeof head)
    return HAND_IN_BAD;
  struct reader r = {(const char *)(in + 1), (const char *)in + head.bytes, false};
  enum taken_in is = read_founds(f, &r, unit, known, head.founds);
  f->redone += is == HAND_IN_LATE;
  if (is != HAND_IN_TAKEN)
    return is;
  f->waiting--;
  unit->state = head.nodes ? INNER : FINISHED;
  read_nodes(f, &r, unit, head.nodes);
  close_up(unit);
  return r.bad || f->failed ? HAND_IN_BAD : HAND_IN_TAKEN;
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

/* One line for each place, parents before children: depth, state, able, then the step. */
bool frontier_write(const struct frontier *f, FILE *out)
{
  static const char letter[] = "iwwf";
  for (struct place *p = f->root; p; p = walk(f->root, p)) {
    fprintf(out, "%" PRIu32 " %c %" PRIu32, depth_of(p), letter[p->state], p->able);
    const struct unit_step *s = p->step;
    if (s) {
      fprintf(out,
              " %u %u %s %u %u %u %u %u %" PRIxPTR " %" PRIx64 " %" PRIxPTR " %" PRIu32 " %" PRIu32 " %u",
              s->thread, s->final | s->awaits << 2 | s->hidden << 3, op_table[s->op.kind].name, s->op.order,
              s->op.traits, s->op.length, s->op.object, s->op.second, s->op.addr, s->op.arg, s->op.pc, s->nth,
              s->outcome, s->choices);
      for (unsigned i = 0; i < s->choices; i++)
        fprintf(out, " %" PRIu32, ((const uint32_t *)(s + 1))[i]);
    }
    fputc('\n', out);
  }
  fputs("end\n", out);
  return !ferror(out);
}

static struct unit_step *read_step(FILE *in)
{
  struct unit_step s = {0};
  char kind[32];
  unsigned order, traits, choices, thread, final;
  if (fscanf(in,
             "%u %u %31s %u %u %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNxPTR " %" SCNx64 " %" SCNxPTR
             " %" SCNu32 " %" SCNu32 " %u",
             &thread, &final, kind, &order, &traits, &s.op.length, &s.op.object, &s.op.second, &s.op.addr,
             &s.op.arg, &s.op.pc, &s.nth, &s.outcome, &choices) != 14 ||
      op_by_name(kind) == OP_COUNT || thread >= MAX_THREADS || choices > UINT16_MAX)
    return NULL;
  s.op.kind = (uint16_t)op_by_name(kind);
  s.op.order = (uint8_t)order;
  s.op.traits = (uint8_t)traits;
  s.thread = (uint16_t)thread;
  s.final = final & 3;
  s.awaits = final >> 2 & 1;
  s.hidden = final >> 3 & 1;
  s.choices = (uint16_t)choices;
  struct unit_step *copy = calloc(1, unit_step_bytes(&s));
  if (!copy)
    return NULL;
  *copy = s;
  for (unsigned i = 0; i < choices; i++)
    if (fscanf(in, "%" SCNu32, &((uint32_t *)(copy + 1))[i]) != 1) {
      free(copy);
      return NULL;
    }
  return copy;
}

static bool read_place(struct frontier *f, FILE *in, struct place **at, uint32_t depth)
{
  char state;
  uint32_t able;
  if (fscanf(in, " %c %" SCNu32, &state, &able) != 2 || !strchr("iwf", state))
    return false;
  uint32_t is = state == 'i' ? INNER : state == 'w' ? WAITING : FINISHED;
  if (depth == 0) {
    if (*at)
      return false;
    *at = f->root = place_new(f, NULL, NULL, is);
  } else {
    struct place *up = *at;
    while (up && depth_of(up) >= depth)
      up = up->up;
    struct unit_step *step = up && depth_of(up) + 1 == depth ? read_step(in) : NULL;
    if (!step)
      return false;
    *at = place_new(f, up, step, is);
    free(step);
  }
  if (*at)
    (*at)->able = able;
  return *at;
}

bool frontier_read(struct frontier *f, FILE *in, char *error, size_t error_size)
{
  struct place *at = NULL;
  char word[16];
  frontier_close(f);
  for (unsigned long line = 1; fscanf(in, "%15s", word) == 1; line++) {
    char *end;
    if (!strcmp(word, "end") && at)
      return true;
    unsigned long depth = strtoul(word, &end, 10);
    if (*end || end == word || !read_place(f, in, &at, (uint32_t)depth)) {
      snprintf(error, error_size, "its place %lu is damaged", line);
      frontier_close(f);
      return false;
    }
  }
  snprintf(error, error_size, "it is cut short");
  frontier_close(f);
  return false;
}
