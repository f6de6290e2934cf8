/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence lock: the writer makes the number odd, changes two values that belong together, and makes it even again;
 * the reader reads both between two looks at the same even number. BROKEN: the reader does not look again.
 *
 * broken: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int sequence, a, b;

static void *writer(void *arg)
{
  for (int i = 1; i <= 2; i++) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&a, i);
    atomic_store(&b, i);
    atomic_fetch_add(&sequence, 1);
  }
  return arg;
}

static void *reader(void *arg)
{
  int before, one, two;

#ifdef BROKEN
  while ((before = atomic_load(&sequence)) & 1)
    ;
  one = atomic_load(&a);
  two = atomic_load(&b);
#else
  do {
    while ((before = atomic_load(&sequence)) & 1)
      ;
    one = atomic_load(&a);
    two = atomic_load(&b);
  } while (atomic_load(&sequence) != before);
#endif
  assert(one == two);
  (void)arg;
  return (void *)(intptr_t)one;
}

int main(void)
{
  pthread_t w, r;
  void *seen;

  pthread_create(&w, NULL, writer, NULL);
  pthread_create(&r, NULL, reader, NULL);
  pthread_join(w, NULL);
  pthread_join(r, &seen);
  printf("seen %d\n", (int)(intptr_t)seen);
  return 0;
}
