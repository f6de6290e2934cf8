/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread is given a variable of a function that is left by longjmp(): nobody waits for the thread before.
 *
 * verdict: found
 * kind: race
 */
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf out;
static pthread_t thread;

static void *reader(void *number)
{
  return *(int *)number == 1 ? number : NULL;
}

__attribute__((noinline)) static void leave(void)
{
  int number = 1;
  pthread_create(&thread, NULL, reader, &number);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  longjmp(out, 1);
}

int main(void)
{
  if (!setjmp(out))
    leave();
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  return 0;
}
