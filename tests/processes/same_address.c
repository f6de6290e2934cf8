/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child count with two threads each, in variables that have the same name and address in both; only the
 * child forgets the lock. What is told is of the child's. In the twin both lock.
 *
 * tell: assertion failed: count == 2
 * tell: P1\.[12] +same_address\.c:\d+ +reads +P1's count
 * tell: P1\.[12]'s update is lost
 * tell: data race on P1's count
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, in_child;

static void *work(void *arg)
{
#ifdef FIXED
  const int locks = 1;
#else
  const int locks = !in_child;
#endif
  if (locks)
    pthread_mutex_lock(&lock);
  count = count + 1;
  if (locks)
    pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  pid_t child = fork();
  in_child = child == 0;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 2);
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  return 0;
}
