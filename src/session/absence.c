/* SPDX-License-Identifier: Apache-2.0
 *
 * A session whose jobs are done elsewhere waits as long as it may for who does them. That is said: some seconds after
 * nothing came any more, and then rarely; and when it is over.
 */
#include "session/console.h"
#include "session/session.h"

#define NOBODY_FOR 20.0 /* seconds: until then they come and go */
#define AGAIN 60.0      /* seconds between two lines */

static bool somebody_is_there(const struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].busy || (s->worker[i].pidfd >= 0 && s->worker[i].control->state == WORKER_HANDED))
      return true;
  return false;
}

void look_for_absence(struct session *s, double now)
{
  struct absence *a = &s->absence;
  if (!s->request->relay || !s->request->notes || s->kill_at || s->result->end != SESSION_DONE)
    return;
  const char *trouble = s->request->trouble(s->request->relay_self);
  const char *refusal = s->request->refusal(s->request->relay_self);
  if (refusal)
    console_note("%s", refusal);
  if (trouble || somebody_is_there(s))
    a->alone_since = now;
  if (!trouble && now - a->alone_since >= NOBODY_FOR)
    trouble = "no worker has taken part for some time";
  if (!trouble && a->told_at)
    console_note("the search goes on");
  if (!trouble)
    a->told_at = 0;
  if (!trouble || (a->told_at && now - a->told_at < AGAIN))
    return;
  a->told_at = now;
  console_note("%s; the search waits, and goes on by itself (Ctrl-C ends it, --time limits it)", trouble);
}
