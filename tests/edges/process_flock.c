/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock of a file by flock() keeps processes apart.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int *inside;

static void use(void)
{
  int fd = open("guard", O_RDWR | O_CREAT, 0600);
  assert(!flock(fd, LOCK_EX));
  assert(atomic_fetch_add(inside, 1) == 0);
  atomic_fetch_sub(inside, 1);
  close(fd);
}

int main(void)
{
  int status;
  inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!fork()) {
    use();
    _exit(0);
  }
  use();
  wait(&status);
  assert(!status);
  return 0;
}
