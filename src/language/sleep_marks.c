/* SPDX-License-Identifier: Apache-2.0
 *
 * Where events may stand in a test; see sleep_marks.h.
 */
#include "language/sleep_marks.h"
#include <stdio.h>
#include <stdlib.h>

static bool is_own(const struct c_function *f)
{
  if (f->only_sleeps && f->callers)
    return false;
  return !f->callers || f->creates || (f->sleeps && f->callers == 1);
}

static void add_mark(struct sleep_marks *m, enum sleep_mark_kind kind, size_t statement)
{
  m->mark[m->marks++] = (struct sleep_mark){kind, statement};
}

/* Between two statements there is one mark, and behind a sleep that of the sleep. What is in an #if has none but one
 * before it. */
static void mark_statement(struct sleep_marks *m, const struct c_file *f, size_t i)
{
  const struct c_statement *s = &f->statement[i];
  const struct c_statement *before = s->after == C_NONE ? NULL : &f->statement[s->after];
  const bool after_jump = before && before->kind == C_JUMP,
             after_sleep = before && before->sleeps && !before->conditional;
  if (s->in_list && s->before != C_NONE && !after_jump && !after_sleep &&
      ((s->calls && !s->sleeps) || (before && before->calls)))
    add_mark(m, MARK_BEFORE, i);
  if (s->conditional)
    return;
  if (s->sleeps)
    add_mark(m, MARK_SLEEP, i);
  else if (s->in_list && s->last && s->calls && s->kind != C_JUMP)
    add_mark(m, MARK_BEHIND, i);
}

/* A name for a sleep is no place of its own. */
static bool is_name_for_sleep(const struct c_function *f)
{
  return f->only_sleeps && f->callers;
}

bool sleep_marks_find(struct sleep_marks *m, const struct c_file *f)
{
  *m = (struct sleep_marks){.mark = calloc(2 * f->statements + 1, sizeof *m->mark),
                            .left = calloc(f->statements + 1, sizeof *m->left)};
  if (!m->mark || !m->left) {
    sleep_marks_free(m);
    return false;
  }
  for (size_t i = 0; i < f->statements; i++) {
    const struct c_function *function = &f->function[f->statement[i].function];
    const bool own = is_own(function);
    if (own)
      mark_statement(m, f, i);
    if (f->statement[i].sleeps && (own ? f->statement[i].conditional : !is_name_for_sleep(function)))
      m->left[m->left_count++] = i;
  }
  return true;
}

void sleep_marks_free(struct sleep_marks *m)
{
  free(m->mark);
  free(m->left);
  *m = (struct sleep_marks){0};
}

bool sleep_marks_number(const struct sleep_marks *m, const struct c_file *f, struct source_patch *patch)
{
  bool done = true;
  for (size_t i = 0; i < m->marks; i++) {
    const struct c_statement *s = &f->statement[m->mark[i].statement];
    const enum sleep_mark_kind kind = m->mark[i].kind;
    char text[48];
    const char *form = kind != MARK_BEFORE ? " HD_EVENT(m%zu);"
                       : s->conditional    ? "HD_EVENT(m%zu);\n"
                                           : "HD_EVENT(m%zu); ";
    snprintf(text, sizeof text, form, i);
    if (kind == MARK_SLEEP)
      done = done && source_patch_insert(patch, s->begin, "{ ");
    done = done && source_patch_insert(patch, kind == MARK_BEFORE ? s->before : s->end, text);
    if (kind == MARK_SLEEP)
      done = done && source_patch_insert(patch, s->end, " }");
  }
  return done;
}
