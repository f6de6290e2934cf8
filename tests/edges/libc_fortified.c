/* SPDX-License-Identifier: Apache-2.0
 *
 * With checks of sizes, which the compiler knows here, copies are still seen.
 *
 * verdict: find
 * flags: -O2 -D_FORTIFY_SOURCE=2
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char to[40], from[40] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static void *copy(void *unused)
{
  memcpy(to, from, 33);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, copy, NULL);
  char seen = __atomic_load_n(&to[17], __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
