/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done once is set back, so that it is done again, while two threads come for it. If one of them comes before
 * that and one after it, it is done twice.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times;

static void set_up(void)
{
  times++;
}

static void *use(void *unused)
{
  pthread_once(&once, set_up);
  return unused;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, use, NULL);
  pthread_create(&second, NULL, use, NULL);
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(times == 1);
  return 0;
}
