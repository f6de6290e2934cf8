/* SPDX-License-Identifier: Apache-2.0
 *
 * The frontier of a shared search as text, see its header.
 */
#include "session/frontier.h"
#include "session/place.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_lessons(FILE *out, const struct lessons *l)
{
  fprintf(out, "lessons %" PRIu32 " %d %d %d %d", l->creator, l->many_creators,
          l->polls_exit | l->updates_show << 1 | l->told_apart << 2 | l->thrifty << 3 | l->comes_round << 4,
          l->livelocked, l->chooses);
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    fprintf(out, " %" PRIx64, l->interrupted.word[i]);
  fprintf(out, " %" PRIu32, l->places);
  for (uint32_t i = 0; i < l->places; i++)
    fprintf(out, " %" PRIx64, l->place[i]);
  fputc('\n', out);
}

static bool read_lessons(FILE *in, struct lessons *l)
{
  int many_creators, shows, livelocked, chooses;
  if (fscanf(in, " lessons %" SCNu32 " %d %d %d %d", &l->creator, &many_creators, &shows, &livelocked, &chooses) != 5 ||
      l->creator > MAX_THREADS)
    return false;
  l->many_creators = many_creators;
  l->polls_exit = shows & 1;
  l->updates_show = shows & 2;
  l->told_apart = shows & 4;
  l->thrifty = shows & 8;
  l->comes_round = shows & 16;
  l->livelocked = livelocked;
  l->chooses = chooses;
  for (unsigned i = 0; i < THREADSET_WORDS; i++)
    if (fscanf(in, "%" SCNx64, &l->interrupted.word[i]) != 1)
      return false;
  if (fscanf(in, "%" SCNu32, &l->places) != 1 || l->places > LESSON_PLACES)
    return false;
  for (uint32_t i = 0; i < l->places; i++)
    if (fscanf(in, "%" SCNx64, &l->place[i]) != 1)
      return false;
  return true;
}

/* What is said of the step and of where its object lives, as one number. */
static unsigned marks_of(const struct unit_step *s)
{
  return s->final | (unsigned)s->awaits << 2 | (unsigned)s->hidden << 3 | (unsigned)s->supposed << 4 |
         (unsigned)s->wide << 5 | (unsigned)s->op.space << 8 | (unsigned)s->outcomes << 16;
}

static void read_marks(struct unit_step *s, unsigned marks)
{
  s->final = marks & 3;
  s->awaits = marks >> 2 & 1;
  s->hidden = marks >> 3 & 1;
  s->supposed = marks >> 4 & 1;
  s->wide = marks >> 5 & 1;
  s->op.space = marks >> 8 & 255;
  s->outcomes = (uint16_t)(marks >> 16);
}

static void write_step(FILE *out, const struct unit_step *s)
{
  fprintf(out,
          " %u %u %s %u %u %u %u %u %" PRIxPTR " %" PRIx64 " %" PRIxPTR " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
          " %u %u",
          s->thread, marks_of(s), op_table[s->op.kind].name, s->op.order, s->op.traits, s->op.length, s->op.object,
          s->op.second, s->op.addr, s->op.arg, s->op.pc, s->nth, s->outcome, s->cost, s->turn, s->choices, s->watched);
  for (unsigned i = 0; i < s->choices; i++)
    fprintf(out, " %" PRIu32, ((const uint32_t *)(s + 1))[i]);
  for (unsigned i = 0; i < s->watched; i++)
    fprintf(out, " %" PRIx64 " %" PRIx64, unit_step_watched(s)[i].key, unit_step_watched(s)[i].bytes);
}

/* What was learnt, and one line for each place, parents before children: depth, state, able, then the step. */
bool frontier_write(const struct frontier *f, FILE *out)
{
  uint32_t depth = 0;
  write_lessons(out, &f->lessons);
  for (struct place *p = f->root; p;) {
    char state = p->state == FINISHED ? 'f' : p->first ? 'i' : 'w';
    fprintf(out, "%" PRIu32 " %c %" PRIu32, depth, state, p->able);
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
             " %" SCNu32 " %" SCNu32 " %" SCNu32 " %u %u",
             &thread, &marks, kind, &order, &traits, &s.op.length, &s.op.object, &s.op.second, &s.op.addr, &s.op.arg,
             &s.op.pc, &s.nth, &s.outcome, &s.cost, &s.turn, &choices, &watched) != 17 ||
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
  uint32_t leaf = step && step->cost > frontier_reach(f) ? BEYOND : WAITING;
  struct place *p = place_new(f, up, step, state == 'i' ? INNER : state == 'w' ? leaf : FINISHED);
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
