/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread writes to a variable without any order, and its process goes on as the same program again: what is at that address
 * then is another variable, which nobody else has used.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;
static atomic_int done;

static void *writer(void *unused)
{
  (void)unused;
  value = 1;
  atomic_store_explicit(&done, 1, memory_order_relaxed);
  for (;;)
    pause();
}

static void *reader(void *unused)
{
  (void)unused;
  value++;
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  if (argc > 1) {
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return value != 1;
  }
  if (!fork()) {
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load_explicit(&done, memory_order_relaxed))
      sched_yield();
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    _exit(3);
  }
  int status;
  wait(&status);
  return status != 0;
}
