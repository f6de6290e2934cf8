/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets the locale while another one asks how long characters are. Natively, with pauses, it failed in 41 of
 * 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static void *sets(void *unused)
{
  (void)unused;
  setlocale(LC_ALL, "C.UTF-8");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, sets, NULL);
  size_t longest = MB_CUR_MAX;
  assert(longest == 1);
  pthread_join(thread, NULL);
  return 0;
}
