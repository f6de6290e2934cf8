/* SPDX-License-Identifier: Apache-2.0
 *
 * No race: a parcel is written by one thread after the other, each with a lock of its own or none, but always handed on:
 * by creation, by a semaphore, by joining. Tools that only compare locksets report it. Its twin holds one lock
 * everywhere as well.
 *
 * verdict: none
 * truth: races=0 deadlocks=0
 * foretold: races=0 proven=0 atomicity=0
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t packed;
static int parcel;

#ifdef FIXED
#define MINE(i) &lock[0 * (i)]
#else
#define MINE(i) &lock[i]
#endif

static void *pack(void *unused)
{
  pthread_mutex_lock(MINE(0));
  parcel++;
  pthread_mutex_unlock(MINE(0));
  sem_post(&packed);
  return unused;
}

static void *ship(void *unused)
{
  sem_wait(&packed);
  pthread_mutex_lock(MINE(1));
  parcel++;
  pthread_mutex_unlock(MINE(1));
  return unused;
}

int main(void)
{
  pthread_t packer, shipper;
  sem_init(&packed, 0, 0);
  parcel = 1;
  pthread_create(&packer, NULL, pack, NULL);
  pthread_create(&shipper, NULL, ship, NULL);
  pthread_join(packer, NULL);
  pthread_join(shipper, NULL);
  return parcel != 3;
}
