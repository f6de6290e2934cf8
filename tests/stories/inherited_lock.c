/* SPDX-License-Identifier: Apache-2.0
 *
 * A child is forked while another thread holds the lock of the diary, and then writes to the diary itself.
 * tell: T1 +\S+ +locks +diary
 * tell: bug +a process is forked while a thread holds a lock that the child needs: main forks at \S+ while T1
 * tell: fix +take the lock around the fork in pthread_atfork\(\) handlers
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t diary = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void note(void)
{
  pthread_mutex_lock(&diary);
  lines++;
  pthread_mutex_unlock(&diary);
}

static void *live(void *arg)
{
  note();
  return arg;
}

#ifdef FIXED
static void hold(void)
{
  pthread_mutex_lock(&diary);
}

static void release(void)
{
  pthread_mutex_unlock(&diary);
}
#endif

int main(void)
{
  pthread_t parent;
#ifdef FIXED
  pthread_atfork(hold, release, release);
#endif
  pthread_create(&parent, NULL, live, NULL);
  pid_t child = fork();
  if (child == 0) {
    note();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  pthread_join(parent, NULL);
}
