/* SPDX-License-Identifier: Apache-2.0
 *
 * A process-shared mutex in a shared mapping, used by the threads of one process.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

struct shared {
  pthread_mutex_t mutex;
  int count;
};

static struct shared *shared;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&shared->mutex);
  shared->count++;
  pthread_mutex_unlock(&shared->mutex);
  return NULL;
}

int main(void)
{
  pthread_mutexattr_t kind;
  pthread_t thread[2];
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &kind);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(shared->count == 2);
  return 0;
}
