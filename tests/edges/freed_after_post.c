/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore is freed by who waited for it, while the thread that posted it may be about to post it once more. What steps
 * see of each other is the same whenever that is.
 *
 * verdict: found
 * kind: memory
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t *done;

static void *work(void *unused)
{
  sem_post(done);
  sem_post(done);
  return unused;
}

int main(void)
{
  pthread_t thread;
  done = malloc(sizeof *done);
  if (!done)
    return 0;
  sem_init(done, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(done);
  free(done);
  pthread_join(thread, NULL);
  return 0;
}
