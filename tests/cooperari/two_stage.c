/* SPDX-License-Identifier: Apache-2.0
 *
 * Data in two stages: writers set the first under one lock, then the second, which depends on it, under another.
 * Readers take the locks one after the other. A reader who comes by between the stages, and is faster than the writer,
 * sees the first and not yet the second. Every access is locked: there is no data race. In the twin a writer holds the
 * first lock until the second stage is done, and so does a reader.
 *
 * verdict: assertion
 */
#include "threads.h"
#include <assert.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void set_second(int value)
{
  pthread_mutex_lock(&second_lock);
  second = value;
  pthread_mutex_unlock(&second_lock);
}

static int get_second(void)
{
  pthread_mutex_lock(&second_lock);
  int value = second;
  pthread_mutex_unlock(&second_lock);
  return value;
}

#ifdef FIXED
static void writer(void)
{
  pthread_mutex_lock(&first_lock);
  first = 1;
  set_second(first + 1);
  pthread_mutex_unlock(&first_lock);
}

static void reader(void)
{
  pthread_mutex_lock(&first_lock);
  int seen = first;
  int then = get_second();
  pthread_mutex_unlock(&first_lock);
  assert(seen == 0 || then == seen + 1);
}
#else
static void writer(void)
{
  pthread_mutex_lock(&first_lock);
  first = 1;
  int next = first + 1;
  pthread_mutex_unlock(&first_lock);
  set_second(next);
}

static void reader(void)
{
  pthread_mutex_lock(&first_lock);
  int seen = first;
  pthread_mutex_unlock(&first_lock);
  if (seen == 0)
    return;
  int then = get_second();
  assert(then == seen + 1);
}
#endif

static void write_or_read(int number)
{
  if (number % 2 == 0)
    writer();
  else
    reader();
}

int main(int argc, char **argv)
{
  run_threads(thread_count(argc, argv), write_or_read);
  return 0;
}
