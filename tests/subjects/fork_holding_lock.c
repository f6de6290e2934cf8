/* SPDX-License-Identifier: Apache-2.0
 *
 * A process forks while another thread of it holds a lock. That thread does not exist in the child, where the lock stays
 * held for ever. The twin takes the lock for the fork (pthread_atfork).
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void add(void)
{
  pthread_mutex_lock(&lock);
  entries++;
  pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
  add();
  return arg;
}

#ifdef FIXED
static void before(void)
{
  pthread_mutex_lock(&lock);
}

static void after(void)
{
  pthread_mutex_unlock(&lock);
}
#endif

int main(void)
{
  pthread_t thread;
#ifdef FIXED
  pthread_atfork(before, after, after);
#endif
  pthread_create(&thread, NULL, work, NULL);
  pid_t child = fork();
  if (child == 0) {
    add();
    _exit(0);
  }
  pthread_join(thread, NULL);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
