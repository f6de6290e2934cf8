/* SPDX-License-Identifier: Apache-2.0
 *
 * A date is printed into a buffer at which main looks.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static char text[32];

static void *work(void *unused)
{
  struct tm date = {.tm_year = 99, .tm_mday = 1};
  strftime(text, sizeof text, "%Y", &date);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  char first = __atomic_load_n(&text[0], __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(first == 0);
  return 0;
}
