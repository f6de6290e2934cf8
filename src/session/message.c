/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages on a wire, see the header. On the wire: struct head; for each part struct part_head, and its bytes, filled
 * up to a multiple of eight.
 */
#include "session/message.h"
#include "core/control.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x676573656c646468) /* "hddleseg" */
#define MESSAGE_MOST (UINT64_C(1) << 36)

struct head {
  uint64_t magic;
  uint32_t version;
  uint32_t block; /* sizeof(struct control): both ends must be of one build */
  uint32_t kind;
  uint32_t parts;
  uint64_t bytes; /* of all that follows */
};

struct part_head {
  uint64_t id;
  uint64_t bytes;
};

static uint64_t filled_up(uint64_t bytes)
{
  return (bytes + 7) & ~UINT64_C(7);
}

void wire_close(struct wire *wire)
{
  if (wire->fd >= 0)
    close(wire->fd);
  free(wire->buffer);
  *wire = (struct wire){.fd = -1};
}

static bool send_bytes(struct wire *wire, const void *bytes, uint64_t size)
{
  const char *at = bytes;
  while (size && !wire->broken) {
    ssize_t n = send(wire->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    struct pollfd writable = {.fd = wire->fd, .events = POLLOUT};
    if (n > 0)
      at += n, size -= (uint64_t)n;
    else if (n < 0 && errno == EAGAIN)
      wire->broken = poll(&writable, 1, wire->patience) == 0;
    else if (n >= 0 || errno != EINTR)
      wire->broken = true;
  }
  return !wire->broken;
}

bool wire_send(struct wire *wire, const struct message *message)
{
  struct head head = {MAGIC, MESSAGE_VERSION, sizeof(struct control), message->kind, 0, 0};
  for (unsigned i = 0; i < PART_COUNT; i++)
    if (message->part[i]) {
      head.parts++;
      head.bytes += sizeof(struct part_head) + filled_up(message->bytes[i]);
    }
  if (wire->fd < 0 || !send_bytes(wire, &head, sizeof head))
    return false;
  for (unsigned i = 0; i < PART_COUNT; i++) {
    static const char zeros[8];
    struct part_head part = {i, message->bytes[i]};
    if (message->part[i] && !(send_bytes(wire, &part, sizeof part) && send_bytes(wire, message->part[i], part.bytes) &&
                              send_bytes(wire, zeros, filled_up(part.bytes) - part.bytes)))
      return false;
  }
  return true;
}

bool wire_pass(struct wire *wire, const void *bytes, size_t size)
{
  return wire->fd >= 0 && send_bytes(wire, bytes, size);
}

/* ---- what comes in ---- */

static bool make_room(struct wire *wire, size_t wanted)
{
  if (wire->room >= wanted)
    return true;
  size_t room = 2 * wanted;
  char *grown = realloc(wire->buffer, room);
  if (!grown)
    return false;
  wire->buffer = grown;
  wire->room = room;
  return true;
}

static void read_what_there_is(struct wire *wire)
{
  enum { AT_ONCE = 1 << 16 };
  while (wire->fd >= 0 && !wire->broken) {
    if (!make_room(wire, wire->used + AT_ONCE)) {
      wire->broken = true;
      return;
    }
    ssize_t n = recv(wire->fd, wire->buffer + wire->used, wire->room - wire->used, MSG_DONTWAIT);
    if (n > 0)
      wire->used += (size_t)n;
    else if (n < 0 && errno == EINTR)
      continue;
    else if (n < 0 && errno == EAGAIN)
      return;
    else
      wire->broken = true;
  }
}

static bool take_parts(struct message *message, const char *at, const char *end, uint32_t parts)
{
  for (uint32_t i = 0; i < parts; i++) {
    struct part_head part;
    if ((size_t)(end - at) < sizeof part)
      return false;
    memcpy(&part, at, sizeof part);
    at += sizeof part;
    if (part.id >= PART_COUNT || part.bytes > MESSAGE_MOST || filled_up(part.bytes) > (uint64_t)(end - at))
      return false;
    message->part[part.id] = at;
    message->bytes[part.id] = part.bytes;
    at += filled_up(part.bytes);
  }
  return at == end;
}

bool wire_next(struct wire *wire, struct message *message)
{
  struct head head;
  if (wire->read) { /* the one before */
    memmove(wire->buffer, wire->buffer + wire->read, wire->used - wire->read);
    wire->used -= wire->read;
    wire->read = 0;
  }
  read_what_there_is(wire);
  if (wire->used < sizeof head)
    return false;
  memcpy(&head, wire->buffer, sizeof head);
  *message = (struct message){.kind = head.kind};
  bool good = head.magic == MAGIC && head.version == MESSAGE_VERSION && head.block == sizeof(struct control) &&
              head.kind < MESSAGE_KIND_COUNT && head.bytes <= MESSAGE_MOST;
  if (good && wire->used < sizeof head + head.bytes)
    return false;
  const char *first = wire->buffer + sizeof head;
  if (!good || !take_parts(message, first, first + head.bytes, head.parts)) {
    wire->broken = true;
    wire->used = 0; /* nothing that follows can be found */
    return false;
  }
  wire->read = sizeof head + head.bytes;
  return true;
}

const void *wire_bytes(const struct wire *wire, size_t *bytes)
{
  *bytes = wire->read;
  return wire->buffer;
}
