/* SPDX-License-Identifier: Apache-2.0
 *
 * Write skew. Two doctors are on call, and one may go home if the other stays. Each counts under the read lock, sees
 * two, and then signs off under the write lock. When both have counted before either signs off, the ward is empty.
 * There is no data race; the decision was made on a count that no longer held. The twin counts under the write lock.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t roster = PTHREAD_RWLOCK_INITIALIZER;
static int on_call[2] = {1, 1};

static void *doctor(void *arg)
{
  int *me = arg;

#ifdef FIXED
  pthread_rwlock_wrlock(&roster);
#else
  pthread_rwlock_rdlock(&roster);
#endif
  int count = on_call[0] + on_call[1];
#ifndef FIXED
  pthread_rwlock_unlock(&roster);
  pthread_rwlock_wrlock(&roster);
#endif
  if (count == 2)
    *me = 0;
  pthread_rwlock_unlock(&roster);
  return NULL;
}

int main(void)
{
  pthread_t alice, bob;

  pthread_create(&alice, NULL, doctor, &on_call[0]);
  pthread_create(&bob, NULL, doctor, &on_call[1]);
  pthread_join(alice, NULL);
  pthread_join(bob, NULL);
  assert(on_call[0] + on_call[1] >= 1);
  return 0;
}
