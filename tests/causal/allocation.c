/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator of blocks: to find a free one and to mark it as used are a section each, so two threads may find the
 * same. With -DFIXED they are one section.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define BLOCKS 4
static _Alignas(64) atomic_long used[BLOCKS];
static _Alignas(64) pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find_free(void)
{
  for (int i = 0; i < BLOCKS; i++)
    if (!atomic_load(&used[i]))
      return i;
  return -1;
}

static void mark_used(int block)
{
  assert(!atomic_load(&used[block]));
  atomic_store(&used[block], 1);
}

static int allocate(void)
{
  pthread_mutex_lock(&lock);
  int block = find_free();
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (block >= 0)
    mark_used(block);
  pthread_mutex_unlock(&lock);
  return block;
}

static void release(int block)
{
  pthread_mutex_lock(&lock);
  assert(atomic_load(&used[block]));
  atomic_store(&used[block], 0);
  pthread_mutex_unlock(&lock);
}

static void *user(void *unused)
{
  int own[2];
  for (int i = 0; i < 2; i++)
    own[i] = allocate();
  for (int i = 0; i < 2; i++)
    if (own[i] >= 0)
      release(own[i]);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, user, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
