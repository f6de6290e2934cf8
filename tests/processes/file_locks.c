/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes lock two files in opposite order: each has one and waits for the other. The twin locks them in one
 * order.
 *
 * tell: deadlock: main and P1 each wait for a descriptor that will never be ready
 * tell: main waits for descriptor 4 \(b\.lock\)
 * tell: P1 waits for descriptor 3 \(a\.lock\)
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child = fork();
  int a = open("/tmp/a.lock", O_CREAT | O_RDWR, 0600), b = open("/tmp/b.lock", O_CREAT | O_RDWR, 0600);
#ifdef FIXED
  const int first = a, second = b;
#else
  const int first = child ? a : b, second = child ? b : a;
#endif
  assert(flock(first, LOCK_EX) == 0 && flock(second, LOCK_EX) == 0);
  flock(second, LOCK_UN);
  flock(first, LOCK_UN);
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
