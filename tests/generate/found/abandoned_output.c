/* SPDX-License-Identifier: Apache-2.0
 *
 * The first execution prints and then has to begin anew in another reset mode: what it printed is not told twice, what
 * it learnt does not count.
 * verdict: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int count;

static void *work(void *arg)
{
  count++;
  printf("%d\n", count);
  fflush(stdout);
  FILE *file = tmpfile();
  if (file)
    fclose(file);
  count++;
  return arg;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  count++;
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}
