/* SPDX-License-Identifier: Apache-2.0
 *
 * A process is forked while a thread holds a lock: the copy of the lock is locked for ever. The twin joins the thread
 * first.
 *
 * tell: deadlock: P2 waits for P2's lock, which T1 held at the fork
 * tell: P2 waits to lock P2's lock \(forked_lock\.c:\d+\), held by T1 at the fork \(forked_lock\.c:\d+\),\s+since forked_lock\.c:\d+
 * tell: main waits for the end of P2
 * twin: complete
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  pid_t child = fork();
  if (child == 0) {
    work(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  return 0;
}
