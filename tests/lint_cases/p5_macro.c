/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons that macros make.
 */
#include "creation.h"
#include <sys/socket.h>

#define MORE(i, n) ((i) < (n))
#define FULL(n) ((n) >= 50)
#define REPEAT(n) for (int _i = 0; _i < (n); _i++)
#define BEFORE(i, n) ((i) != (n))

void asks_by_a_macro(int n)
{
  for (int i = 0; MORE(i, n); i++) /* = bounded 5; MORE(i, n) */
    create();
}

void by_a_macro_for_the_loop(int n)
{
  REPEAT (n) /* = bounded 5 */
    create();
}

extern int next_of(int i);

void by_a_macro_that_does_not_end(int n)
{
  for (int i = 0; BEFORE(i, n); i = next_of(i)) /* = possible; BEFORE(i, n) */
    create();
}

static int live;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *leaves(void *argument)
{
  pthread_mutex_lock(&mutex);
  live--;
  pthread_mutex_unlock(&mutex);
  return argument;
}

void not_too_many(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8; !FULL(live) */
    int fd = accept(listener, NULL, NULL);
    if (FULL(live))
      continue;
    live++;
    pthread_create(&thread, NULL, leaves, &fd);
  }
}
