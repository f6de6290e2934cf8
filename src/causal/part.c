/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a search by causality as bytes, see the header: written, read and checked.
 */
#include "causal/part.h"

/* ---- words ---- */

struct writer {
  uint64_t *at;
  uint64_t left;
};

static uint64_t *put(struct writer *w, uint64_t words)
{
  if (words > w->left)
    return NULL;
  uint64_t *here = w->at;
  w->at += words;
  w->left -= words;
  return here;
}

struct reader {
  const uint64_t *at;
  uint64_t left;
  bool bad;
};

static const uint64_t *get(struct reader *r, uint64_t words)
{
  r->bad |= words > r->left;
  if (r->bad)
    return NULL;
  const uint64_t *here = r->at;
  r->at += words;
  r->left -= words;
  return here;
}

static void copy(uint64_t *to, const uint64_t *from, uint64_t words)
{
  for (uint64_t i = 0; i < words; i++)
    to[i] = from[i];
}

/* ---- classes ---- */

static bool put_class(struct writer *w, const struct causal_classes *k, uint32_t class)
{
  uint64_t words = causal_class_words(k, class);
  uint64_t *out = put(w, words + 1);
  if (!out)
    return false;
  *out = words;
  causal_class_write(k, class, out + 1);
  return true;
}

/* The next one, as causal_class_write() wrote it; NULL: there is none that makes sense. */
static const uint64_t *get_class(struct reader *r)
{
  const uint64_t *words = get(r, 1);
  const uint64_t *class = words && *words ? get(r, *words) : NULL;
  uint64_t need = class ? 1 + class[0] : 0;
  r->bad |= !class || class[0] > CAUSAL_THREADS || need > *words;
  for (uint64_t u = 0; !r->bad && u < class[0]; u++)
    need += class[1 + u] <= CAUSAL_EVENTS ? class[1 + u] : UINT32_MAX;
  r->bad |= class && need != *words;
  return r->bad ? NULL : class;
}

/* ---- courses ---- */

static bool put_course(struct writer *w, const struct causal_course *course)
{
  uint64_t *out = put(w, course->words);
  if (out)
    copy(out, (const uint64_t *)course, course->words);
  return out;
}

static const struct causal_course *get_course(struct reader *r)
{
  const uint64_t head = sizeof(struct causal_course) / 8;
  const struct causal_course *course = r->left >= head ? (const struct causal_course *)r->at : NULL;
  r->bad |= !course || course->threads > CAUSAL_THREADS || course->reason >= REASONS || course->steps > CAUSAL_EVENTS ||
            (course->thread >= course->threads && course->thread != CAUSAL_THREADS) ||
            course->words != causal_course_words(course->threads, course->steps);
  return course && get(r, r->bad ? 0 : course->words) && !r->bad ? course : NULL;
}

/* ---- who explores ---- */

bool causal_take_job(struct causal *c, const struct causal_job *job, uint64_t bytes)
{
  struct reader r = {(const uint64_t *)(job + 1), (bytes - sizeof *job) / 8, false};
  if (bytes < sizeof *job)
    return false;
  c->lacks = job->base && (job->epoch != c->epoch || job->base != c->told);
  c->batched = !job->alone;
  c->finished = c->lacks;
  c->planned = (struct planned){0};
  c->course = 0;
  if (c->lacks)
    return true;
  if (!job->base)
    causal_forget(c);
  causal_drop_courses(c);
  c->epoch = job->epoch;
  c->told = job->base + job->classes;
  for (uint32_t i = 0; i < job->classes; i++) {
    const uint64_t *class = get_class(&r);
    if (class && causal_mark_class(c, causal_class_hash(class)))
      c->full |= !causal_class_read(&c->classes, class);
  }
  c->handed = c->classes.count;
  for (uint32_t i = 0; i < job->courses && !r.bad; i++) {
    const struct causal_course *course = get_course(&r);
    if (course)
      causal_receive_course(c, course, true);
  }
  causal_list_given(c);
  c->finished = !job->begins && !(c->course = causal_next_course(c));
  return !r.bad;
}

uint64_t causal_write_answer(struct causal *c, struct causal_answer *out, uint64_t room)
{
  struct writer w = {(uint64_t *)(out + 1), room / 8 - sizeof *out / 8};
  struct causal_work *work = &c->work;
  const struct causal_course *now = c->course ? causal_course_at(work, c->course - 1) : NULL;
  *out = (struct causal_answer){.lacks = c->lacks, .full = c->full, .planned = c->planned};
  for (uint32_t i = c->handed; i < c->classes.count && !c->lacks; i++, out->classes++)
    if (!put_class(&w, &c->classes, i)) {
      out->full = true;
      break;
    }
  for (uint32_t i = 0; i < work->count && !c->lacks; i++) {
    const struct causal_course *course = causal_course_at(work, work->start[i]);
    if (course->dropped && course != now)
      continue;
    if (!put_course(&w, course)) {
      out->full = true;
      break;
    }
    out->courses++;
  }
  c->planned = (struct planned){0};
  c->handed = c->classes.count;
  return (uint64_t)((char *)w.at - (char *)out);
}

/* ---- who keeps it all ---- */

uint64_t causal_write_job(struct causal *keeper, struct causal_job *out, uint64_t room, uint32_t most)
{
  struct writer w = {(uint64_t *)(out + 1), room / 8 - sizeof *out / 8};
  for (uint32_t i = out->base; i < keeper->classes.count; i++, out->classes++)
    if (!put_class(&w, &keeper->classes, i))
      return 0;
  while (out->courses < most) {
    uint64_t at = causal_next_course(keeper);
    if (!at)
      break;
    if (!put_course(&w, causal_course_at(&keeper->work, at - 1))) {
      causal_receive_course(keeper, causal_course_at(&keeper->work, at - 1), false);
      break;
    }
    out->courses++;
  }
  return (uint64_t)((char *)w.at - (char *)out);
}

bool causal_take_answer(struct causal *keeper, const struct causal_answer *in, uint64_t bytes, uint64_t *repeats)
{
  if (bytes < sizeof *in)
    return false;
  struct reader r = {(const uint64_t *)(in + 1), (bytes - sizeof *in) / 8, false};
  for (uint32_t i = 0; i < in->classes; i++) {
    const uint64_t *class = get_class(&r);
    if (!class)
      return false;
    if (causal_mark_class(keeper, causal_class_hash(class)))
      keeper->full |= !causal_class_read(&keeper->classes, class);
    else
      ++*repeats;
  }
  for (uint32_t i = 0; i < in->courses; i++) {
    const struct causal_course *course = get_course(&r);
    if (!course)
      return false;
    if (course->given || causal_mark(keeper, course->number))
      causal_receive_course(keeper, course, false);
  }
  keeper->planned.executions += in->planned.executions;
  keeper->planned.shown += in->planned.shown;
  keeper->planned.subsumed += in->planned.subsumed;
  keeper->full |= in->full;
  return true;
}

void causal_return_job(struct causal *keeper, const struct causal_job *job)
{
  struct reader r = {(const uint64_t *)(job + 1), UINT64_MAX, false};
  for (uint32_t i = 0; i < job->classes; i++)
    get_class(&r);
  for (uint32_t i = 0; i < job->courses; i++)
    causal_receive_course(keeper, get_course(&r), false);
}
