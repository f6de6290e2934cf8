/* SPDX-License-Identifier: Apache-2.0
 *
 * Main sends its output elsewhere for a while, and another thread's goes there too. Natively, with pauses, it failed
 * in 1 of 300 runs.
 *
 * verdict: found
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static void *prints(void *unused)
{
  (void)unused;
  write(STDOUT_FILENO, "other\n", 6);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int file = memfd_create("log", 0);
  pthread_create(&thread, NULL, prints, NULL);
  int old = dup(STDOUT_FILENO);
  dup2(file, STDOUT_FILENO);
  write(STDOUT_FILENO, "main\n", 5);
  dup2(old, STDOUT_FILENO);
  pthread_join(thread, NULL);
  assert(lseek(file, 0, SEEK_END) == 5);
  return 0;
}
