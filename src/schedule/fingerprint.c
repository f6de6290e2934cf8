/* SPDX-License-Identifier: Apache-2.0
 *
 * The fingerprint of a program: tells whether a schedule was made with the same build. Reads the file, nothing
 * else. */
#include "debuginfo/symbols.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a over the whole file. False when reading fails. */
static bool hash_file(int fd, uint64_t *hash)
{
  unsigned char buffer[65536];
  off_t at = 0;
  *hash = UINT64_C(0xcbf29ce484222325);
  while (true) {
    const ssize_t n = pread(fd, buffer, sizeof buffer, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0;
    for (ssize_t i = 0; i < n; i++)
      *hash = (*hash ^ buffer[i]) * UINT64_C(0x100000001b3);
    at += n;
  }
}

static bool build_id(Elf *elf, char out[FINGERPRINT_SIZE])
{
  const void *id;
  const ssize_t length = dwelf_elf_gnu_build_id(elf, &id);
  if (length <= 0 || (size_t)length > (FINGERPRINT_SIZE - 1) / 2)
    return false;
  for (ssize_t i = 0; i < length; i++)
    snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
  return true;
}

bool program_fingerprint(const char *path, char out[FINGERPRINT_SIZE], char *error, size_t error_size)
{
  uint64_t hash;
  const char *wrong = NULL;
  out[0] = '\0';
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    return false;
  }
  Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
  if (!elf || elf_kind(elf) != ELF_K_ELF)
    wrong = "not an ELF file";
  else if (!build_id(elf, out) && !hash_file(fd, &hash))
    wrong = strerror(errno);
  else if (!out[0])
    snprintf(out, FINGERPRINT_SIZE, "%016" PRIx64, hash);
  elf_end(elf);
  close(fd);
  if (wrong)
    snprintf(error, error_size, "%s: %s", path, wrong);
  return !wrong;
}
