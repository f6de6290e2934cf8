/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads and main: a ball goes to and fro between two semaphores. Correct.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { ROUNDS = 4 };

static sem_t ping, pong;
static int ball;

static void *player(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&ping);
    ball++;
    sem_post(&pong);
  }
  return unused;
}

static void *opponent(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&pong);
    ball--;
    sem_post(&ping);
  }
  return unused;
}

int main(void)
{
  pthread_t a, b;
  sem_init(&ping, 0, 1);
  sem_init(&pong, 0, 0);
  pthread_create(&a, NULL, player, NULL);
  pthread_create(&b, NULL, opponent, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(ball == 0);
  sem_destroy(&ping);
  sem_destroy(&pong);
  return 0;
}
