/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads hand the turn to and fro twenty thousand times.
 *
 * verdict: quiet
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *player(void *side)
{
  for (int i = 0; i < 20000; i++) {
    pthread_mutex_lock(&mutex);
    while (turn != (int)(long)side)
      pthread_cond_wait(&changed, &mutex);
    turn = !turn;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, player, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
