/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes count in memory that they share, under a lock that they share; one waits for the end of the other.
 * Correct.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  pthread_mutex_t lock;
  int count;
};

int main(void)
{
  struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  int status;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&s->lock, &attributes);
  pid_t child = fork();
  pthread_mutex_lock(&s->lock);
  s->count++;
  pthread_mutex_unlock(&s->lock);
  if (child == 0)
    _exit(0);
  assert(wait(&status) == child && status == 0);
  assert(s->count == 2);
  return 0;
}
