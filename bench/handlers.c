/* SPDX-License-Identifier: Apache-2.0
 *
 * handlers STEPS...: a modelled test (modelled_trees.py) as a program. Each argument is a thread, each letter of it a
 * step: a capital changes the object of that letter, a small letter looks at it.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define MOST 16

static _Alignas(64) atomic_long object[26];
static _Alignas(64) char *steps[MOST];

static void *handler(void *arg)
{
  intptr_t own = (intptr_t)arg;
  char todo[256];
  strncpy(todo, steps[own], sizeof todo - 1);
  todo[sizeof todo - 1] = '\0';
  long seen = 0;
  for (const char *c = todo; *c; c++)
    if (isupper((unsigned char)*c))
      atomic_store_explicit(&object[*c - 'A'], own + 1, memory_order_relaxed);
    else
      seen = seen * 31 + atomic_load_explicit(&object[*c - 'a'], memory_order_relaxed);
  return (void *)(intptr_t)seen;
}

int main(int argc, char **argv)
{
  pthread_t thread[MOST];
  int n = argc - 1 < MOST ? argc - 1 : MOST;
  for (int i = 0; i < n; i++)
    steps[i] = argv[i + 1];
  for (int i = 0; i < n; i++)
    pthread_create(&thread[i], NULL, handler, (void *)(intptr_t)i);
  for (int i = 0; i < n; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
