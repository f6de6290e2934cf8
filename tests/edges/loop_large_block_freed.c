/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread writes so many words of a large block of its own that heddle looks whether it only waits, and frees the block right
 * then. Correct.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void finish(void)
{
  pthread_mutex_lock(&lock);
  finished++;
  pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
  volatile long *block = malloc(524288);
  for (long i = 0; i < 65536; i++)
    block[i] = i;
  free((void *)block);
  finish();
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  finish();
  pthread_join(thread, NULL);
  return finished != 2;
}
