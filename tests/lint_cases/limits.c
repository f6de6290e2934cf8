/* SPDX-License-Identifier: Apache-2.0
 *
 * A creation four calls below its loop; and three loops around one.
 */
#include "creation.h"

static void third(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
}

static void second(void)
{
  third();
}

static void first(void)
{
  second();
}

void far_below(void)
{
  for (;;) /* = calls 4 */
    first();
}

void deep_inside(void)
{
  for (;;) /* = loops 3 */
    for (int i = 0; i < 2; i++) /* = bounded 5 */
      for (int k = 0; k < 2; k++) /* = bounded 5 */
        third();
}
