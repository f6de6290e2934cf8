/* SPDX-License-Identifier: Apache-2.0
 *
 * Two inboxes, each with its own mutex, and one condition variable for both. It works as long as only one owner waits
 * at a time. When both do, two threads wait on one condition variable with different mutexes at once, which POSIX
 * leaves undefined. The twin has one condition variable for each.
 *
 * verdict: property
 * threads: 3
 */
#include <pthread.h>

#ifdef FIXED
#define ARRIVED(inbox) (&(inbox)->arrived)
#else
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
#define ARRIVED(inbox) (&arrived)
#endif

struct inbox {
  pthread_mutex_t lock;
  int mail;
#ifdef FIXED
  pthread_cond_t arrived;
#endif
};

static struct inbox inbox[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

static void *owner(void *arg)
{
  struct inbox *mine = arg;

  pthread_mutex_lock(&mine->lock);
  while (!mine->mail)
    pthread_cond_wait(ARRIVED(mine), &mine->lock);
  pthread_mutex_unlock(&mine->lock);
  return NULL;
}

static void deliver(struct inbox *to)
{
  pthread_mutex_lock(&to->lock);
  to->mail = 1;
  pthread_cond_broadcast(ARRIVED(to));
  pthread_mutex_unlock(&to->lock);
}

int main(void)
{
  pthread_t thread[2];

#ifdef FIXED
  for (int i = 0; i < 2; i++)
    pthread_cond_init(&inbox[i].arrived, NULL);
#endif
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, owner, &inbox[i]);
  for (int i = 0; i < 2; i++)
    deliver(&inbox[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
