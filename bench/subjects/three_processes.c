/* SPDX-License-Identifier: Apache-2.0
 *
 * Three processes, each with a pipe as its inbox: everyone sends ten messages to each of the others and reads the twenty
 * that are for it, sixty in all. Correct.
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 3, MESSAGES = 10 };

static int inbox[NODES][2];

static void be_node(int me)
{
  char message[16] = {0};
  int seen[NODES] = {0};
  for (int i = 0; i < MESSAGES; i++)
    for (int to = 0; to < NODES; to++) {
      message[0] = (char)me;
      message[1] = (char)i;
      if (to != me)
        assert(write(inbox[to][1], message, sizeof message) == sizeof message);
    }
  for (int i = 0; i < MESSAGES * (NODES - 1); i++) {
    assert(read(inbox[me][0], message, sizeof message) == sizeof message);
    assert(message[1] == seen[(int)message[0]]++);
  }
}

int main(void)
{
  for (int i = 0; i < NODES; i++)
    assert(pipe(inbox[i]) == 0);
  for (int i = 1; i < NODES; i++)
    if (fork() == 0) {
      be_node(i);
      _exit(0);
    }
  be_node(0);
  for (int i = 1; i < NODES; i++)
    assert(wait(NULL) > 0);
  return 0;
}
