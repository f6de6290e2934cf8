/* SPDX-License-Identifier: Apache-2.0
 *
 * journal N K: N threads write their number K times behind what is already in a journal, under a lock. The classes
 * are the orders of the critical sections, (NK)! / (K!)^N, and the final states are as many.
 */
#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal; /* one octal digit an entry */

static void *writer(void *arg)
{
  for (int i = 0; i < second(arg); i++) {
    pthread_mutex_lock(&lock);
    journal = journal * 8 + first(arg);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 1);

  for (int i = 0; i < n; i++)
    start(writer, i + 1, k);
  finish();
  printf("journal=%o\n", (unsigned)journal);
  return 0;
}
