/* SPDX-License-Identifier: Apache-2.0
 *
 * The locks of stdio streams. libc's own, which wait in the futex system call when they must; here only what they order
 * is taken note of.
 */
#include "runtime/runtime.h"
#include <stdio.h>

static struct vclock *clock_of(FILE *file)
{
  return &object_at(file, OBJECT_MEMORY, NULL)->clock;
}

EXPORT void flockfile(FILE *file)
{
  REAL(flockfile)(file);
  if (hd_self)
    acquire_from(clock_of(file));
}

EXPORT int ftrylockfile(FILE *file)
{
  int result = REAL(ftrylockfile)(file);
  if (hd_self && !result)
    acquire_from(clock_of(file));
  return result;
}

EXPORT void funlockfile(FILE *file)
{
  if (hd_self)
    release_to(clock_of(file));
  REAL(funlockfile)(file);
}
