/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread scans a number into a variable while main looks whether it is still zero.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int number;

static void *scan(void *unused)
{
  sscanf("42", "%d", &number);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, scan, NULL);
  int seen = __atomic_load_n(&number, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
