/* SPDX-License-Identifier: Apache-2.0
 *
 * A long loop, which locks the same mutex in two places: when it does so for the second time all is as it was at the
 * first, but for where the program is.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

int main(void)
{
  static pthread_mutex_t lock[20000];
  for (int i = 0; i < 20000; i++) {
    if (pthread_mutex_init(&lock[i], NULL))
      return 1;
    if (pthread_mutex_lock(&lock[i]))
      return 2;
    if (pthread_mutex_unlock(&lock[i]))
      return 3;
    if (pthread_mutex_lock(&lock[i]))
      return 4;
    if (pthread_mutex_unlock(&lock[i]))
      return 5;
    if (pthread_mutex_destroy(&lock[i]))
      return 6;
  }
  return 0;
}
