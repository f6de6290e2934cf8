/* SPDX-License-Identifier: Apache-2.0
 *
 * Which executions were run, by the prefixes of their threads, and which are to be, the most important first. See
 * causal.h.
 */
#include "causal/causal.h"
#include "core/loss.h"
#include "core/rng.h"

/* The last bit says whether executions are found by it. */
uint64_t causal_prefix_with(uint64_t prefix, uint64_t sign, bool listed)
{
  return (mix64(mix64(prefix + 1) ^ sign) & ~UINT64_C(1)) | listed;
}

uint64_t causal_found_by(const struct causal *c, unsigned thread, uint32_t n)
{
  while (n && !(causal_prefix(c, thread, n) & 1))
    n--;
  return causal_prefix(c, thread, n);
}

static uint32_t mark_of(const struct causal *c, uint64_t number)
{
  uint32_t mask = (1u << CAUSAL_MARK_BITS) - 1, at = (uint32_t)mix64(number) & mask;
  while (c->mark[at] && c->mark[at] != number)
    at = (at + 1) & mask;
  return at;
}

bool causal_is_marked(const struct causal *c, uint64_t number)
{
  return c->mark[mark_of(c, number | !number)];
}

bool causal_mark(struct causal *c, uint64_t number)
{
  uint32_t at = mark_of(c, number | !number);
  if (c->mark[at])
    return false;
  if (c->marks < (1u << CAUSAL_MARK_BITS) / 2) { /* what is found again then is subsumed, if it was run */
    c->mark[at] = number | !number;
    c->marked[c->marks++] = at;
  }
  return true;
}

void causal_forget_classes(struct causal *c)
{
  struct causal_classes *k = &c->classes;
  causal_index_clear(&k->index);
  for (uint32_t i = 0; i < c->marks; i++)
    c->mark[c->marked[i]] = 0;
  k->count = c->marks = 0;
  k->trail_used = 0;
  causal_drop_courses(c);
}

/* ---- executions ---- */

static uint64_t key_of(unsigned thread, uint64_t prefix)
{
  return mix64(prefix + thread) | 1;
}

bool causal_is_listed(const struct causal_event *e)
{
  return e->rule == RULE_MEMORY || causal_sees_outcome(e->rule);
}

/* The class at the end of the trail, of that many words. False: there is no room. */
static bool finish_class(struct causal_classes *k, uint64_t words)
{
  uint64_t at = k->trail_used, out = at + 1 + k->trail[at];
  bool listed = true;
  for (unsigned u = 0; u < k->trail[at]; u++) {
    uint64_t count = k->trail[at + 1 + u];
    for (uint64_t i = 0; i < count; i++)
      if (k->trail[out + i] & 1)
        listed &= causal_index_add(&k->index, key_of(u, k->trail[out + i]), k->count);
    k->trail[at + 1 + u] = out << 24 | count;
    out += count;
  }
  k->start[k->count++] = at;
  k->trail_used += words;
  return listed;
}

static bool has_room(const struct causal_classes *k, uint64_t words)
{
  return k->count < CAUSAL_CLASSES && k->trail_used + words <= CAUSAL_TRAIL;
}

void causal_add_class(struct causal *c)
{
  struct causal_classes *k = &c->classes;
  const struct causal_trace *t = &c->trace;
  uint64_t at = k->trail_used, out = at + 1 + t->threads;
  causal_mark_class(c, c->class_hash);
  if (!has_room(k, 1 + t->threads + t->events)) {
    c->full = true;
    return;
  }
  k->trail[at] = t->threads;
  for (unsigned u = 0; u < t->threads; u++) {
    k->trail[at + 1 + u] = t->thread[u].count;
    for (uint32_t i = 0; i < t->thread[u].count; i++)
      k->trail[out++] = causal_prefix(c, u, i + 1);
  }
  c->full |= !finish_class(k, out - at);
}

uint64_t causal_class_words(const struct causal_classes *k, uint32_t class)
{
  return (class + 1 < k->count ? k->start[class + 1] : k->trail_used) - k->start[class];
}

void causal_class_write(const struct causal_classes *k, uint32_t class, uint64_t *out)
{
  uint64_t words = causal_class_words(k, class), threads = k->trail[k->start[class]];
  for (uint64_t i = 0; i < words; i++)
    out[i] = k->trail[k->start[class] + i];
  for (uint64_t u = 0; u < threads; u++)
    out[1 + u] &= 0xffffff;
}

bool causal_class_read(struct causal_classes *k, const uint64_t *class)
{
  uint64_t words = 1 + class[0];
  for (uint64_t u = 0; u < class[0]; u++)
    words += class[1 + u];
  if (!has_room(k, words))
    return false;
  for (uint64_t i = 0; i < words; i++)
    k->trail[k->trail_used + i] = class[i];
  return finish_class(k, words);
}

uint64_t causal_class_hash(const uint64_t *class)
{
  const uint64_t *prefix = class + 1 + class[0];
  uint64_t hash = 0;
  for (uint64_t u = 0; u < class[0]; u++) {
    prefix += class[1 + u];
    hash += mix64((class[1 + u] ? prefix[-1] : 0) + u);
  }
  return hash;
}

bool causal_mark_class(struct causal *c, uint64_t hash)
{
  return causal_mark(c, mix64(hash ^ UINT64_C(0x636c617373)));
}

/* It has the first n steps of the thread, as they are. */
static bool has_prefix(const struct causal_classes *k, uint64_t start, unsigned thread, uint32_t n, uint64_t prefix)
{
  if (!n)
    return true;
  if (thread >= k->trail[start])
    return false;
  uint64_t where = k->trail[start + 1 + thread];
  return (where & 0xffffff) >= n && k->trail[(where >> 24) + n - 1] == prefix;
}

/* What the thread has done at the end of the course. */
static struct causal_begun begun_at_end(const struct causal_course *course, unsigned thread)
{
  struct causal_begun begun = course->begun[thread];
  if (thread == course->thread) {
    begun.steps++;
    begun.prefix = causal_prefix_with(begun.prefix, course->wanted, course->listed);
    begun.found_by = course->listed ? begun.prefix : begun.found_by;
  }
  return begun;
}

static bool has_all(const struct causal_classes *k, uint32_t class, const struct causal_course *course)
{
  for (unsigned u = 0; u < course->threads; u++) {
    struct causal_begun begun = begun_at_end(course, u);
    if (!has_prefix(k, k->start[class], u, (uint32_t)begun.steps, begun.prefix))
      return false;
  }
  return true;
}

bool causal_is_subsumed(const struct causal *c, const struct causal_course *course)
{
  const struct causal_classes *k = &c->classes;
  struct causal_common common = {0};
  for (unsigned u = 0; u < course->threads; u++) {
    struct causal_begun begun = begun_at_end(course, u);
    if (begun.found_by)
      causal_common_add(&common, &k->index, key_of(u, begun.found_by));
  }
  if (!common.keys) {
    for (uint32_t i = k->count; i-- > 0;)
      if (has_all(k, i, course))
        return true;
    return false;
  }
  for (uint32_t class; (class = causal_common_next(&common, &k->index)) != UINT32_MAX;)
    if (has_all(k, class, course))
      return true;
  return false;
}

/* ---- courses ---- */

/* One is within the other: of one question, so with the same last step. */
static bool is_within(const struct causal_course *a, const struct causal_course *b)
{
  if (a->wanted != b->wanted || a->thread != b->thread)
    return false;
  for (unsigned u = 0; u < a->threads; u++)
    if (a->begun[u].steps > b->begun[u].steps)
      return false;
  return true;
}

static void fill_course(struct causal *c, struct causal_course *course)
{
  const struct causal_replay *r = &c->replay;
  const struct causal_trace *t = &c->trace;
  uint32_t nth[CAUSAL_THREADS] = {0};
  course->number = course->wanted + course->thread;
  for (unsigned u = 0; u < t->threads; u++) {
    struct causal_begun *begun = &course->begun[u];
    *begun = (struct causal_begun){r->at[u], causal_prefix(c, u, r->at[u]), causal_found_by(c, u, r->at[u])};
    course->number += mix64(mix64(u + (begun->steps << 8)) ^ begun->prefix);
  }
  uint64_t *step = (uint64_t *)&course->begun[t->threads];
  for (uint32_t i = 0; i < r->taken_count; i++) {
    unsigned u = r->taken[i].thread;
    uint64_t what = causal_event_of(t, u, nth[u]++)->what;
    step[i] = what >> 32 << 32 | (uint64_t)r->taken[i].choice << 16 | u;
  }
}

/* Of the courses of this question, those that are within it are dropped. False: it is within one. */
static bool is_larger(struct causal *c, uint32_t first, const struct causal_course *course)
{
  struct causal_work *w = &c->work;
  for (uint32_t i = first; i < w->count; i++)
    if (is_within(course, causal_course_at(w, w->start[i])) && !causal_course_at(w, w->start[i])->dropped)
      return false;
  for (uint32_t i = first; i < w->count; i++)
    if (is_within(causal_course_at(w, w->start[i]), course))
      causal_course_at(w, w->start[i])->dropped = true;
  return true;
}

void causal_add_course(struct causal *c, uint32_t first, const struct causal_event *e, uint64_t sign, unsigned choice,
                       enum causal_reason reason)
{
  struct causal_work *w = &c->work;
  uint32_t words = causal_course_words(c->trace.threads, c->replay.taken_count);
  if (w->count == CAUSAL_COURSES || w->pool_used + words > CAUSAL_POOL || w->pool_used > UINT32_MAX) {
    c->full = true;
    return;
  }
  struct causal_course *course = causal_course_at(w, w->pool_used);
  *course = (struct causal_course){.wanted = sign,
                                   .words = words,
                                   .steps = c->replay.taken_count,
                                   .threads = (uint16_t)c->trace.threads,
                                   .thread = e ? e->thread : CAUSAL_THREADS,
                                   .choice = (uint16_t)choice,
                                   .reason = (uint8_t)reason,
                                   .listed = e && causal_is_listed(e)};
  fill_course(c, course);
  if (e && (!is_larger(c, first, course) || causal_is_subsumed(c, course)))
    return;
  w->start[w->count++] = (uint32_t)w->pool_used;
  w->pool_used += words;
}

void causal_add_race(struct causal *c, uint32_t first, uintptr_t a, uintptr_t b)
{
  uint32_t before = c->work.count;
  causal_add_course(c, first, NULL, mix64(a) ^ b, 0, REASON_RACE);
  if (c->work.count == before)
    return;
  struct causal_course *course = causal_course_at(&c->work, c->work.start[before]);
  course->racing[0] = a;
  course->racing[1] = b;
}

void causal_keep_courses(struct causal *c, uint32_t first)
{
  struct causal_work *w = &c->work;
  uint32_t kept = first;
  uint64_t out = first < w->count ? w->start[first] : 0;
  for (uint32_t i = first; i < w->count; i++) {
    const struct causal_course *course = causal_course_at(w, w->start[i]);
    if (course->dropped || !causal_mark(c, course->number))
      continue;
    uint32_t words = course->words, from = w->start[i];
    for (uint32_t j = 0; j < words && from != out; j++)
      w->pool[out + j] = w->pool[from + j];
    w->start[kept++] = (uint32_t)out;
    out += words;
  }
  if (first < w->count)
    w->pool_used = out;
  w->count = kept;
}

static bool comes_later(const struct causal_course *a, const struct causal_course *b)
{
  return a->steps > b->steps;
}

static void keep_room(struct causal_work *w, uint32_t i)
{
  uint64_t end = w->start[i] + (uint64_t)causal_course_at(w, w->start[i])->words;
  w->ceiling[i] = i && w->ceiling[i - 1] > end ? w->ceiling[i - 1] : end;
}

static void list_course(struct causal_work *w, uint32_t i)
{
  struct causal_course *course = causal_course_at(w, w->start[i]);
  course->next = w->head[course->reason];
  w->head[course->reason] = w->start[i] + UINT64_C(1);
}

void causal_list_courses(struct causal *c, uint32_t first)
{
  struct causal_work *w = &c->work;
  for (uint32_t i = first + 1; i < w->count; i++)
    for (uint32_t j = i;
         j > first && comes_later(causal_course_at(w, w->start[j]), causal_course_at(w, w->start[j - 1])); j--) {
      uint32_t other = w->start[j];
      w->start[j] = w->start[j - 1];
      w->start[j - 1] = other;
    }
  for (uint32_t i = first; i < w->count; i++) {
    keep_room(w, i);
    if (!c->batched)
      list_course(w, i);
  }
}

void causal_receive_course(struct causal *c, const struct causal_course *course, bool given)
{
  struct causal_work *w = &c->work;
  uint32_t words = course->words;
  if (w->count == CAUSAL_COURSES || w->pool_used + words > CAUSAL_POOL || w->pool_used > UINT32_MAX) {
    c->full = true;
    return;
  }
  for (uint32_t i = 0; i < words; i++)
    w->pool[w->pool_used + i] = ((const uint64_t *)course)[i];
  w->start[w->count] = (uint32_t)w->pool_used;
  w->pool_used += words;
  struct causal_course *here = causal_course_at(w, w->start[w->count]);
  here->dropped = false;
  here->given = given;
  keep_room(w, w->count);
  if (!given)
    list_course(w, w->count);
  w->count++;
}

void causal_list_given(struct causal *c)
{
  for (uint32_t i = c->work.count; i-- > 0;)
    list_course(&c->work, i);
}

void causal_drop_courses(struct causal *c)
{
  c->work.count = 0;
  c->work.pool_used = 0;
  for (unsigned i = 0; i < REASONS; i++)
    c->work.head[i] = 0;
}

static void make_room(struct causal_work *w)
{
  while (w->count && causal_course_at(w, w->start[w->count - 1])->dropped)
    w->count--;
  w->pool_used = w->count ? w->ceiling[w->count - 1] : 0;
}

/* The first of that reason; 0: none. + 1 */
static uint64_t take_first(struct causal_work *w, unsigned reason)
{
  uint64_t at = w->head[reason];
  if (at) {
    struct causal_course *course = causal_course_at(w, at - 1);
    w->head[reason] = course->next;
    course->dropped = true;
  }
  return at;
}

uint64_t causal_next_course(struct causal *c)
{
  struct causal_work *w = &c->work;
  make_room(w); /* what is taken stays until the next one is asked for */
  for (unsigned reason = REASONS; reason-- > 0;)
    for (uint64_t at; (at = take_first(w, reason));) {
      const struct causal_course *course = causal_course_at(w, at - 1);
      if (course->thread == CAUSAL_THREADS || !causal_is_subsumed(c, course))
        return at;
      c->planned.subsumed++;
    }
  return 0;
}
