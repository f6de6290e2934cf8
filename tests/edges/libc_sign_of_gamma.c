/* SPDX-License-Identifier: Apache-2.0
 *
 * lgamma() leaves the sign in a variable of the library.
 *
 * verdict: find
 * flags: -Wl,--no-as-needed -lm
 */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>

static volatile double below = -0.5, above = 3;

static void *work(void *unused)
{
  lgamma(below);
  return unused;
}

int main(void)
{
  pthread_t thread;
  lgamma(above);
  pthread_create(&thread, NULL, work, NULL);
  lgamma(above);
  int sign = signgam;
  pthread_join(thread, NULL);
  assert(sign == 1);
  return 0;
}
