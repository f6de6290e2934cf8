/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add to one table by lsearch().
 *
 * verdict: find
 * kind: race
 */
#include <pthread.h>
#include <search.h>
#include <stddef.h>

static int table[4];
static size_t used;

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static void *adds(void *key)
{
  int number = (int)(long)key;
  lsearch(&number, table, &used, sizeof *table, compare);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, adds, (void *)1);
  adds((void *)2);
  pthread_join(thread, NULL);
  return 0;
}
