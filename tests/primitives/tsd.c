/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data: values of each thread, destructors and their rounds.
 */
#include "case.h"
#include <limits.h>

static pthread_key_t key, second;
static int destroyed;
static void *destroyed_value;

static void note_destroyed(void *value)
{
  destroyed++;
  destroyed_value = value;
}

static void make(void (*destructor)(void *))
{
  RETURNS(0, pthread_key_create, &key, destructor);
}

static void set(void *value)
{
  RETURNS(0, pthread_setspecific, key, value);
}

CASE(pthread_key_create, starts_as_null, proceeds)
{
  make(NULL);
  EXPECT(pthread_getspecific(key) == NULL);
  SEE("pthread_getspecific", "proceeds");
}

static void *set_and_look(void *value)
{
  set(value);
  sched_yield();
  EXPECT(pthread_getspecific(key) == value);
  return NULL;
}

CASE(pthread_setspecific, each_thread_has_its_own, proceeds)
{
  int a, b;
  make(NULL);
  pthread_t thread = start(set_and_look, &a);
  set_and_look(&b);
  finish(thread);
  EXPECT(pthread_getspecific(key) == &b);
}

CASE(pthread_setspecific, no_such_key, EINVAL)
{
  RETURNS(EINVAL, pthread_setspecific, 1023, &key);
  EXPECT(pthread_getspecific(1023) == NULL);
}

CASE(pthread_key_create, until_none_is_left, proceeds, EAGAIN)
{
  int n = 0, error;
  while (!(error = pthread_key_create(&key, NULL)))
    n++;
  EXPECT(error == EAGAIN);
  EXPECT(n >= 1000 && n <= PTHREAD_KEYS_MAX);
  SAW("proceeds");
  SAW("EAGAIN");
}

static void *set_it(void *value)
{
  set(value);
  return NULL;
}

CASE(pthread_key_create, destructor_at_the_end_of_a_thread, destructor)
{
  int value;
  make(note_destroyed);
  finish(start(set_it, &value));
  EXPECT(destroyed == 1);
  EXPECT(destroyed_value == &value);
  SAW("destructor");
}

static void *set_and_unset(void *value)
{
  set(value);
  set(NULL);
  return NULL;
}

CASE(pthread_key_create, no_destructor_for_null)
{
  make(note_destroyed);
  finish(start(set_and_unset, &key));
  EXPECT(destroyed == 0);
}

static void set_again(void *value)
{
  EXPECT(pthread_getspecific(key) == NULL);
  destroyed++;
  set(value);
}

CASE(pthread_key_create, destructors_come_in_rounds, rounds)
{
  make(set_again);
  finish(start(set_it, &key));
  EXPECT(destroyed == PTHREAD_DESTRUCTOR_ITERATIONS);
  SAW("rounds");
}

static void set_the_second(void *value)
{
  RETURNS(0, pthread_setspecific, second, value);
}

CASE(pthread_key_create, destructor_sets_an_earlier_key)
{
  RETURNS(0, pthread_key_create, &second, note_destroyed);
  make(set_the_second);
  finish(start(set_it, &key));
  EXPECT(destroyed == 1);
}

static void *set_and_exit(void *value)
{
  set(value);
  pthread_exit(value);
}

CASE(pthread_key_create, destructor_after_pthread_exit, destructor)
{
  make(note_destroyed);
  EXPECT(finish(start(set_and_exit, &key)) == &key);
  EXPECT(destroyed == 1);
  SAW("destructor");
}

static void clean_up(void *unused)
{
  (void)unused;
  EXPECT(destroyed == 0);
  EXPECT(pthread_getspecific(key) == &key);
  SEE("pthread_cancel", "cleans_up");
}

static void *set_and_sleep(void *value)
{
  set(value);
  pthread_cleanup_push(clean_up, NULL);
  sleep(1000);
  pthread_testcancel();
  pthread_cleanup_pop(1);
  return NULL;
}

CASE(pthread_key_create, destructor_after_cancellation, destructor, pthread_cancel:cleans_up)
{
  make(note_destroyed);
  pthread_t thread = start(set_and_sleep, &key);
  EXPECT(pthread_cancel(thread) == 0);
  bool cancelled = finish(thread) == PTHREAD_CANCELED;
  EXPECT(destroyed == 1 || cancelled); /* cancelled before it set anything */
  if (destroyed)
    SAW("destructor");
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int guarded;

static void destroy_under_lock(void *unused)
{
  (void)unused;
  EXPECT(pthread_mutex_lock(&m) == 0);
  guarded++;
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

CASE(pthread_key_create, destructors_can_block)
{
  make(destroy_under_lock);
  pthread_t a = start(set_it, &key), b = start(set_it, &key);
  EXPECT(pthread_mutex_lock(&m) == 0);
  sched_yield();
  EXPECT(pthread_mutex_unlock(&m) == 0);
  finish(a);
  finish(b);
  EXPECT(guarded == 2);
}

static void leave_by_exit(void)
{
  EXPECT(destroyed == (pthread_getspecific(key) == NULL));
  SEE("pthread_key_create", destroyed ? "destructor_of_main" : "no_destructor_at_exit");
}

CASE(pthread_key_create, main_ends_by_pthread_exit, destructor_of_main)
{
  make(note_destroyed);
  set(&key);
  atexit(leave_by_exit);
  pthread_exit(NULL);
}

CASE(pthread_key_create, main_returns, no_destructor_at_exit)
{
  make(note_destroyed);
  set(&key);
  atexit(leave_by_exit);
}

static void *delete_it(void *value)
{
  set(value);
  RETURNS(0, pthread_key_delete, key);
  return NULL;
}

CASE(pthread_key_delete, no_destructor_afterwards, proceeds)
{
  make(note_destroyed);
  finish(start(delete_it, &key));
  EXPECT(destroyed == 0);
}

CASE(pthread_key_delete, no_such_key, EINVAL)
{
  RETURNS(EINVAL, pthread_key_delete, 1023);
  make(NULL);
  RETURNS(0, pthread_key_delete, key);
  RETURNS(EINVAL, pthread_key_delete, key);
}

CASE(pthread_key_delete, a_new_key_starts_as_null)
{
  make(NULL);
  set(&key);
  RETURNS(0, pthread_key_delete, key);
  make(note_destroyed);
  EXPECT(pthread_getspecific(key) == NULL);
}

CASE(pthread_key_create, nothing_is_left_from_before)
{
  make(NULL);
  SAME("key", "%u", key);
}
