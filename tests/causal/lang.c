/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash that is computed when it is first asked for, in the very field where it is kept: who asks meanwhile finds a
 * part of it. With -DFIXED it is computed aside, and stored once.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int hash;
static const int letter[] = {3, 5, 7};
#define HASH ((3 * 31 + 5) * 31 + 7)

static int hash_of(void)
{
  if (!atomic_load(&hash)) {
#ifdef FIXED
    int sum = 0;
    for (int i = 0; i < 3; i++)
      sum = sum * 31 + letter[i];
    atomic_store(&hash, sum);
#else
    for (int i = 0; i < 3; i++)
      atomic_store(&hash, atomic_load(&hash) * 31 + letter[i]);
#endif
  }
  return atomic_load(&hash);
}

static void *asker(void *unused)
{
  assert(hash_of() == HASH);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, asker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
