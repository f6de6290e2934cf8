/* SPDX-License-Identifier: Apache-2.0
 *
 * The first take finds an element, the second has to wait for the second add. BUG: a take that waited returns what was
 * there before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct slot {
  pthread_mutex_t lock;
  pthread_cond_t full_cond;
  bool full;
  int value;
};

static void slot_add(struct slot *s, int v)
{
  pthread_mutex_lock(&s->lock);
  s->value = v;
  s->full = true;
  pthread_cond_signal(&s->full_cond);
  pthread_mutex_unlock(&s->lock);
}

static int slot_take(struct slot *s)
{
  pthread_mutex_lock(&s->lock);
  int v = s->value;
  bool waited = false;
  while (!s->full) {
    waited = true;
    pthread_cond_wait(&s->full_cond, &s->lock);
  }
#ifdef BUG
  v = waited ? v : s->value;
#else
  (void)waited;
  v = s->value;
#endif
  s->full = false;
  pthread_mutex_unlock(&s->lock);
  return v;
}

static void *adder(void *arg)
{
  struct slot *s = arg;
  slot_add(s, 1);
  usleep(150 * 1000);
  slot_add(s, 2);
  return NULL;
}

static void test_take_waits(void **state)
{
  (void)state;
  struct slot s = {.lock = PTHREAD_MUTEX_INITIALIZER, .full_cond = PTHREAD_COND_INITIALIZER};
  pthread_t t;
  pthread_create(&t, NULL, adder, &s);
  usleep(50 * 1000);
  assert_int_equal(slot_take(&s), 1);
  assert_int_equal(slot_take(&s), 2);
  pthread_join(t, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_take_waits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
