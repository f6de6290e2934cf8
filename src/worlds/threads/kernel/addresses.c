/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of sockets. They are virtual: who listens at one is known here alone, no port of the machine is taken and
 * no file is made; so they are free at the start of every execution, and a port that nobody asked for by number is that
 * of the channel, the same in every one.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/system_memory.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define FIRST_PORT 32768
#define PATH_AT offsetof(struct sockaddr_un, sun_path)

static struct sockaddr_in *in4(const struct address *a)
{
  return (struct sockaddr_in *)&a->any;
}

static struct sockaddr_in6 *in6(const struct address *a)
{
  return (struct sockaddr_in6 *)&a->any;
}

static uint16_t port_of(const struct address *a)
{
  return ntohs(a->any.sa_family == AF_INET6 ? in6(a)->sin6_port : in4(a)->sin_port);
}

static void set_port(struct address *a, uint16_t port)
{
  if (a->any.sa_family == AF_INET6)
    in6(a)->sin6_port = htons(port);
  else
    in4(a)->sin_port = htons(port);
}

bool address_read(const struct socket_state_of *s, const struct sockaddr *from, socklen_t size, struct address *out)
{
  socklen_t least = is_unix(s) ? sizeof(sa_family_t) : s->domain == AF_INET6 ? 24 : sizeof(struct sockaddr_in);
  socklen_t most = is_unix(s) ? sizeof(struct sockaddr_un) : sizeof out->room;
  if (!from || size < least || size > most || (from->sa_family != s->domain && from->sa_family != AF_UNSPEC))
    return false;
  *out = (struct address){.size = size};
  copy_bytes(&out->any, from, size);
  if (s->domain == AF_INET)
    out->size = sizeof(struct sockaddr_in), fill_bytes(in4(out)->sin_zero, 0, sizeof in4(out)->sin_zero);
  else if (s->domain == AF_INET6)
    out->size = sizeof(struct sockaddr_in6), in6(out)->sin6_flowinfo = 0;
  else if (size > PATH_AT && out->un.sun_path[0]) /* a path ends where its text does */
    out->size = (socklen_t)(PATH_AT + text_length(out->un.sun_path) + 1);
  return true;
}

void address_write(const struct address *a, struct sockaddr *to, socklen_t *size)
{
  socklen_t room = *size;
  snapshot_touch((uintptr_t)to, room);
  copy_bytes(to, &a->any, a->size < room ? a->size : room);
  *size = a->size;
}

static bool is_any(const struct address *a)
{
  static const struct in6_addr any = IN6ADDR_ANY_INIT;
  if (a->any.sa_family == AF_INET)
    return in4(a)->sin_addr.s_addr == INADDR_ANY;
  for (unsigned i = 0; i < sizeof any; i++)
    if (in6(a)->sin6_addr.s6_addr[i])
      return false;
  return true;
}

/* IPv4, be it written as IPv6. */
static bool v4_of(const struct address *a, uint32_t *v4)
{
  if (a->any.sa_family == AF_INET) {
    *v4 = ntohl(in4(a)->sin_addr.s_addr);
    return true;
  }
  if (!IN6_IS_ADDR_V4MAPPED(&in6(a)->sin6_addr))
    return false;
  const uint8_t *b = in6(a)->sin6_addr.s6_addr + 12;
  *v4 = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  return true;
}

bool address_is_inside(const struct address *a)
{
  uint32_t v4;
  if (a->any.sa_family == AF_UNIX || is_any(a))
    return true;
  if (v4_of(a, &v4))
    return v4 >> 24 == 127 || !v4;
  return IN6_IS_ADDR_LOOPBACK(&in6(a)->sin6_addr);
}

bool address_is_same(const struct address *a, const struct address *b)
{
  const unsigned char *x = (const unsigned char *)&a->any, *y = (const unsigned char *)&b->any;
  if (a->size != b->size)
    return false;
  for (socklen_t i = 0; i < a->size; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

/* Whether what is sent to the second reaches who has the first. */
static bool reaches(const struct address *bound, const struct address *to)
{
  uint32_t v4, w4;
  if (bound->any.sa_family == AF_UNIX || to->any.sa_family == AF_UNIX)
    return address_is_same(bound, to);
  if (port_of(bound) != port_of(to))
    return false;
  bool four = v4_of(to, &w4), is_four = v4_of(bound, &v4);
  if (is_any(bound))
    return bound->any.sa_family == AF_INET6 || four || is_any(to);
  if (is_any(to)) /* the loopback's */
    return is_four ? v4 == INADDR_LOOPBACK : IN6_IS_ADDR_LOOPBACK(&in6(bound)->sin6_addr);
  if (is_four || four)
    return is_four && four && v4 == w4;
  return IN6_ARE_ADDR_EQUAL(&in6(bound)->sin6_addr, &in6(to)->sin6_addr);
}

/* Whether it has nothing to do with addresses of the other family. */
static bool keeps_to_family(const struct socket_state_of *s)
{
  const struct option *only = option_of((struct socket_state_of *)s, IPPROTO_IPV6, IPV6_V6ONLY);
  return s->domain == AF_INET6 && only && only->value[0];
}

static bool is_candidate(const struct channel *c, const struct socket_state_of *like)
{
  bool unix_too = is_unix(&c->socket) == is_unix(like);
  return c->kind == CHANNEL_SOCKET && c->socket.bound && unix_too && c->socket.type == like->type;
}

uint16_t address_find(const struct socket_state_of *like, const struct address *a, bool listens)
{
  uint16_t found = 0;
  for (uint16_t i = 2; i < channels_end(); i++) {
    const struct channel *c = channel_at(i);
    if (!is_candidate(c, like) || !reaches(&c->socket.local, a))
      continue;
    if (a->any.sa_family == AF_INET && keeps_to_family(&c->socket))
      continue;
    bool very = is_unix(like) || !is_any(&c->socket.local);
    if ((!listens || c->socket.state == SOCKET_LISTENS) && (!found || very))
      found = i;
  }
  return found;
}

static bool shares(const struct socket_state_of *a, const struct socket_state_of *b)
{
  const struct option *x = option_of((struct socket_state_of *)a, SOL_SOCKET, SO_REUSEPORT);
  const struct option *y = option_of((struct socket_state_of *)b, SOL_SOCKET, SO_REUSEPORT);
  if (x && y && x->value[0] && y->value[0])
    return true;
  x = option_of((struct socket_state_of *)a, SOL_SOCKET, SO_REUSEADDR);
  y = option_of((struct socket_state_of *)b, SOL_SOCKET, SO_REUSEADDR);
  return x && y && x->value[0] && y->value[0] && a->state != SOCKET_LISTENS && b->state != SOCKET_LISTENS;
}

bool address_in_use(const struct socket_state_of *s, const struct address *a)
{
  for (uint16_t i = 2; i < channels_end(); i++) {
    const struct channel *c = channel_at(i);
    bool connected = is_stream(s) && c->socket.state == SOCKET_CONNECTED;
    if (!is_candidate(c, s) || &c->socket == s || (connected && !is_unix(s)))
      continue;
    if (c->socket.domain != s->domain && (keeps_to_family(s) || keeps_to_family(&c->socket)))
      continue;
    if ((reaches(&c->socket.local, a) || reaches(a, &c->socket.local)) && (is_unix(s) || !shares(s, &c->socket)))
      return true;
  }
  return is_unix(s) && a->un.sun_path[0] && overlay_has(a->un.sun_path);
}

void address_give(uint16_t channel)
{
  struct socket_state_of *s = &channel_at(channel)->socket;
  if (is_unix(s)) {
    s->local = (struct address){.size = PATH_AT + 6, .un.sun_family = AF_UNIX};
    print_text(s->local.un.sun_path + 1, 6, "%05x", channel);
    s->bound = true;
    return;
  }
  if (!s->local.size) {
    s->local.size = s->domain == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    s->local.any.sa_family = s->domain;
  }
  uint16_t port = (uint16_t)(FIRST_PORT + channel);
  set_port(&s->local, port);
  while (address_in_use(s, &s->local))
    set_port(&s->local, port = port < UINT16_MAX ? port + 1 : FIRST_PORT);
  s->bound = true;
}

bool address_has_port(const struct address *a)
{
  return a->any.sa_family == AF_UNIX ? a->size > PATH_AT : port_of(a);
}

void address_fill_local(struct address *local, const struct address *remote)
{
  uint16_t port = port_of(local);
  if (!is_any(local))
    return;
  *local = *remote;
  if (is_any(local) && local->any.sa_family == AF_INET)
    in4(local)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else if (is_any(local))
    in6(local)->sin6_addr = (struct in6_addr)IN6ADDR_LOOPBACK_INIT;
  set_port(local, port);
}

/* ---- whom the program itself talks to ---- */

#define TRIED_MOST 64

/* Addresses that somebody of the program wanted to talk to in this execution, whether or not there was anybody. */
static struct {
  struct {
    uint16_t type;
    struct address to;
  } tried[TRIED_MOST];
  unsigned count;
} state SYSTEM;

void addresses_reset(void)
{
  state.count = 0;
}

void address_note_try(const struct socket_state_of *by, const struct address *to)
{
  for (unsigned i = 0; i < state.count; i++)
    if (state.tried[i].type == by->type && address_is_same(&state.tried[i].to, to))
      return;
  if (state.count == TRIED_MOST)
    return;
  state.tried[state.count].type = by->type;
  state.tried[state.count++].to = *to;
}

bool address_was_tried(const struct socket_state_of *s)
{
  for (unsigned i = 0; i < state.count; i++)
    if (state.tried[i].type == s->type && reaches(&s->local, &state.tried[i].to))
      return true;
  return false;
}

/* ---- names in the file system ---- */

static uint16_t named(const char *path)
{
  for (uint16_t i = 2; i < channels_end(); i++) {
    const struct channel *c = channel_at(i);
    if (c->kind == CHANNEL_SOCKET && c->socket.named_by_path && c->socket.bound &&
        !text_compare(c->socket.local.un.sun_path, path))
      return i;
  }
  return 0;
}

bool address_is_name(const char *path)
{
  return named(path);
}

bool address_unlink(const char *path)
{
  uint16_t channel = named(path);
  if (channel)
    channel_at(channel)->socket.named_by_path = channel_at(channel)->socket.bound = false;
  return channel;
}

bool addresses_have_names(void)
{
  for (uint16_t i = 2; i < channels_end(); i++) {
    const struct channel *c = channel_at(i);
    if (c->kind == CHANNEL_SOCKET && c->socket.named_by_path)
      return true;
  }
  return false;
}
