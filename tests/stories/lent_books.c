/* SPDX-License-Identifier: Apache-2.0
 *
 * A shelf of two books, lent under a condition: two readers need two each, and each has one.
 * tell: bug +each thread holds a part of what they share and waits for more of it: T\d has taken from `shelf` at
 * tell: fix +take all that is needed in one step
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static int shelf = 2;

static void lend(int books)
{
  pthread_mutex_lock(&desk);
  while (shelf < books)
    pthread_cond_wait(&returned, &desk);
  shelf -= books;
  pthread_mutex_unlock(&desk);
}

static void *study(void *arg)
{
#ifdef FIXED
  lend(2);
#else
  lend(1);
  lend(1);
#endif
  pthread_mutex_lock(&desk);
  shelf += 2;
  pthread_cond_broadcast(&returned);
  pthread_mutex_unlock(&desk);
  return arg;
}

int main(void)
{
  pthread_t ann, bob;
  pthread_create(&ann, NULL, study, NULL);
  pthread_create(&bob, NULL, study, NULL);
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
}
