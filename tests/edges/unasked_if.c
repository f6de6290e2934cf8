/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait that is not repeated: POSIX allows it to end though nobody signalled, and then the box is empty.
 *
 * verdict: find
 * expect-text: a wait that ends for no reason is not repeated
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int letters;

static void *postman(void *unused)
{
  pthread_mutex_lock(&lock);
  letters = 1;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, postman, NULL);
  pthread_mutex_lock(&lock);
  if (!letters)
    pthread_cond_wait(&filled, &lock);
  assert(letters == 1);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
