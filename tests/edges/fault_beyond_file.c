/* SPDX-License-Identifier: Apache-2.0
 *
 * A mapping reaches beyond the end of its file; SIGBUS is caught by the program. No failure in 100 native runs with
 * pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;

static void caught(int number)
{
  (void)number;
  siglongjmp(back, 1);
}

int main(void)
{
  struct sigaction action = {.sa_handler = caught};
  volatile int failed = 0;
  int fd = open("short", O_CREAT | O_TRUNC | O_RDWR, 0600);
  write(fd, "x", 1);
  volatile char *view = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
  sigaction(SIGBUS, &action, NULL);
  if (sigsetjmp(back, 1) == 0)
    (void)view[4096];
  else
    failed = 1;
  assert(failed && view[0] == 'x');
  close(fd);
  unlink("short");
  return 0;
}
