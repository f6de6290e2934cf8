/* SPDX-License-Identifier: Apache-2.0
 *
 * A parent tells its child to end by a signal, for which the child has a handler that says how: if the signal comes
 * before the handler is there, the child is killed. The twin waits until the child says that it is ready.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_end(int signal)
{
  (void)signal;
  _exit(7);
}

int main(void)
{
  int ready[2];
  char c;
  assert(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, on_end);
    if (write(ready[1], "r", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
#ifdef FIXED
  assert(read(ready[0], &c, 1) == 1);
#else
  (void)c;
#endif
  kill(child, SIGTERM);
  int status;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  close(ready[0]);
  close(ready[1]);
  return 0;
}
