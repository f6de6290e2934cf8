/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses in a program that runs free (heddle stress): at a hook, now and then, the thread lets others go first. Off
 * unless STRESS_ENV (core/control.h) says how often; then a hook of a passive process costs one more look at a
 * word. */
#ifndef HEDDLE_RUNTIME_STRESS_PAUSES_H
#define HEDDLE_RUNTIME_STRESS_PAUSES_H

#include <stdint.h>

extern uint32_t hd_stress; /* of 100 hooks, so many pause */

void stress_boot(const char *percent);
void stress_pause(void);

static inline void stress_point(void)
{
  if (__builtin_expect(hd_stress != 0, 0))
    stress_pause();
}

#endif
