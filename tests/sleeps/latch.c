/* SPDX-License-Identifier: Apache-2.0
 *
 * A latch of two lets nobody through before it was counted down twice. BUG: it opens one too early.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t zero;
  int count;
} latch_t;

static latch_t latch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2};
static int passed;

static void latch_count_down(latch_t *l)
{
  pthread_mutex_lock(&l->mutex);
  l->count--;
#ifdef BUG
  if (l->count <= 1)
#else
  if (l->count == 0)
#endif
  {
    l->count = 0;
    pthread_cond_broadcast(&l->zero);
  }
  pthread_mutex_unlock(&l->mutex);
}

static void latch_wait(latch_t *l)
{
  pthread_mutex_lock(&l->mutex);
  while (l->count > 0)
    pthread_cond_wait(&l->zero, &l->mutex);
  pthread_mutex_unlock(&l->mutex);
}

static void *waiter(void *unused)
{
  latch_wait(&latch);
  __atomic_store_n(&passed, 1, __ATOMIC_SEQ_CST);
  return unused;
}

#define CHECK(c)                                                                                                       \
  do {                                                                                                                 \
    if (!(c)) {                                                                                                        \
      fprintf(stderr, "line %d: %s\n", __LINE__, #c);                                                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, waiter, NULL);
  usleep(20000);
  CHECK(!__atomic_load_n(&passed, __ATOMIC_SEQ_CST));
  latch_count_down(&latch);
  usleep(20000);
  CHECK(!__atomic_load_n(&passed, __ATOMIC_SEQ_CST));
  latch_count_down(&latch);
  usleep(20000);
  CHECK(__atomic_load_n(&passed, __ATOMIC_SEQ_CST));
  pthread_join(t, NULL);
  return 0;
}
