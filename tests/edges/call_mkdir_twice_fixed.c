/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads make the folder they need; that it is there already is no error. No failure in 250 native runs with
 * pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  int failed = mkdir("cache.d", 0700);
  assert(!failed || errno == EEXIST);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  rmdir("cache.d");
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  rmdir("cache.d");
  return 0;
}
