/* SPDX-License-Identifier: Apache-2.0
 *
 * A read-write lock by hand, which lets a reader become the writer by waiting for the other readers to leave. Two
 * readers find the cache empty, and both want to fill it. Each waits for the other to stop reading, and neither
 * does. In the twin a reader gives up its place before it asks to write, and so must look at the cache again.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static int writing;
static int cache;

static void begin_read(void)
{
  pthread_mutex_lock(&lock);
  while (writing)
    pthread_cond_wait(&changed, &lock);
  readers++;
  pthread_mutex_unlock(&lock);
}

static void become_writer(void)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  readers--;
  pthread_cond_broadcast(&changed);
  while (writing || readers > 0)
    pthread_cond_wait(&changed, &lock);
#else
  while (readers > 1) /* until I am the only one */
    pthread_cond_wait(&changed, &lock);
  readers = 0;
#endif
  writing = 1;
  pthread_mutex_unlock(&lock);
}

static void end(int *role)
{
  pthread_mutex_lock(&lock);
  (*role)--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void *look_up(void *arg)
{
  begin_read();
  if (cache != 0) {
    end(&readers);
    return arg;
  }
  become_writer();
  if (cache == 0)
    cache = 42;
  assert(cache == 42);
  end(&writing);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, look_up, NULL);
  pthread_create(&b, NULL, look_up, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
