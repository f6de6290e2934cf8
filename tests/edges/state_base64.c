/* SPDX-License-Identifier: Apache-2.0
 *
 * l64a() prints into memory of its own, which the next call overwrites.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile long number = 63 * 64 + 5;

static void *work(void *unused)
{
  l64a(64 * 64 * 7 + 3);
  return unused;
}

int main(void)
{
  pthread_t thread;
  char digits[16];
  strcpy(digits, l64a(number));
  pthread_create(&thread, NULL, work, NULL);
  char *again = l64a(number);
  int same = strcmp(digits, again) == 0;
  pthread_join(thread, NULL);
  assert(same);
  return 0;
}
