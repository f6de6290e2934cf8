/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes write to a device, which is always ready for it, whoever looks at the other's descriptor.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void use(void)
{
  int fd = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 2; i++)
    assert(write(fd, "abc", 3) == 3);
}

int main(void)
{
  if (!fork()) {
    use();
    _exit(0);
  }
  if (!fork()) {
    close(0);
    use();
    _exit(0);
  }
  use();
  while (wait(NULL) > 0)
    ;
  return 0;
}
