/* SPDX-License-Identifier: Apache-2.0
 *
 * A table is made by whoever needs it first, without any lock: two may make it, and one is lost. The looks race with the
 * assignment, and so do two assignments. Fixed: pthread_once.
 *
 * verdict: race
 * truth: races=5 deadlocks=0 atomicity=1
 * foretold: races=2 proven=1 atomicity=1
 */
#include <pthread.h>
#include <stddef.h>

static int storage[2][4], made;
static int *table;
#ifdef FIXED
static pthread_once_t once = PTHREAD_ONCE_INIT;
#endif

static void make(void)
{
  int *fresh = storage[made];
  made = 1;
  table = fresh;
}

static int *get_table(void)
{
#ifdef FIXED
  pthread_once(&once, make);
#else
  if (!table)
    make();
#endif
  return table;
}

static void *use(void *seen)
{
  *(int **)seen = get_table();
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int *seen[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, use, &seen[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
