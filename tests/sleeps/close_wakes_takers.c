/* SPDX-License-Identifier: Apache-2.0
 *
 * When a queue is closed, all that wait in take return without an element. BUG: only one is woken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int closed, returned;

static int take(void)
{
  pthread_mutex_lock(&m);
  while (!closed)
    pthread_cond_wait(&c, &m);
  returned++;
  pthread_mutex_unlock(&m);
  return -1;
}

static void close_queue(void)
{
  pthread_mutex_lock(&m);
  closed = 1;
#ifdef BUG
  pthread_cond_signal(&c);
#else
  pthread_cond_broadcast(&c);
#endif
  pthread_mutex_unlock(&m);
}

static void *taker(void *arg)
{
  take();
  return arg;
}

static void test_close(void **state)
{
  pthread_t a, b;
  (void)state;
  pthread_create(&a, NULL, taker, NULL);
  pthread_create(&b, NULL, taker, NULL);
  poll(NULL, 0, 40);
  close_queue();
  poll(NULL, 0, 40);
  pthread_mutex_lock(&m);
  int n = returned;
  pthread_mutex_unlock(&m);
  assert_int_equal(n, 2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_close)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
