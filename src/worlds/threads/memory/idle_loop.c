/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops without anything in them, `for (;;);`: our `as` puts a call into each (assemble/insert_hooks.c). There a thread
 * lets others go on, takes signals, and notices that it is cancelled.
 */
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/time.h"

/* Nothing is alive in such a loop but what the function was given to keep; its stack may be aligned in any way. */
__attribute__((force_align_arg_pointer)) EXPORT void __heddle_idle(void)
{
  if (hd_self)
    virtual_yield(CALLER());
}
