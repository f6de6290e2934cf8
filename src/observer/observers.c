/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling all observers. Nothing is decided here.
 */
#include "core/observer.h"

static const struct observer *const observers[] = {
#define X(name) &observer_##name,
    HD_OBSERVERS(X)
#undef X
};

#define EACH_OBSERVER(o, method)                                                                             \
  for (const struct observer *const *o = observers; o < observers + sizeof observers / sizeof *observers;    \
       o++)                                                                                                  \
    if ((*o)->method)

/* Those that look at this execution. */
static const struct observer *looking[sizeof observers / sizeof *observers];
static unsigned looking_count;

void observers_begin(void)
{
  looking_count = 0;
  EACH_OBSERVER(o, begin)
  (*o)->begin();
  EACH_OBSERVER(o, event)
  {
    if (!(*o)->looks || (*o)->looks())
      looking[looking_count++] = *o;
  }
}

void observers_event(unsigned thread, const struct operation *op)
{
  for (unsigned i = 0; i < looking_count; i++)
    looking[i]->event(thread, op);
}

bool observers_stopped(unsigned why)
{
  bool go_on = false;
  EACH_OBSERVER(o, stopped)
  go_on |= (*o)->stopped(why);
  return go_on;
}
