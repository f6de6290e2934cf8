/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends the program while main has locked standard output and waits for that thread. What was printed is
 * flushed without the lock, and the program is over.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *worker(void *unused)
{
  exit(0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  puts("before");
  flockfile(stdout);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 1;
}
