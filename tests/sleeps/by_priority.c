/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits for the resource gets it by priority, not by the time of its coming. BUG: the other way round.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool taken;
static bool wants[10];
static char order[8];

static int best(void)
{
#ifdef BUG
  for (int i = 0; i < 10; i++)
#else
  for (int i = 9; i >= 0; i--)
#endif
    if (wants[i])
      return i;
  return -1;
}

static void acquire(int priority)
{
  pthread_mutex_lock(&m);
  wants[priority] = true;
  while (taken || best() != priority)
    pthread_cond_wait(&c, &m);
  wants[priority] = false;
  taken = true;
  pthread_mutex_unlock(&m);
}

static void release(void)
{
  pthread_mutex_lock(&m);
  taken = false;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}

static int priorities[3] = {1, 5, 3};

static void *user(void *arg)
{
  int priority = *(int *)arg;
  acquire(priority);
  order[strlen(order)] = (char)('0' + priority);
  release();
  return NULL;
}

int main(void)
{
  pthread_t t[3];
  acquire(9);
  for (int i = 0; i < 3; i++) {
    pthread_create(&t[i], NULL, user, &priorities[i]);
    usleep(10000); /* it waits now */
  }
  release();
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(!strcmp(order, "531"));
  return 0;
}
