/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header.
 */
#include "session/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file(const char *name, uint64_t size)
{
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES))
    fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0 && size && ftruncate(fd, (off_t)size) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}
