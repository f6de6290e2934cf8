/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that hash a list and threads that change it: either may be many at once, but not both. Nothing here keeps
 * them apart, and the program fails (status 1) when they meet; hash_or_modify.mop does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 10 };

struct list {
  atomic_int hashing, modifying;
};

static struct list list;
static atomic_int met;

unsigned list_hash(struct list *l)
{
  unsigned hash = 0;
  l->hashing++;
  for (int i = 0; i < 4; i++) {
    met += l->modifying != 0;
    hash = hash * 31 + (unsigned)i;
    sched_yield();
  }
  l->hashing--;
  return hash;
}

void list_modify(struct list *l)
{
  l->modifying++;
  for (int i = 0; i < 4; i++) {
    met += l->hashing != 0;
    sched_yield();
  }
  l->modifying--;
}

static void *hasher(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
    list_hash(&list);
  return unused;
}

static void *modifier(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
    list_modify(&list);
  return unused;
}

int main(void)
{
  pthread_t thread[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&thread[i], NULL, i % 2 ? hasher : modifier, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(thread[i], NULL);
  if (met)
    printf("a hash and a change met %d times\n", met);
  return met != 0;
}
