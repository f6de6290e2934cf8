/* SPDX-License-Identifier: Apache-2.0
 *
 * abba: two threads take two mutexes in opposite order. Three classes: one goes first, the other goes first, deadlock.
 * The deadlock needs one preemption.
 */
#include "together.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *arg)
{
  (void)arg;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return NULL;
}

static void *ba(void *arg)
{
  (void)arg;
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return NULL;
}

int main(void)
{
  start(ab, 0, 0);
  start(ba, 0, 0);
  finish();
  printf("\n");
  return 0;
}
