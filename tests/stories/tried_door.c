/* SPDX-License-Identifier: Apache-2.0
 *
 * What trylock returns is counted, but not heeded: the thread unlocks a lock that another one holds.
 * tell: bug +a lock that could not be taken is used as if it were: T\d tries to lock `door` at \S+ and does not get it
 * tell: since T\d holds it; it goes on all the same, and unlocks it at
 * tell: fix +look at what the attempt returns
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static void *visit(void *arg)
{
  if (pthread_mutex_trylock(&door) != 0) {
#ifdef FIXED
    pthread_mutex_lock(&door);
#endif
  }
  visits++;
  pthread_mutex_unlock(&door);
  return arg;
}

int main(void)
{
  pthread_t guest[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&guest[i], NULL, visit, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(guest[i], NULL);
}
