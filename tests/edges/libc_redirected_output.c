/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard output is a pipe of the program's own, from which it reads who printed first.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *print(void *unused)
{
  puts("b");
  return unused;
}

int main(void)
{
  int end[2];
  char first;
  pthread_t thread;
  assert(pipe(end) == 0 && dup2(end[1], 1) == 1);
  pthread_create(&thread, NULL, print, NULL);
  printf("a\n");
  pthread_join(thread, NULL);
  fflush(stdout);
  assert(read(end[0], &first, 1) == 1 && first == 'a');
  return 0;
}
