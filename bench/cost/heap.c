/* SPDX-License-Identifier: Apache-2.0
 *
 * How executions slow down as they touch more heap: heap BYTES STRIDE lets one of two threads allocate a block of that
 * size, write one word every STRIDE bytes of it, and free it. Correct.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t bytes, stride;
static int finished;

static void finish(void)
{
  pthread_mutex_lock(&lock);
  finished++;
  pthread_mutex_unlock(&lock);
}

static void *idle(void *unused)
{
  finish();
  return unused;
}

static void *worker(void *unused)
{
  char *block = malloc(bytes);
  size_t n = bytes, step = stride;
  for (size_t at = 0; at < n; at += step)
    *(long *)(block + at) = (long)at;
  free(block);
  finish();
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t a, b;
  bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
  stride = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
  pthread_create(&a, NULL, idle, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return finished != 2;
}
