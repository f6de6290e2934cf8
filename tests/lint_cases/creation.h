/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cases of heddle lint create. In a case the line of each loop says what is to be told of it, such as `=
 * bounded 5`, `= live 8` (only those at the same time) or `= unbounded`, and words of the reason.
 */
#ifndef CREATION_H
#define CREATION_H

#include <pthread.h>
#include <stddef.h>

static void *work(void *argument)
{
  return argument;
}

static inline void create(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
}

#endif
