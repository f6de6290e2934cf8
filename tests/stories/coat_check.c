/* SPDX-License-Identifier: Apache-2.0
 *
 * A hook is claimed with the number of its coat before the coat hangs there.
 * tell: bug +something is made public before it is complete: T\d writes `hook.number` at
 * tell: fix +T\d must claim `hook.number` with a value that no reader looks for, write `hook.coat`
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { FREE, BUSY, NUMBER };
static struct {
  atomic_int number, coat;
} hook;

static void *hang_up(void *arg)
{
  int expected = FREE;
#ifdef FIXED
  if (atomic_compare_exchange_strong(&hook.number, &expected, BUSY)) {
    atomic_store(&hook.coat, 5);
    atomic_store(&hook.number, NUMBER);
  }
#else
  if (atomic_compare_exchange_strong(&hook.number, &expected, NUMBER))
    atomic_store(&hook.coat, 5);
#endif
  return arg;
}

static void *fetch(void *arg)
{
  if (atomic_load(&hook.number) == NUMBER)
    assert(atomic_load(&hook.coat) == 5);
  return arg;
}

int main(void)
{
  pthread_t comes, goes;
  pthread_create(&comes, NULL, hang_up, NULL);
  pthread_create(&goes, NULL, fetch, NULL);
  pthread_join(comes, NULL);
  pthread_join(goes, NULL);
}
