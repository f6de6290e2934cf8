/* SPDX-License-Identifier: Apache-2.0
 *
 * shelf R W: R readers and W writers of one read-write lock, once each. Readers commute with readers, so a class is an
 * order of the writers and a gap between them for each reader: W! (W+1)^R.
 */
#include "together.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
  (void)arg;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void *writer(void *arg)
{
  (void)arg;
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv)
{
  int r = number(argc, argv, 1, 2), w = number(argc, argv, 2, 1);

  for (int i = 0; i < r; i++)
    start(reader, 0, 0);
  for (int i = 0; i < w; i++)
    start(writer, 0, 0);
  finish();
  printf("\n");
  return 0;
}
