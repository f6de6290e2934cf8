/* SPDX-License-Identifier: Apache-2.0
 *
 * From circles of lock dependencies to predictions; see goodlock_group.h.
 */
#include "predict/locks/goodlock_group.h"
#include <stdio.h>
#include <string.h>

#define NAME_WORDS 6 /* of one thread in a circle */

void groups_begin(struct groups *g)
{
  g->first = g->out->count;
}

bool groups_end(struct groups *g)
{
  bool ok = !g->names.failed;
  g->summary->groups = g->names.count;
  intern_free(&g->names);
  return ok;
}

static void name_party(const struct groups *g, const struct dependency *d, uint32_t *words)
{
  uint64_t thread = trace_thread_name(g->tables, d->thread, g->options->naming, g->options->k);
  uint64_t lock = trace_object_name(g->tables, d->lock, g->options->naming, g->options->k);
  words[0] = (uint32_t)thread;
  words[1] = (uint32_t)(thread >> 32);
  words[2] = (uint32_t)lock;
  words[3] = (uint32_t)(lock >> 32);
  words[4] = d->context;
  words[5] = d->op;
}

/* The number of the circle's name, whichever of its threads it begins with: the least of all rotations. */
static uint32_t name_number(struct groups *g, const uint32_t *cycle, uint32_t length)
{
  uint32_t words[2 * PREDICTION_PARTIES * NAME_WORDS];
  uint32_t size = length * NAME_WORDS;
  for (uint32_t i = 0; i < length; i++)
    name_party(g, &g->seen->list[cycle[i]], words + i * NAME_WORDS);
  memcpy(words + size, words, size * sizeof *words);
  const uint32_t *least = words;
  for (const uint32_t *w = words + NAME_WORDS; w < words + size; w += NAME_WORDS)
    if (memcmp(w, least, size * sizeof *w) < 0)
      least = w;
  return intern_number(&g->names, least, size);
}

static bool is_ordered(const struct groups *g, const uint32_t *cycle, uint32_t length)
{
  const struct dependency *all = g->seen->list;
  for (uint32_t i = 0; i < length; i++)
    for (uint32_t j = 0; j < length; j++)
      if (dependency_before(g->seen, &all[cycle[i]], &all[cycle[j]]))
        return true;
  return false;
}

static void fill_party(const struct groups *g, const struct dependency *d, struct prediction_party *party)
{
  uint32_t length;
  const uint32_t *sites = intern_words(&g->seen->contexts, d->context, &length);
  *party = (struct prediction_party){.thread = d->thread,
                                     .op = d->op,
                                     .object = d->lock,
                                     .site = d->site,
                                     .occurrence = d->occurrence,
                                     .event = d->event,
                                     .context_cut = length > PREDICTION_CONTEXT};
  for (uint32_t i = 0; i < length; i++)
    party->context[i < PREDICTION_CONTEXT ? i : PREDICTION_CONTEXT - 1] = sites[i];
  party->context_length = (uint16_t)(party->context_cut ? PREDICTION_CONTEXT : length);
}

static void tell(struct prediction *p, bool pending, bool hidden, bool ordered)
{
  const char *text[] = {
      pending ? "the recorded run ended in it" : NULL,
      hidden ? "a condition wait that has ended takes its mutex again while the thread holds another lock" : NULL,
      ordered ? "in the recorded run a thread would have to run before its creation or after its end" : NULL,
  };
  size_t used = 0;
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
    if (text[i] && used < sizeof p->text)
      used += (size_t)snprintf(p->text + used, sizeof p->text - used, "%s%s", used ? "; " : "", text[i]);
}

static void fill(const struct groups *g, const uint32_t *cycle, uint32_t length, bool ordered, struct prediction *p)
{
  bool pending = true, hidden = false;
  *p = (struct prediction){.kind = PREDICT_DEADLOCK, .party_count = length};
  for (uint32_t i = 0; i < length; i++) {
    const struct dependency *d = &g->seen->list[cycle[i]];
    fill_party(g, d, &p->party[i]);
    pending &= d->pending;
    hidden |= d->hidden;
  }
  p->sound = pending;
  tell(p, pending, hidden, ordered);
}

/* The parties told of are those of a circle that is possible as far as creation and joining go, if there is one. */
void groups_add(struct groups *g, const uint32_t *cycle, uint32_t length)
{
  bool ordered = is_ordered(g, cycle, length);
  g->summary->cycles++;
  g->summary->ordered += ordered;
  if (ordered && g->options->start_order)
    return;
  uint32_t known = g->names.count;
  if (g->names.count * sizeof(struct prediction) >= g->options->max_bytes) {
    g->full = g->summary->memory_hit = true;
    return;
  }
  uint32_t number = name_number(g, cycle, length);
  if (!number)
    return;
  if (number > known)
    predictions_add(g->out, &(struct prediction){0});
  if (g->out->failed)
    return;
  struct prediction *p = &g->out->list[g->first + number - 1];
  uint64_t concrete = p->concrete + 1, impossible = p->ordered + ordered;
  if (number > known || (p->concrete == p->ordered && !ordered))
    fill(g, cycle, length, ordered, p);
  p->concrete = concrete;
  p->ordered = impossible;
}
