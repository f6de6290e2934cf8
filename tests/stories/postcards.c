/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children write the two sides of their postcards to one pipe, each side with a call of its own.
 * tell: bug +a message is written in two calls, and another one comes between them: P\d writes to descriptor
 * tell: fix +one write\(\) or writev\(\) for the whole message
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

static void send_card(int to, char name)
{
  char card[2] = {name, name};
#ifdef FIXED
  assert(write(to, card, 2) == 2);
#else
  assert(write(to, card, 1) == 1);
  assert(write(to, card + 1, 1) == 1);
#endif
  _exit(0);
}

int main(void)
{
  int ends[2];
  char card[2];
  assert(pipe(ends) == 0);
  for (int i = 0; i < 2; i++)
    if (fork() == 0)
      send_card(ends[1], i ? 'b' : 'a');
  for (int i = 0; i < 2; i++) {
    assert(read(ends[0], card, 1) == 1);
    assert(read(ends[0], card + 1, 1) == 1);
    assert(card[0] == card[1]);
  }
  while (wait(NULL) > 0)
    continue;
}
