/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads: a ball goes to and fro under a mutex, with a condition for each direction. Correct.
 */
#include <assert.h>
#include <pthread.h>

enum { ROUNDS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER, back = PTHREAD_COND_INITIALIZER;
static int here; /* the ball: 0 at main's, 1 at the opponent's */

static void play(int mine, pthread_cond_t *arrives, pthread_cond_t *leaves)
{
  pthread_mutex_lock(&lock);
  while (here != mine)
    pthread_cond_wait(arrives, &lock);
  here = !mine;
  pthread_cond_signal(leaves);
  pthread_mutex_unlock(&lock);
}

static void *opponent(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
    play(1, &came, &back);
  return unused;
}

int main(void)
{
  pthread_t other;
  pthread_create(&other, NULL, opponent, NULL);
  for (int i = 0; i < ROUNDS; i++)
    play(0, &back, &came);
  pthread_join(other, NULL);
  assert(here == 0);
  return 0;
}
