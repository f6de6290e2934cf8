/* SPDX-License-Identifier: Apache-2.0
 *
 * The exponent of a number is left in a variable at which main looks.
 *
 * verdict: find
 * flags: -Wl,--no-as-needed -lm
 */
#include <assert.h>
#include <math.h>
#include <pthread.h>

static int exponent;
static volatile double number = 8;

static void *work(void *unused)
{
  frexp(number, &exponent);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int seen = __atomic_load_n(&exponent, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
