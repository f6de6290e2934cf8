/* SPDX-License-Identifier: Apache-2.0
 *
 * A spin lock is made again for the next round once the other thread has ended.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t turn;

static void *work(void *unused)
{
  pthread_spin_lock(&turn);
  pthread_spin_unlock(&turn);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_spin_init(&turn, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  pthread_spin_init(&turn, PTHREAD_PROCESS_PRIVATE);
  return 0;
}
