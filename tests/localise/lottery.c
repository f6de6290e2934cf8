/* SPDX-License-Identifier: Apache-2.0
 *
 * Each player draws a number, is shown it and has it recorded, every step under a lock: the player's own, which keeps nobody
 * out of the number they all share.
 *
 * verdict: assertion
 * also: race
 * blame: W W R|R W R drawn
 */
#include <assert.h>
#include <pthread.h>

static int drawn;
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

struct player {
  pthread_mutex_t lock;
  int number, presented, recorded;
};

static struct player player[2] = {{PTHREAD_MUTEX_INITIALIZER, 7, 0, 0}, {PTHREAD_MUTEX_INITIALIZER, 11, 0, 0}};

static void *play(void *arg)
{
  struct player *p = arg;
#ifdef FIXED
  pthread_mutex_lock(&shared);
#endif
  pthread_mutex_lock(&p->lock);
  drawn = p->number; /* <1> <2> */
  pthread_mutex_unlock(&p->lock);
  pthread_mutex_lock(&p->lock);
  p->presented = drawn; /* <1> <3> */
  pthread_mutex_unlock(&p->lock);
  pthread_mutex_lock(&p->lock);
  p->recorded = drawn; /* <3> */
  pthread_mutex_unlock(&p->lock);
#ifdef FIXED
  pthread_mutex_unlock(&shared);
#endif
  return NULL;
}

int main(void)
{
  pthread_t thread[2];

  pthread_mutex_lock(&shared);
  pthread_mutex_unlock(&shared);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, play, &player[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++)
    assert(player[i].presented == player[i].number && player[i].recorded == player[i].number);
  return 0;
}
