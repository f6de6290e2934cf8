/* SPDX-License-Identifier: Apache-2.0
 *
 * indexer N: N threads enter four messages each into a hash table of 128 places by compare-and-swap. From the paper on
 * dynamic partial order reduction (Flanagan, Godefroid, 2005). Up to 11 threads nothing collides: one class; then 8,
 * 64, 512, 4096 for 12 to 15.
 */
#include "together.h"

#define PLACES 128
#define MESSAGES 4

static atomic_int table[PLACES];

static void *indexer(void *arg)
{
  int last = 0;

  for (int m = 1; m <= MESSAGES; m++) {
    int w = m * 11 + first(arg), h = w * 7 % PLACES, empty = 0;
    while (!atomic_compare_exchange_strong(&table[h], &empty, w)) {
      h = (h + 1) % PLACES;
      empty = 0;
    }
    last = h;
  }
  return result(last);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 12);

  for (int i = 0; i < n; i++)
    start(indexer, i, 0);
  finish();
  printf("\n");
  return 0;
}
