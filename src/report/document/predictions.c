/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling of predictions; see predictions.h.
 */
#include "report/document/predictions.h"
#include "report/document/build_json.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>

static const char *site_text(const struct trace *t, uint32_t site)
{
  return site && site < t->site_count ? t->sites[site].text : "somewhere";
}

static const char *object_text(const struct trace *t, uint32_t object)
{
  return object && object < t->object_count ? t->objects[object].text : "memory";
}

static const char *thread_text(const struct trace *t, uint32_t thread)
{
  return thread && thread < t->thread_count ? t->threads[thread].text : "a thread";
}

static const char *function_text(const struct trace *t, uint64_t function)
{
  return function && function < t->function_count ? t->functions[function].name : "a function";
}

static const char *phrase(const struct prediction_party *p)
{
  return p->op < OP_COUNT ? op_table[p->op].phrase : "does something with";
}

static void add_lock_wish(const struct trace *t, const struct prediction_party *p, char *out, size_t n)
{
  append(out, n, "%s wants %s (%s)", thread_text(t, p->thread), object_text(t, p->object), site_text(t, p->site));
  for (uint32_t i = 0; i + 1 < p->context_length; i++)
    append(out, n, "%s%s", i ? ", " : " with locks taken at ", site_text(t, p->context[i]));
}

static void add_party(const struct trace *t, enum prediction_kind kind, const struct prediction_party *p, char *out,
                      size_t n)
{
  if (kind == PREDICT_DEADLOCK)
    add_lock_wish(t, p, out, n);
  else if (kind == PREDICT_TYPESTATE)
    append(out, n, "%s calls %s on %s (%s)", thread_text(t, p->thread), function_text(t, p->addr),
           object_text(t, p->object), site_text(t, p->site));
  else if (!p->object && p->addr && trace_memory_name(t, p->addr))
    append(out, n, "%s %s %s (%s)", thread_text(t, p->thread), phrase(p), trace_memory_name(t, p->addr),
           site_text(t, p->site));
  else if (p->object)
    append(out, n, "%s %s %s (%s)", thread_text(t, p->thread), phrase(p), object_text(t, p->object),
           site_text(t, p->site));
  else
    append(out, n, "%s %s (%s)", thread_text(t, p->thread), phrase(p), site_text(t, p->site));
}

void prediction_sentence(const struct trace *t, const struct prediction *p, char *out, size_t n)
{
  *out = 0;
  for (uint32_t i = 0; i < p->party_count; i++) {
    append(out, n, "%s", i ? "; " : "");
    add_party(t, p->kind, &p->party[i], out, n);
  }
  if (p->text[0])
    append(out, n, "%s%s", *out ? ": " : "", p->text);
}

static const char *result_of(const struct tried *tried)
{
  if (!tried->runs)
    return "not tried";
  return tried->outcome.target ? "confirmed" : "not confirmed";
}

/* Why the prediction of a protocol error is false, as far as executions tell; NULL if it is not. What is used after its
 * end is used wrongly, whether anything fails or not. */
static const char *false_cause(const struct tried *tried)
{
  if (tried->prediction->kind != PREDICT_TYPESTATE || !tried->runs || tried->outcome.failed)
    return NULL;
  if (!tried->outcome.target)
    return "order infeasible";
  return tried->prediction->mined && !tried->prediction->ended ? "sequence unobserved" : NULL;
}

static void print_cause(FILE *out, const struct tried *tried)
{
  const struct plan_outcome *o = &tried->outcome;
  if (false_cause(tried))
    fprintf(out, "; probably %s",
            o->target ? "a sequence that is right and was not observed: nothing failed"
                      : "an order that is infeasible");
  else if (tried->prediction->kind == PREDICT_TYPESTATE && o->target && !o->failed)
    fprintf(out, "; nothing failed, but %s",
            !tried->prediction->mined  ? "the protocol does not allow it"
            : tried->prediction->ended ? "nothing was ever called after that in the runs that were recorded"
                                       : "it was never seen in the runs that were recorded");
}

void tried_print(FILE *out, const struct tried *tried)
{
  char sentence[2048];
  const struct plan_outcome *o = &tried->outcome;
  prediction_sentence(tried->tables, tried->prediction, sentence, sizeof sentence);
  fprintf(out, "%s %s: ", o->target ? "●" : "○", prediction_name[tried->prediction->kind]);
  print_wrapped(out, sentence, 4, 110);
  fprintf(out, "    %s", result_of(tried));
  if (o->target)
    fprintf(out, " in %" PRIu64 " of %" PRIu64 " run%s", o->target, tried->runs, tried->runs == 1 ? "" : "s");
  else if (tried->runs)
    fprintf(out, " in %" PRIu64 " run%s", tried->runs, tried->runs == 1 ? "" : "s");
  if (o->other + o->stalled)
    fprintf(out, ", something else went wrong in %" PRIu64, o->other + o->stalled);
  if (o->diverged)
    fprintf(out, ", the recorded steps could not be followed in %" PRIu64, o->diverged);
  if (o->thrashes)
    fprintf(out, ", %.2f thrashes a run", (double)o->thrashes / (double)tried->runs);
  if (o->watchdog)
    fprintf(out, ", the watchdog let %" PRIu64 " thread%s go", o->watchdog, o->watchdog == 1 ? "" : "s");
  if (!o->target && tried->prediction->sound)
    fputs("; it is possible, by the analysis", out);
  print_cause(out, tried);
  fputs("\n", out);
}

static json_t *party_json(const struct trace *t, const struct prediction_party *p, bool *good)
{
  json_t *value = container(json_object(), good), *context = container(json_array(), good);
  set(value, "thread", text_value(thread_text(t, p->thread)), good);
  set(value, "operation", text_value(p->op < OP_COUNT ? op_table[p->op].name : "unknown"), good);
  const char *memory = p->addr ? trace_memory_name(t, p->addr) : NULL;
  set(value, "object", text_value(p->object ? object_text(t, p->object) : memory ? memory : ""), good);
  set(value, "where", text_value(site_text(t, p->site)), good);
  for (uint32_t i = 0; i < p->context_length; i++)
    add(context, text_value(site_text(t, p->context[i])), good);
  set(value, "context", context, good);
  return value;
}

static json_t *one_json(const struct tried *tried, bool *good)
{
  const struct trace *t = tried->tables;
  const struct prediction *p = tried->prediction;
  const struct plan_outcome *o = &tried->outcome;
  json_t *value = container(json_object(), good), *parties = container(json_array(), good);
  char sentence[2048];
  prediction_sentence(t, p, sentence, sizeof sentence);
  set(value, "kind", text_value(prediction_name[p->kind]), good);
  set(value, "message", text_value(sentence), good);
  set(value, "sound", json_boolean(p->sound), good);
  for (uint32_t i = 0; i < p->party_count; i++)
    add(parties, party_json(t, &p->party[i], good), good);
  set(value, "parties", parties, good);
  set(value, "confirmed", json_boolean(o->target > 0), good);
  set(value, "reported", json_boolean(tried->reported), good);
  set(value, "runs", integer(tried->runs), good);
  set(value, "target", integer(o->target), good);
  set(value, "failed", integer(o->failed), good);
  set(value, "other", integer(o->other), good);
  set(value, "stalled", integer(o->stalled), good);
  set(value, "completed", integer(o->completed), good);
  set(value, "diverged", integer(o->diverged), good);
  set(value, "thrashes", integer(o->thrashes), good);
  set(value, "watchdog", integer(o->watchdog), good);
  set(value, "probability", json_real(tried->runs ? (double)o->target / (double)tried->runs : 0), good);
  set(value, "seconds", json_real(tried->seconds), good);
  if (false_cause(tried))
    set(value, "false_cause", text_value(false_cause(tried)), good);
  return value;
}

json_t *predictions_json(const struct predictions_view *view, bool *good)
{
  json_t *list = container(json_array(), good);
  for (size_t i = 0; i < view->count; i++)
    add(list, one_json(&view->tried[i], good), good);
  return list;
}
