/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines by makecontext and swapcontext, beside a thread.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <ucontext.h>

static ucontext_t outside, inside;
static char stack[65536];
static int steps;

static void coroutine(void)
{
  steps++;
  swapcontext(&inside, &outside);
  steps++;
}

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  pthread_create(&thread, NULL, worker, NULL);
  swapcontext(&outside, &inside);
  pthread_join(thread, NULL);
  swapcontext(&outside, &inside);
  assert(steps == 2);
  return 0;
}
