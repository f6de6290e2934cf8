/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlocks of trace programs in words, and as predictions.
 */
#include "worlds/trace/model.h"
#include <stdlib.h>
#include <string.h>

static void write_step(const struct model_step *s, const struct trace_program *p, const struct trace *t, FILE *out)
{
  char text[160];
  const struct program_line *line = &p->body[s->thread].line[s->line];
  program_line_text(p, t, line, text, sizeof text);
  text[strcspn(text, "{")] = 0;
  fprintf(out, "  %-8s %s%-32s %s #%u\n", t->threads[s->thread].text, s->op == OP_COND_WAKE ? "WAKE from " : "", text,
          s->site ? t->sites[s->site].text : "?", s->occurrence);
}

void model_write(const struct model_group *g, const struct trace_program *p, const struct trace *t, FILE *out)
{
  for (uint32_t i = 0; i < g->steps; i++)
    write_step(&g->step[i], p, t, out);
  fprintf(out, "blocked:\n");
  for (uint32_t i = 0; i < g->blocked_count; i++)
    write_step(&g->blocked[i], p, t, out);
}

static struct prediction_party party_of(const struct model_step *s)
{
  bool joins = s->op == OP_JOIN;
  uint32_t site = s->flags & LINE_ELSEWHERE ? 0 : s->site;
  return (struct prediction_party){.thread = s->thread,
                                   .op = s->op == OP_COND_WAIT        ? OP_COND_WAKE
                                         : s->op == OP_BARRIER_ARRIVE ? OP_BARRIER_LEAVE
                                                                      : s->op,
                                   .context_length = 1,
                                   .object = joins ? 0 : s->object,
                                   .site = site,
                                   .occurrence = s->occurrence,
                                   .context = {site}};
}

static void console_line(struct prediction *p, const struct model_group *g)
{
  bool synthetic = false;
  for (uint32_t i = 0; i < g->blocked_count; i++)
    synthetic |= g->blocked[i].flags & LINE_SYNTHETIC;
  snprintf(p->text, sizeof p->text, "%s%s%s", g->communication ? "a signal comes too early, or not at all" : "",
           synthetic ? "; in the recorded run nobody waited there" : "", g->walked ? "; found by random walks" : "");
}

void model_predict(const struct model_result *r, bool locks, struct predictions *predictions)
{
  for (uint32_t i = 0; i < r->groups; i++) {
    const struct model_group *g = &r->group[i];
    struct prediction p = {.kind = g->communication ? PREDICT_COMMUNICATION : PREDICT_DEADLOCK, .group = i + 1};
    if (!g->communication && !locks)
      continue;
    for (uint32_t k = 0; k < g->blocked_count && p.party_count < PREDICTION_PARTIES; k++)
      p.party[p.party_count++] = party_of(&g->blocked[k]);
    console_line(&p, g);
    predictions_add(predictions, &p);
  }
}
