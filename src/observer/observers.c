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

void observers_begin(void)
{
  EACH_OBSERVER(o, begin)
  (*o)->begin();
}

void observers_event(unsigned thread, const struct operation *op)
{
  EACH_OBSERVER(o, event)
  (*o)->event(thread, op);
}

bool observers_stopped(unsigned why)
{
  bool go_on = false;
  EACH_OBSERVER(o, stopped)
  go_on |= (*o)->stopped(why);
  return go_on;
}
