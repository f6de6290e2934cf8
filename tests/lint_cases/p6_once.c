/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 6: a pointer that the loop sets to something new, once; not if it is set back, or comes from anywhere.
 */
#include "creation.h"
#include <stdlib.h>

extern int p6_read(void);
extern void *p6_find(void);

static void *worker_new(void)
{
  void *worker = malloc(1);
  create();
  return worker;
}

void lazily(void)
{
  void *worker = NULL;
  for (;;) { /* = bounded 6 */
    p6_read();
    if (!worker)
      worker = worker_new();
  }
}

void lazily_compared(void)
{
  void *worker = NULL;
  for (;;) { /* = bounded 6 */
    p6_read();
    if (worker == NULL)
      worker = worker_new();
  }
}

void again(void)
{
  void *worker = NULL;
  for (;;) { /* = possible, back to NULL */
    if (!worker)
      worker = worker_new();
    if (p6_read() < 0)
      worker = NULL;
  }
}

void from_anywhere(void)
{
  void *worker = NULL;
  for (;;) { /* = possible, may give NULL */
    if (!worker) {
      worker = p6_find();
      create();
    }
  }
}
