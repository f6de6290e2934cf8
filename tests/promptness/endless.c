/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads that hand a token to and fro for ever. With --max-steps out of reach no execution ever ends.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token;

static void *player(void *arg)
{
  int me = (int)(long)arg;
  for (;;)
    if (token == me)
      token = 1 - me;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, player, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
