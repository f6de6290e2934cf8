/* SPDX-License-Identifier: Apache-2.0
 *
 * "The first to come makes the table": an atomic exchange decides who that is, and nobody makes it twice. But the
 * second to come does not wait until it is made, and reads it half done. pthread_once() does both.
 *
 * verdict: assertion
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int square[4];

static void make_table(void)
{
  for (int i = 0; i < 4; i++)
    square[i] = i * i;
}

static void need_table(void)
{
#ifdef FIXED
  static pthread_once_t made = PTHREAD_ONCE_INIT;
  pthread_once(&made, make_table);
#else
  static atomic_int begun;
  if (atomic_exchange(&begun, 1) == 0)
    make_table();
#endif
}

static void *user(void *arg)
{
  need_table();
  assert(square[3] == 9);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
