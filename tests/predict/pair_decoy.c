/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair with opposite orders on o1 and o2, and a third thread that takes o2 and o3 at the same places in the code. It
 * is in no circle, but who knows threads and locks by the code they run only will mistake it for the second one.
 *
 * In the twin everybody takes the lock with the lower number first.
 *
 * verdict: deadlock
 * threads: 4
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                  PTHREAD_MUTEX_INITIALIZER};

struct task {
  int outer, inner;
  int long_work;
};

static void *run(void *arg)
{
  const struct task *task = arg;
  if (task->long_work)
    usleep(5000);
  pthread_mutex_lock(&lock[task->outer]);
  pthread_mutex_lock(&lock[task->inner]);
  pthread_mutex_unlock(&lock[task->inner]);
  pthread_mutex_unlock(&lock[task->outer]);
  return NULL;
}

int main(void)
{
  static struct task one = {0, 1, 1}, three = {1, 2, 0};
#ifdef FIXED
  static struct task two = {0, 1, 0};
#else
  static struct task two = {1, 0, 0};
#endif
  pthread_t a, b, c;

  pthread_create(&a, NULL, run, &one);
  pthread_create(&b, NULL, run, &two);
  pthread_create(&c, NULL, run, &three);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
