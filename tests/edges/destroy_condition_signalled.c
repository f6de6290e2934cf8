/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread signals a condition variable, another destroys it, and nothing says which comes first: the signal may
 * use a condition variable that is destroyed. Nobody waits, so the two calls meet in no other way.
 *
 * verdict: find
 * kind: property
 */
#include <pthread.h>

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *signaller(void *unused)
{
  pthread_cond_signal(&condition);
  return unused;
}

static void *destroyer(void *unused)
{
  pthread_cond_destroy(&condition);
  return unused;
}

int main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, signaller, NULL);
  pthread_create(&two, NULL, destroyer, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
