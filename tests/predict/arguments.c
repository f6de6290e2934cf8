/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of every shape, all watched: arguments in registers, vector registers and on the stack, variable ones, a
 * creator that calls itself, one left by longjmp, an object that is not the first argument, a result in two registers.
 * Verdict: correct; its assertions say that watching changes nothing. With -DFAILS it ends with status 1, so that
 * there is a schedule to look at.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#ifndef FAILS
#define FAILS 0
#endif

#define DEPTH 20

struct item {
  int x;
  struct item *inner;
};

struct pair {
  long first, second;
};

static jmp_buf way_out;
static struct item *shared;

__attribute__((noinline)) double item_many(struct item *o, int a, long b, char c, short d, unsigned e, int f,
                                           int g, double h, float i, double j, double k, double l, double m,
                                           double n, double p, double q)
{
  return o->x + a + (double)b + c + d + e + f + g + h + i + j + k + l + m + n + p + q;
}

__attribute__((noinline)) double item_sum(struct item *o, int n, ...)
{
  va_list list;
  double sum = o->x;
  va_start(list, n);
  for (int i = 0; i < n; i++)
    sum += va_arg(list, double);
  va_end(list);
  return sum;
}

__attribute__((noinline)) struct pair item_pair(struct item *o, long second)
{
  return (struct pair){o->x, second};
}

__attribute__((noinline)) struct item *item_new(int depth)
{
  struct item *o = calloc(1, sizeof *o);
  assert(o);
  o->x = depth;
  if (depth > 0)
    o->inner = item_new(depth - 1);
  return o;
}

__attribute__((noinline)) struct item *item_never(int x)
{
  if (x)
    longjmp(way_out, 1);
  return NULL;
}

__attribute__((noinline)) int item_add(int k, const struct item *o)
{
  return o->x + k;
}

__attribute__((noinline)) void item_free(struct item *o)
{
  if (o->inner)
    item_free(o->inner);
  free(o);
}

static void *use(void *unused)
{
  struct item *o = item_new(DEPTH);
  assert(o->x == DEPTH && o->inner->inner->x == DEPTH - 2);
  assert(item_many(o, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) == DEPTH + 136);
  assert(item_sum(o, 3, 1.0, 2.0, 3.5) == DEPTH + 6.5);
  struct pair p = item_pair(o, 7);
  assert(p.first == DEPTH && p.second == 7);
  assert(item_add(3, shared) == 3);
  item_free(o);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  shared = item_new(0);
  if (!setjmp(way_out))
    item_never(1);
  item_free(item_new(1));
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, use, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  item_free(shared);
  return FAILS;
}
