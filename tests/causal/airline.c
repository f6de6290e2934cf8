/* SPDX-License-Identifier: Apache-2.0
 *
 * Three sellers, two seats: each looks whether all is sold, sells, and says when all is. Two of them may look before
 * the third one says so, and more is sold than there is. With -DFIXED, to look and to sell is one section.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SEATS 2
static atomic_int sold, stop;
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;

static void sell(void)
{
  if (atomic_load(&stop))
    return;
  atomic_store(&sold, atomic_load(&sold) + 1);
  if (atomic_load(&sold) >= SEATS)
    atomic_store(&stop, 1);
}

static void *seller(void *unused)
{
#ifdef FIXED
  pthread_mutex_lock(&counter);
#endif
  sell();
#ifdef FIXED
  pthread_mutex_unlock(&counter);
#endif
  return unused;
}

int main(void)
{
  pthread_t t[3];
  (void)counter;
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, seller, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(sold == SEATS);
  return 0;
}
