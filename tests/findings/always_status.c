/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that ends with status 7 whatever happens, as those of `void main` do with some number. Behind it is a bug: the
 * guest may come before the host has opened. The status alone says nothing about schedules and must not hide that.
 *
 * -DFIXED: the guest looks first.   -DEARLY: status 7 only if the guest came early, so that schedules differ in it.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int opened, early;

static void *host(void *arg)
{
  pthread_mutex_lock(&door);
  opened = 1;
  pthread_mutex_unlock(&door);
  return arg;
}

static void *guest(void *arg)
{
  pthread_mutex_lock(&door);
  early = !opened;
  pthread_mutex_unlock(&door);
#if !defined FIXED && !defined EARLY
  assert(!early);
#endif
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, host, NULL);
  pthread_create(&thread[1], NULL, guest, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
#ifdef EARLY
  return early ? 7 : 0;
#else
  return 7;
#endif
}
