/* SPDX-License-Identifier: Apache-2.0
 *
 * Exclusion: a list is added to while another thread computes its hash. Fixed: a read-write lock around the calls. */
#include <pthread.h>

struct list {
  _Atomic int count;
};

static struct list list;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int list_hash(struct list *l)
{
  return l->count;
}

void list_add(struct list *l)
{
  l->count++;
}

static void *hasher(void *unused)
{
#ifdef FIXED
  pthread_rwlock_rdlock(&lock);
#endif
  list_hash(&list);
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, hasher, NULL);
#ifdef FIXED
  pthread_rwlock_wrlock(&lock);
#endif
  list_add(&list);
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  pthread_join(thread, NULL);
  (void)lock;
  return 0;
}
