/* SPDX-License-Identifier: Apache-2.0
 *
 * Two rowers and a cox; the boat leaves when everybody is on board. The barrier counts three, but the cox (main)
 * only joins the rowers and never comes to the barrier. It fails under every schedule: the smallest deadlock there
 * is.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

#ifdef FIXED
enum { CREW = 2 };
#else
enum { CREW = 3 };
#endif

static pthread_barrier_t aboard;
static int on_board[2];

static void *rower(void *arg)
{
  *(int *)arg = 1;
  pthread_barrier_wait(&aboard);
  assert(on_board[0] && on_board[1]);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];

  pthread_barrier_init(&aboard, NULL, CREW);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, rower, &on_board[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&aboard);
  return 0;
}
