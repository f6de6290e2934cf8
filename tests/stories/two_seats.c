/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore lets two in, and both take the first seat: what goes wrong on it later is not the mistake.
 * tell: bug +a check and the act that it decides on are two steps: T\d reads `taken\[0\]` at
 * tell: fix +one lock around the check and the act
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t entrance;
static pthread_mutex_t usher = PTHREAD_MUTEX_INITIALIZER;
static int taken[2], people[2];

static int sit_down(void)
{
  int seat = 0;
#ifdef FIXED
  pthread_mutex_lock(&usher);
#endif
  while (seat < 1 && taken[seat])
    seat++;
  taken[seat] = 1;
#ifdef FIXED
  pthread_mutex_unlock(&usher);
#endif
  return seat;
}

static void *watch(void *arg)
{
  sem_wait(&entrance);
  int seat = sit_down();
  people[seat]++;
  assert(people[seat] == 1);
  return arg;
}

int main(void)
{
  pthread_t guest[2];
  (void)usher;
  sem_init(&entrance, 0, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&guest[i], NULL, watch, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(guest[i], NULL);
}
