/* SPDX-License-Identifier: Apache-2.0
 *
 * Which answers of the search by causality (causal.h) tear apart what a thread may have meant to be one: two accesses
 * of it to the same bytes, one after the other, with one of another thread between them such that no order in which the
 * two come together lets everybody see the same. These are read, written, read; written, written, read; read, written,
 * written; and written, read, written. What they lead to is run, as all answers are, but sooner.
 */
#include "causal/causal.h"

#define NEAR 64 /* steps of a thread that are looked through for its access before, or the next one */

struct neighbours {
  const struct causal_access *before, *next; /* NULL: none near */
};

static const struct causal_access *access_to(const struct causal_trace *t, unsigned thread, uint32_t nth,
                                             const struct causal_access *to)
{
  const struct causal_event *e = causal_event_of(t, thread, nth);
  for (unsigned i = 0; i < e->accesses && e->rule == RULE_MEMORY; i++) {
    const struct causal_access *a = &t->access[e->access + i];
    if (a->word == to->word && a->bytes & to->bytes)
      return a;
  }
  return NULL;
}

/* Of a thread that has taken so many steps, and takes one from there on next. */
static struct neighbours neighbours_of(const struct causal_trace *t, unsigned thread, uint32_t taken, uint32_t next,
                                       const struct causal_access *to)
{
  struct neighbours n = {NULL, NULL};
  for (uint32_t i = taken; i-- > 0 && i + NEAR >= taken && !n.before;)
    n.before = access_to(t, thread, i, to);
  for (uint32_t i = next; i < t->thread[thread].count && i < next + NEAR && !n.next; i++)
    n.next = access_to(t, thread, i, to);
  return n;
}

/* Its own access before left something else there, or saw it. */
static bool is_torn(const struct causal_replay *r, const struct causal_access *a, const struct neighbours *own)
{
  if (!own->before)
    return false;
  uint64_t kept = own->before->writes ? own->before->left : own->before->seen;
  return (kept ^ r->value[a->word]) & causal_bytes(a->bytes & own->before->bytes);
}

/* It comes between two of another thread: a read between writes, or a write between a read and a write. */
static bool tears(const struct neighbours *other, bool writes)
{
  return other->before && other->next && other->next->writes && other->before->writes != writes;
}

bool causal_breaks_atomicity(const struct causal *c, const struct causal_event *e)
{
  const struct causal_trace *t = &c->trace;
  for (unsigned i = 0; i < e->accesses && e->rule == RULE_MEMORY; i++) {
    const struct causal_access *a = &t->access[e->access + i];
    const struct neighbours own = neighbours_of(t, e->thread, e->nth, e->nth + 1, a);
    bool writes = a->writes || (own.next && own.next->writes);
    if (is_torn(&c->replay, a, &own))
      return true;
    for (unsigned u = 0; u < t->threads; u++) {
      const struct neighbours other = neighbours_of(t, u, c->replay.at[u], c->replay.at[u], a);
      if (u != e->thread && tears(&other, writes))
        return true;
    }
  }
  return false;
}
