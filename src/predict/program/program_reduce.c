/* SPDX-License-Identifier: Apache-2.0
 *
 * The last reduction of a trace program, when it is known who uses what: operations on locks and semaphores of a single
 * thread, signals of condition variables that nobody waits on, predicates that nobody asks for, and guards of nothing
 * go. What is left may have longer regions of locks, so these are reduced again; and so on until nothing
 * changes. */
#include "predict/program/program_builder.h"
#include <stdlib.h>
#include <string.h>

#define SEVERAL UINT32_MAX /* threads */

struct uses {
  uint32_t *user; /* of an object: a thread, or SEVERAL */
  bool *waited;   /* a condition variable */
  bool *tested;   /* a variable */
};

static void use(struct uses *u, uint32_t object, uint32_t thread)
{
  u->user[object] = !u->user[object] || u->user[object] == thread ? thread : SEVERAL;
}

static void count_uses(const struct trace_program *p, struct uses *u)
{
  memset(u->user, 0, p->objects * sizeof *u->user);
  memset(u->waited, 0, p->objects * sizeof *u->waited);
  memset(u->tested, 0, p->variables * sizeof *u->tested);
  for (uint32_t t = 1; t < p->threads; t++)
    for (uint32_t i = 0; i < p->body[t].count; i++) {
      const struct program_line *line = &p->body[t].line[i];
      if (line->kind == LINE_IF) {
        u->tested[p->predicate[line->object].variable] = true;
        u->tested[p->predicate[line->object].other] = true;
      } else if (line->kind != LINE_SET && line->kind != LINE_ADD && line->kind != LINE_END &&
                 line->kind != LINE_START && line->kind != LINE_JOIN)
        use(u, line->object, t);
      if (line->kind == LINE_WAIT || line->kind == LINE_TWAIT) {
        use(u, line->second, t);
        u->waited[line->object] = true;
      }
    }
}

static bool matters(const struct uses *u, const struct program_line *line)
{
  switch (line->kind) {
  case LINE_ACQ:
  case LINE_SHARE:
  case LINE_REL:
  case LINE_DOWN:
  case LINE_UP:
    return u->user[line->object] == SEVERAL;
  case LINE_SIG:
  case LINE_BCAST:
    return u->waited[line->object];
  case LINE_SET:
  case LINE_ADD:
    return u->tested[line->object];
  default:
    return true;
  }
}

static bool reduce_body(const struct uses *u, struct body *body)
{
  struct body shorter = {.started = body->started};
  struct region region = {0};
  bool ok = true;
  for (uint32_t i = 0; ok && i < body->count; i++) {
    struct program_line line = body->line[i];
    line.jump = 0;
    if ((line.kind == LINE_WAIT || line.kind == LINE_TWAIT) && u->user[line.second] != SEVERAL)
      line.second = 0;
    bool empty = line.kind == LINE_END && shorter.count && shorter.line[shorter.count - 1].kind == LINE_IF;
    if (empty)
      region.scope = --shorter.count;
    else if (matters(u, &line))
      ok = region_add(&shorter, &region, &line);
  }
  region_free(&region);
  free(body->line);
  *body = shorter;
  return ok;
}

static uint64_t count_lines(const struct trace_program *p)
{
  uint64_t n = 0;
  for (uint32_t t = 1; t < p->threads; t++)
    for (uint32_t i = 0; i < p->body[t].count; i++)
      n += p->body[t].line[i].kind != LINE_END;
  return n;
}

/* ---- jumps ---- */

/* A guard around nothing but waits without a timeout can be tried again and again: each time takes a signal, and there
 * are finitely many of those. Further waits in it were further times. */
static bool only_waits(const struct body *body, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++) {
    enum line_kind kind = body->line[i].kind;
    if (kind != LINE_WAIT && kind != LINE_ACQ && kind != LINE_REL)
      return false;
  }
  return true;
}

/* All but the first wait between these lines go; how many. */
static uint32_t keep_first_wait(struct body *body, uint32_t from, uint32_t to)
{
  uint32_t first = from;
  while (first < to && body->line[first].kind != LINE_WAIT)
    first++;
  uint32_t rest = first + 1;
  while (rest < to && body->line[rest].kind == LINE_WAIT)
    rest++;
  if (first == to || rest == first + 1)
    return 0;
  memmove(&body->line[first + 1], &body->line[rest], (body->count - rest) * sizeof *body->line);
  body->count -= rest - first - 1;
  return rest - first - 1;
}

static void find_ends(struct body *body, bool loop_guards)
{
  uint32_t open = 0; /* the innermost IF, + 1; the one around it is in its jump */
  for (uint32_t i = 0; i < body->count; i++) {
    struct program_line *line = &body->line[i];
    if (line->kind == LINE_IF) {
      line->jump = open;
      open = i + 1;
    } else if (line->kind == LINE_END && open) {
      uint32_t begin = open - 1;
      open = body->line[begin].jump;
      bool loops = loop_guards && (body->line[begin].flags & LINE_WAITS) && only_waits(body, begin + 1, i);
      if (loops)
        i -= keep_first_wait(body, begin + 1, i);
      body->line[i].jump = begin;
      body->line[i].flags |= loops ? LINE_LOOPS : 0;
      body->line[begin].jump = i + 1;
    }
  }
}

static void find_releases(struct body *body)
{
  for (uint32_t i = 0; i < body->count; i++) {
    struct program_line *line = &body->line[i];
    if (line->kind == LINE_IF || line->kind == LINE_END)
      continue;
    line->jump = i + 1;
    if (!(line->flags & LINE_TRIES) || line->kind == LINE_DOWN)
      continue;
    uint32_t j = i + 1;
    while (j < body->count && !(body->line[j].kind == LINE_REL && body->line[j].object == line->object))
      j++;
    line->jump = j < body->count ? j + 1 : i + 1;
  }
}

bool program_reduce(struct trace_program *p, bool loop_guards)
{
  struct uses u = {calloc(p->objects + 1, sizeof *u.user), calloc(p->objects + 1, sizeof *u.waited),
                   calloc(p->variables + 1, sizeof *u.tested)};
  bool ok = u.user && u.waited && u.tested;
  p->after = count_lines(p) + 1;
  while (ok && p->after != count_lines(p)) {
    p->after = count_lines(p);
    count_uses(p, &u);
    for (uint32_t t = 1; ok && t < p->threads; t++)
      ok = reduce_body(&u, &p->body[t]);
  }
  for (uint32_t t = 1; ok && t < p->threads; t++) {
    find_ends(&p->body[t], loop_guards);
    find_releases(&p->body[t]);
  }
  p->after = count_lines(p);
  free(u.user);
  free(u.waited);
  free(u.tested);
  return ok;
}
