/* SPDX-License-Identifier: Apache-2.0
 *
 * A merge sort that gives halves to other threads while there are threads left. That there are is asked in one critical
 * section and one is taken in another: two sorters take the same last thread.
 *
 * verdict: assertion
 * blame: R W R left
 */
#include <assert.h>
#include <pthread.h>

#define CELLS 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;
static int cell[CELLS] = {8, 3, 5, 1, 7, 2, 6, 4};

struct range {
  int from, to;
};

static int threads_left(void)
{
  pthread_mutex_lock(&lock);
  int n = left; /* <1> */
  pthread_mutex_unlock(&lock);
  return n;
}

static int take_thread(void)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  int got = left > 0;
  left -= got;
#else
  int got = 1;
  left--; /* <2> <3> */
  assert(left >= 0);
#endif
  pthread_mutex_unlock(&lock);
  return got;
}

static void merge(const struct range *r, int middle)
{
  int merged[CELLS], n = 0, a = r->from, b = middle;
  while (a < middle || b < r->to)
    merged[n++] = b == r->to || (a < middle && cell[a] <= cell[b]) ? cell[a++] : cell[b++];
  for (int i = 0; i < n; i++)
    cell[r->from + i] = merged[i];
}

static void *sort(void *arg)
{
  const struct range *r = arg;
  if (r->to - r->from < 2)
    return NULL;
  int middle = (r->from + r->to) / 2;
  struct range low = {r->from, middle}, high = {middle, r->to};
  pthread_t helper;
  int helped = r->to - r->from > 2 && threads_left() > 0 && take_thread();
  if (helped)
    pthread_create(&helper, NULL, sort, &low);
  else
    sort(&low);
  sort(&high);
  if (helped)
    pthread_join(helper, NULL);
  merge(r, middle);
  return NULL;
}

int main(void)
{
  struct range all = {0, CELLS};

  sort(&all);
  for (int i = 1; i < CELLS; i++)
    assert(cell[i - 1] <= cell[i]);
  return 0;
}
