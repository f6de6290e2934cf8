/* SPDX-License-Identifier: Apache-2.0
 *
 * It fails in the first execution, where no second thread has come to the memory that decides.
 * tell: main +\S+ +reads +result +→ -1
 * tell: bug +a thread goes on before another one has run: main creates T1
 * tell: fix +if T1 is to write it, main must wait for that
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result = -1;

static void *work(void *arg)
{
  pthread_mutex_lock(&lock);
  result = 5;
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
  pthread_join(worker, NULL);
#endif
  pthread_mutex_lock(&lock);
  int got = result;
  pthread_mutex_unlock(&lock);
  assert(got == 5);
#ifndef FIXED
  pthread_join(worker, NULL);
#endif
}
