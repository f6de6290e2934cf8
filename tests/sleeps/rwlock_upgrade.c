/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader that wants to write must not get the lock while another one reads. BUG: it does not count itself out right.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static struct {
  pthread_mutex_t m;
  int readers;
  bool written;
} lock = {PTHREAD_MUTEX_INITIALIZER, 0, false};

static void read_begin(void)
{
  pthread_mutex_lock(&lock.m);
  lock.readers++;
  pthread_mutex_unlock(&lock.m);
}

static void read_end(void)
{
  pthread_mutex_lock(&lock.m);
  lock.readers--;
  pthread_mutex_unlock(&lock.m);
}

static int try_upgrade(void)
{
  int result = EBUSY;
  pthread_mutex_lock(&lock.m);
#ifdef BUG
  if (lock.readers >= 1)
#else
  if (lock.readers == 1)
#endif
  {
    lock.readers = 0;
    lock.written = true;
    result = 0;
  }
  pthread_mutex_unlock(&lock.m);
  return result;
}

static void *other_reader(void *arg)
{
  read_begin();
  usleep(60000);
  read_end();
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, other_reader, NULL);
  read_begin();
  usleep(20000);
  assert(try_upgrade() == EBUSY);
  usleep(80000);
  assert(try_upgrade() == 0);
  pthread_join(t, NULL);
  return 0;
}
