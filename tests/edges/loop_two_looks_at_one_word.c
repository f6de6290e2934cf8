/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread looks twice at one word, again and again, until it has changed in between or is 3. That the word was 1 first
 * and 3 then takes a first look that comes early: a search that leaves rounds in vain out must not leave that out.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int word;

static void *count(void *arg)
{
  atomic_store(&word, 1);
  atomic_store(&word, 2);
  atomic_store(&word, 3);
  return arg;
}

static void *look(void *arg)
{
  int first, second;
  do {
    first = atomic_load(&word);
    second = atomic_load(&word);
  } while (first == second && second != 3);
  assert(!(first == 1 && second == 3));
  return arg;
}

int main(void)
{
  pthread_t counter, looker;
  pthread_create(&counter, NULL, count, NULL);
  pthread_create(&looker, NULL, look, NULL);
  pthread_join(counter, NULL);
  pthread_join(looker, NULL);
  return 0;
}
