/* SPDX-License-Identifier: Apache-2.0
 *
 * A clerk moves 30 from checking to savings under a robust mutex. When the emergency stop is pressed, the clerk ends on
 * the spot, between the two halves, and holding the lock. The auditor then gets the lock together with the news that
 * its owner died (EOWNERDEAD), does not read the news, and counts 70. The twin completes the transfer and declares
 * the mutex consistent.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock;
static atomic_int emergency_stop;
static int checking = 100;
static int savings;

static void *clerk(void *arg)
{
  pthread_mutex_lock(&lock);
  checking -= 30;
  if (emergency_stop)
    pthread_exit(NULL);
  savings += 30;
  pthread_mutex_unlock(&lock);
  return arg;
}

static void audit(void)
{
#ifdef FIXED
  if (pthread_mutex_lock(&lock) == EOWNERDEAD) {
    savings = 100 - checking;
    pthread_mutex_consistent(&lock);
  }
#else
  pthread_mutex_lock(&lock);
#endif
  assert(checking + savings == 100);
  pthread_mutex_unlock(&lock);
}

int main(void)
{
  pthread_t thread;
  pthread_mutexattr_t robust;

  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &robust);
  pthread_mutexattr_destroy(&robust);

  pthread_create(&thread, NULL, clerk, NULL);
  emergency_stop = 1;
  pthread_join(thread, NULL);
  audit();
  pthread_mutex_destroy(&lock);
  return 0;
}
