/* SPDX-License-Identifier: Apache-2.0
 *
 * A gate lets nobody in while it is shut; a visitor who sleeps first finds it open. BUG: it is never shut.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open, inside;

static void enter(void)
{
  pthread_mutex_lock(&lock);
#ifndef BUG
  while (!is_open)
    pthread_cond_wait(&opened, &lock);
#endif
  inside++;
  pthread_mutex_unlock(&lock);
}

static void open_gate(void)
{
  pthread_mutex_lock(&lock);
  is_open = 1;
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&lock);
}

static int count(void)
{
  pthread_mutex_lock(&lock);
  int n = inside;
  pthread_mutex_unlock(&lock);
  return n;
}

static void *early(void *arg)
{
  enter();
  return arg;
}

static void *late(void *arg)
{
  usleep(60000);
  enter();
  return arg;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, early, NULL);
  pthread_create(&b, NULL, late, NULL);
  usleep(20000);
  assert(count() == 0);
  open_gate();
  usleep(20000);
  assert(count() == 1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(count() == 2);
  return 0;
}
