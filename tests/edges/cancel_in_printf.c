/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that is cancelled while it prints leaves the stream unlocked: libc sees to that.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused)
{
  for (int i = 0; i < 2; i++)
    printf("%d\n", i);
  return unused;
}

int main(void)
{
  pthread_t thread;
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_create(&thread, NULL, print, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  printf("%s\n", "done");
  return 0;
}
