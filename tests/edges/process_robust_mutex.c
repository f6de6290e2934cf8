/* SPDX-License-Identifier: Apache-2.0
 *
 * A child dies with a robust mutex; the parent gets EOWNERDEAD and makes it consistent.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pthread_mutex_t *mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &kind);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(mutex);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  assert(pthread_mutex_lock(mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(mutex) == 0);
  assert(pthread_mutex_unlock(mutex) == 0);
  return 0;
}
