/* SPDX-License-Identifier: Apache-2.0
 *
 * A child makes its copies of locks new that were held when it was made: nobody there could unlock some of them.
 *
 * verdict: quiet
 * expect-text: no bug
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *fork_there(void *unused)
{
  pid_t child = fork();
  int status;
  if (!child) {
    assert(pthread_mutex_init(&mutex, NULL) == 0 && pthread_rwlock_init(&rwlock, NULL) == 0);
    assert(pthread_mutex_trylock(&mutex) == 0 && pthread_rwlock_trywrlock(&rwlock) == 0);
    _exit(0);
  }
  assert(wait(&status) == child && status == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, fork_there, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_rdlock(&rwlock);
  fork_there(NULL);
  return 0;
}
