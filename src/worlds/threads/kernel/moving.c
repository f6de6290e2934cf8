/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes between the program's memory, in the parts that a call names, and queues. The memory is the call's own by then
 * (memory/transfer.c).
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/kernel.h"
#include <sys/uio.h>

/* The part of the call where its byte `at` is, and how much of that part is left; NULL: behind its end. */
static char *part_at(const struct transfer_call *t, size_t at, size_t *left)
{
  for (size_t i = 0; i < t->parts; i++) {
    if (at < t->part[i].iov_len) {
      *left = t->part[i].iov_len - at;
      return (char *)t->part[i].iov_base + at;
    }
    at -= t->part[i].iov_len;
  }
  return NULL;
}

void transfer_in(struct transfer_call *t, const void *from, size_t size)
{
  size_t left;
  for (char *to; size && (to = part_at(t, t->done, &left));) {
    size_t n = size < left ? size : left;
    copy_bytes(to, from, n);
    from = (const char *)from + n;
    size -= n;
    t->done += n;
  }
}

void transfer_out(const struct transfer_call *t, size_t at, void *to, size_t size)
{
  size_t left;
  for (const char *from; size && (from = part_at(t, at, &left));) {
    size_t n = size < left ? size : left;
    copy_bytes(to, from, n);
    to = (char *)to + n;
    size -= n;
    at += n;
  }
}

size_t transfer_from_bytes(struct transfer_call *t, struct byte_queue *b, size_t most, bool stay)
{
  size_t left, all = 0;
  for (char *to; all < most && (to = part_at(t, t->done, &left));) {
    size_t n = left < most - all ? left : most - all;
    n = stay ? bytes_look(b, all, to, n) : bytes_take(b, to, n);
    if (!n)
      break;
    t->done += n;
    all += n;
  }
  return all;
}

void transfer_to_bytes(struct transfer_call *t, struct byte_queue *b, size_t size)
{
  size_t left;
  for (const char *from; size && (from = part_at(t, t->done, &left));) {
    size_t n = size < left ? size : left;
    bytes_put(b, from, n);
    t->done += n;
    size -= n;
  }
}

void transfer_describe(struct transfer_call *t, const struct iovec *part, size_t parts)
{
  t->part = part;
  t->parts = parts;
  for (size_t i = 0; i < parts; i++)
    t->size += part[i].iov_len;
}
