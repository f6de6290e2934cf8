/* SPDX-License-Identifier: Apache-2.0
 *
 * Each of two threads raises its flag, signals a condition variable, and looks whether the other has raised its own.
 * The flags are sequentially consistent: one of them sees a flag.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag[2], seen[2];
static pthread_cond_t raised[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void *raise_and_look(void *unused)
{
  atomic_store_explicit(&flag[1], 1, memory_order_seq_cst);
  pthread_cond_signal(&raised[1]);
  seen[1] = atomic_load_explicit(&flag[0], memory_order_acquire);
  return unused;
}

int main(void)
{
  pthread_t other;
  pthread_create(&other, NULL, raise_and_look, NULL);
  atomic_store_explicit(&flag[0], 1, memory_order_seq_cst);
  pthread_cond_signal(&raised[0]);
  seen[0] = atomic_load_explicit(&flag[1], memory_order_acquire);
  pthread_join(other, NULL);
  assert(seen[0] || seen[1]);
  return 0;
}
