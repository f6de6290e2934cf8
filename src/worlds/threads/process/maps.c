/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading /proc/self/maps without libc. The text is left in the control block too, for the command line to give names
 * to addresses.
 */
#include "worlds/threads/process/maps.h"
#include "worlds/threads/runtime.h"
#include <fcntl.h>
#include <sys/syscall.h>

static uintptr_t parse_hex(const char **at)
{
  uintptr_t value = 0;
  for (;; ++*at) {
    char c = **at;
    if (c >= '0' && c <= '9')
      value = value << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uintptr_t)(c - 'a' + 10);
    else
      return value;
  }
}

static size_t read_text(char *text, size_t size)
{
  int fd = (int)sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return 0;
  size_t n = 0;
  long got;
  while (n + 1 < size && (got = sys(SYS_read, fd, text + n, size - 1 - n)) > 0)
    n += (size_t)got;
  sys(SYS_close, fd);
  text[n] = 0;
  return n;
}

size_t maps_read(struct mapping *out, size_t max)
{
  unsigned image = hd_own.image;
  uint64_t at_image = CONTROL_IMAGE_MAPS_OFFSET + image * IMAGE_MAPS_MOST;
  char *text = CONTROL_AT(rt.control, image ? at_image : CONTROL_MAPS_OFFSET);
  uint64_t bytes = read_text(text, image ? IMAGE_MAPS_MOST : CONTROL_SIZE_OF(MAPS));
  if (image)
    rt.control->image_maps_bytes[image] = bytes;
  else
    rt.control->maps_bytes = bytes;
  size_t n = 0;
  for (const char *at = text; *at && n < max; n++) {
    struct mapping *m = &out[n];
    m->start = parse_hex(&at);
    at++;
    m->end = parse_hex(&at);
    m->writable = at[2] == 'w';
    m->shared = at[4] == 's';
    m->stack = false;
    while (*at && *at != '\n') {
      if (at[0] == '[' && at[1] == 's' && at[2] == 't')
        m->stack = true;
      at++;
    }
    at += *at == '\n';
  }
  return n;
}
