/* SPDX-License-Identifier: Apache-2.0
 *
 * Two supervisors look after one worker: whoever comes first joins it. They ask a flag whether that has been done,
 * and set it; but asking and setting are two steps, so both join the same thread. The second join is undefined: the
 * number of the thread may belong to somebody else by then. The twin asks and sets in one.
 *
 * verdict: property
 * threads: 4
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_t worker;
static atomic_int joined;

static void *work(void *arg)
{
  return arg;
}

static void *supervise(void *arg)
{
#ifdef FIXED
  if (atomic_exchange(&joined, 1))
    return arg;
#else
  if (joined)
    return arg;
  joined = 1;
#endif
  pthread_join(worker, NULL);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&a, NULL, supervise, NULL);
  pthread_create(&b, NULL, supervise, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
