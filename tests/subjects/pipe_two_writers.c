/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads send messages through one pipe, the sender first and then what it says, in two writes. The other's may
 * come in between, and the reader takes the words of one for those of the other. The twin sends a message in one
 * write.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int fds[2];

static void tell(char sender)
{
#ifdef FIXED
  char message[2] = {sender, (char)(sender + 1)};
  assert(write(fds[1], message, 2) == 2);
#else
  char word = (char)(sender + 1);
  assert(write(fds[1], &sender, 1) == 1);
  assert(write(fds[1], &word, 1) == 1);
#endif
}

static void *first(void *arg)
{
  tell('a');
  return arg;
}

static void *second(void *arg)
{
  tell('m');
  return arg;
}

int main(void)
{
  pthread_t a, b;
  char all[4];

  assert(pipe(fds) == 0);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(read(fds[0], all, 4) == 4);
  assert(all[1] == all[0] + 1 && all[3] == all[2] + 1);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
