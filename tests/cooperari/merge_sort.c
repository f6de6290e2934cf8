/* SPDX-License-Identifier: Apache-2.0
 *
 * A merge sort that may have so many threads besides main. Whoever sorts a part asks whether a thread is left, and if
 * so takes one for the left half of it, who sorts a copy. Asking and taking are two steps: when one thread is left, two
 * who sort can both be told so and both take it. No lock is used. In the twin there is one, and asking is taking.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>
#include <stdbool.h>

enum { VALUES_EACH = 4, VALUES_MOST = VALUES_EACH * THREADS_MOST };

struct part {
  int *values;
  int count;
};

static int threads_left;
static int values[VALUES_MOST];

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static bool take_thread(void)
{
  LOCK();
  bool granted = threads_left > 0;
  if (granted) {
    threads_left--;
    assert(threads_left >= 0);
  }
  UNLOCK();
  return granted;
}

static void return_thread(void)
{
  LOCK();
  threads_left++;
  UNLOCK();
}

static void copy(int *to, const int *from, int count)
{
  for (int i = 0; i < count; i++)
    to[i] = from[i];
}

static void merge(struct part all, int middle)
{
  int sorted[VALUES_MOST];

  for (int i = 0, left = 0, right = middle; i < all.count; i++) {
    bool from_left = right == all.count || (left < middle && all.values[left] <= all.values[right]);
    sorted[i] = all.values[from_left ? left++ : right++];
  }
  copy(all.values, sorted, all.count);
}

static void sort(struct part all);

static void *sort_copy(void *part)
{
  struct part theirs = *(struct part *)part;
  int own[VALUES_MOST];

  copy(own, theirs.values, theirs.count);
  sort((struct part){own, theirs.count});
  copy(theirs.values, own, theirs.count);
  return NULL;
}

static void sort(struct part all)
{
  int middle = all.count / 2;
  struct part left = {all.values, middle}, right = {all.values + middle, all.count - middle};
  pthread_t helper;

  if (all.count < 2)
    return;
  bool helped = take_thread() && pthread_create(&helper, NULL, sort_copy, &left) == 0;
  if (!helped)
    sort(left);
  sort(right);
  if (helped) {
    pthread_join(helper, NULL);
    return_thread();
  }
  merge(all, middle);
}

int main(int argc, char **argv)
{
  threads_left = thread_count(argc, argv);
  struct part all = {values, VALUES_EACH * threads_left};
  for (int i = 0; i < all.count; i++)
    values[i] = i * 7919 % 101;
  sort(all);
  for (int i = 1; i < all.count; i++)
    assert(values[i - 1] <= values[i]);
  return 0;
}
