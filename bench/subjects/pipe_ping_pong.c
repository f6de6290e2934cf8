/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads: a ball goes to and fro between two pipes. Correct.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 4 };

static int ping[2], pong[2];

static void *opponent(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    char ball;
    assert(read(ping[0], &ball, 1) == 1);
    ball--;
    assert(write(pong[1], &ball, 1) == 1);
  }
  return unused;
}

int main(void)
{
  pthread_t other;
  char ball = ROUNDS;
  assert(pipe(ping) == 0 && pipe(pong) == 0);
  pthread_create(&other, NULL, opponent, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    assert(write(ping[1], &ball, 1) == 1);
    assert(read(pong[0], &ball, 1) == 1);
  }
  assert(ball == 0);
  pthread_join(other, NULL);
  for (int i = 0; i < 2; i++) {
    close(ping[i]);
    close(pong[i]);
  }
  return 0;
}
