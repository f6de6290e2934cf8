/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets the locale while another one compares by it. What the system offers decides whether they differ.
 *
 * verdict: noproof
 * kind: race
 */
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
  int order = strcasecmp("\xc3\xa4", "\xc3\x84");
  pthread_join(thread, NULL);
  return order > 1000;
}
