/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer sets the name before its section, the reader looks at it after its own. When the writer's section comes
 * first, the lock orders the two, by chance, and happens-before has nothing to say. But no section needs the other: in
 * the other order both accesses of the name meet. Fixed: the name is set and read inside.
 *
 * verdict: race
 * truth: races=1 deadlocks=0
 * foretold: races=1 proven=1 atomicity=0
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int name, visits[2];

static void *write_name(void *unused)
{
#ifndef FIXED
  name = 1;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  name = 1;
#endif
  visits[0]++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *read_name(void *seen)
{
  pthread_mutex_lock(&lock);
  visits[1]++;
#ifdef FIXED
  *(int *)seen = name;
#endif
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  *(int *)seen = name;
#endif
  return NULL;
}

int main(void)
{
  pthread_t writer, reader;
  int seen;
  pthread_create(&writer, NULL, write_name, NULL);
  pthread_create(&reader, NULL, read_name, &seen);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  return 0;
}
