/* SPDX-License-Identifier: Apache-2.0
 *
 * A crash handler prints a word and falls back to the default: the crash behind it is real, if the pointer was not set
 * yet. Natively, with pauses, it failed in 239 of 300 runs.
 *
 * verdict: noproof
 * kind: crash
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static int value = 1;
static _Atomic(int *) pointer;

static void report(int number)
{
  write(2, "crashed\n", 8);
  signal(number, SIG_DFL);
}

static void *setter(void *unused)
{
  (void)unused;
  atomic_store(&pointer, &value);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  signal(SIGSEGV, report);
  pthread_create(&thread, NULL, setter, NULL);
  volatile int *now = atomic_load(&pointer);
  int seen = *now;
  pthread_join(thread, NULL);
  return seen - 1;
}
