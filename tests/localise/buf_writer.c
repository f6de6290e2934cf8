/* SPDX-License-Identifier: Apache-2.0
 *
 * Two writers fill one buffer. The total is counted under the lock; the position is advanced without, so two writers can
 * fill the same slot.
 *
 * verdict: assertion
 * also: race
 * blame: R W W|R W R position
 */
#include <assert.h>
#include <pthread.h>

#define WRITES 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[2 * WRITES], position, total;

static void store(int item)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int at = position; /* <1> */
  buffer[at] = item;
  position = at + 1; /* <2> <3> */
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void *writer(void *arg)
{
  for (int i = 0; i < WRITES; i++) {
    store(i + 1);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, writer, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(position == total);
  return 0;
}
