/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write one byte each into a pipe; main counts on the order in which it created them. Natively, with
 * pauses, it failed in 218 of 1000 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *byte)
{
  write(ends[1], byte, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  char got[2];
  assert(pipe(ends) == 0);
  pthread_create(&thread[0], NULL, writer, "a");
  pthread_create(&thread[1], NULL, writer, "b");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  read(ends[0], got, 2);
  assert(got[0] == 'a');
  return 0;
}
