/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread asks whether it is the second one: only if that draws first, the assertion fails.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_t thread[2];
static atomic_int drawn;

static void *draw(void *unused)
{
  if (atomic_fetch_add(&drawn, 1) == 0)
    assert(!pthread_equal(pthread_self(), thread[1]));
  return unused;
}

int main(void)
{
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, draw, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
}
