/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair with opposite orders, where the early thread leaves a word behind a third lock and the late one reads it
 * before it takes the two. In the recorded run the word was written first. Who takes that order, of memory or of the
 * third lock, for a must, does not see the deadlock: what is read does not decide whether the two locks are taken.
 *
 * The twin takes both in the same order.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER,
                       flag_lock = PTHREAD_MUTEX_INITIALIZER;
static int done, flag;

static void *early(void *arg)
{
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  done++;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);

  pthread_mutex_lock(&flag_lock);
  flag = 1;
  pthread_mutex_unlock(&flag_lock);
  return arg;
}

static void *late(void *arg)
{
  usleep(5000);
  pthread_mutex_lock(&flag_lock);
  int more = flag;
  pthread_mutex_unlock(&flag_lock);

#ifdef FIXED
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
#else
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
#endif
  done += 1 + more;
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, early, NULL);
  pthread_create(&b, NULL, late, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return done < 2;
}
