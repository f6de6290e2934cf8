/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking with a plain pointer: the check outside the lock races with the assignment inside, and what it
 * points to is read without any order. When the first thread is done before the second looks, the second never takes the
 * lock. Fixed: the pointer is atomic, stored with release and loaded with acquire.
 *
 * verdict: race
 * truth: races=2 deadlocks=0
 * foretold: races=2 proven=1 atomicity=0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
  int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config storage;
#ifdef FIXED
static _Atomic(struct config *) config;
#define LOOK() atomic_load_explicit(&config, memory_order_acquire)
#define PUBLISH(c) atomic_store_explicit(&config, c, memory_order_release)
#else
static struct config *config;
#define LOOK() config
#define PUBLISH(c) (config = (c))
#endif

static struct config *get(void)
{
  struct config *c = LOOK();
  if (c)
    return c;
  pthread_mutex_lock(&lock);
  c = LOOK();
  if (!c) {
    c = &storage;
    c->size = 7;
    PUBLISH(c);
  }
  pthread_mutex_unlock(&lock);
  return c;
}

static void *use(void *size)
{
  *(int *)size = get()->size;
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int size[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, use, &size[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return size[0] != 7 || size[1] != 7;
}
