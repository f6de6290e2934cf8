/* SPDX-License-Identifier: Apache-2.0
 *
 * The program lowers the limit of its own memory: then malloc() comes to an end, says ENOMEM, and no thread can be
 * created that would need a stack. What was freed can be had again. Natively it passes.
 *
 * verdict: complete
 * options: --leaks ignore
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *nothing(void *unused)
{
  return unused;
}

int main(void)
{
  struct rlimit limit = {64 << 20, 64 << 20};
  pthread_t thread;
  void **last = NULL, **now;
  assert(setrlimit(RLIMIT_DATA, &limit) == 0);
  while ((now = malloc(1 << 20))) {
    *now = last;
    last = now;
  }
  assert(errno == ENOMEM && last);
  assert(pthread_create(&thread, NULL, nothing, NULL) == EAGAIN);
  free(last);
  assert(malloc(1 << 20));
  return 0;
}
