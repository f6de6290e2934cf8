/* SPDX-License-Identifier: Apache-2.0
 *
 * Events are put into a buffer, which another thread takes away when it closes the log: between the look whether there
 * is one and its use. With -DFIXED, both have the lock.
 */
#include <pthread.h>
#include <stdatomic.h>

struct buffer {
  atomic_int events;
};

static struct buffer memory;
static struct buffer *_Atomic buffer = &memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(void)
{
  if (atomic_load(&buffer)) {
    struct buffer *b = atomic_load(&buffer);
    atomic_store(&b->events, atomic_load(&b->events) + 1);
  }
}

static void *log_events(void *unused)
{
  for (int i = 0; i < 2; i++) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    put();
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
  }
  return unused;
}

static void *close_log(void *unused)
{
  pthread_mutex_lock(&lock);
  atomic_store(&buffer, NULL);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t t[3];
  pthread_create(&t[0], NULL, log_events, NULL);
  pthread_create(&t[1], NULL, log_events, NULL);
  pthread_create(&t[2], NULL, close_log, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  return 0;
}
