/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier for two can be used again at once. BUG: it does not tell its rounds apart, and lets the early one of the
 * second round through.
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, generation;
static int rounds_of_helper;

static void barrier_wait(void)
{
  pthread_mutex_lock(&lock);
#ifdef BUG
  if (++here < 2)
    while (here < 2)
      pthread_cond_wait(&all_here, &lock);
  else
    pthread_cond_broadcast(&all_here);
#else
  int mine = generation;
  if (++here == 2) {
    here = 0;
    generation++;
    pthread_cond_broadcast(&all_here);
  } else
    while (mine == generation)
      pthread_cond_wait(&all_here, &lock);
#endif
  pthread_mutex_unlock(&lock);
}

static void sleep_ms(long ms)
{
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

static int helper_rounds(void)
{
  pthread_mutex_lock(&lock);
  int n = rounds_of_helper;
  pthread_mutex_unlock(&lock);
  return n;
}

static void *helper(void *arg)
{
  for (int i = 0; i < 2; i++) {
    barrier_wait();
    pthread_mutex_lock(&lock);
    rounds_of_helper++;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, helper, NULL);
  sleep_ms(30);
  assert(helper_rounds() == 0);
  barrier_wait();
  sleep_ms(30);
  assert(helper_rounds() == 1);
  barrier_wait();
  sleep_ms(30);
  assert(helper_rounds() == 2);
  pthread_join(t, NULL);
  return 0;
}
