/* SPDX-License-Identifier: Apache-2.0
 *
 * series N K KIND: N threads use K variables one after the other, all in the same order, so that the orders at one of
 * them say nothing about those at the next: (N!)^K. KIND 0: stores, 2: exchanges, 3: mutexes; 1: increments whose order
 * nobody sees, so there is one class.
 */
#include "together.h"

static atomic_long x[MOST];
static struct {
  _Alignas(64) pthread_mutex_t mutex;
} lock[MOST];

static void *body(void *arg)
{
  int k = second(arg) >> 2, kind = second(arg) & 3;
  for (int i = 0; i < k; i++) {
    if (kind == 0)
      atomic_store(&x[i], first(arg));
    else if (kind == 1)
      atomic_fetch_add(&x[i], 1);
    else if (kind == 2)
      atomic_exchange(&x[i], first(arg));
    else {
      pthread_mutex_lock(&lock[i].mutex);
      pthread_mutex_unlock(&lock[i].mutex);
    }
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 2), kind = number(argc, argv, 3, 0);

  for (int i = 0; i < k; i++)
    pthread_mutex_init(&lock[i].mutex, NULL);
  for (int i = 0; i < n; i++)
    start(body, i, k << 2 | kind);
  finish();
  for (int i = 0; i < k; i++)
    printf("%ld ", x[i]);
  printf("\n");
  return 0;
}
