/* SPDX-License-Identifier: Apache-2.0
 *
 * lockers N K [KIND]: N threads take and give back one lock K times, and do nothing else. Whoever has it, the others
 * can only wait, so there are as many interleavings as orders, and each is a class of its own: (NK)! / (K!)^N.
 * KIND 0: a mutex, 1: a spin lock, 2: a semaphore of one, 3: the writer's side of a read-write lock. The waits of the
 * semaphore are dependent on the post before, so its orders are the same.
 */
#include "together.h"
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void once(int kind)
{
  switch (kind) {
  case 0:
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    break;
  case 1:
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    break;
  case 2:
    sem_wait(&sem);
    sem_post(&sem);
    break;
  case 3:
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    break;
  }
}

static void *locker(void *arg)
{
  for (int i = 0; i < first(arg); i++)
    once(second(arg));
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 1), kind = number(argc, argv, 3, 0);

  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&sem, 0, 1);
  for (int i = 0; i < n; i++)
    start(locker, k, kind);
  finish();
  printf("\n");
  return 0;
}
