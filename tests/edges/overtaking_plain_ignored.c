/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads that raise a flag and look at the other's, by plain accesses whose races are not to be told: the
 * processor may let both loads go first, and then neither sees the other.
 *
 * verdict: noproof
 * expect-text: a load can overtake an earlier store
 * options: --races ignore
 */
#include <assert.h>
#include <pthread.h>

static volatile int raised[2];
static int saw[2];

static void *visitor(void *arg)
{
  const long me = (long)arg;
  raised[me] = 1;
  saw[me] = raised[!me];
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, visitor, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(saw[0] || saw[1]);
  return 0;
}
