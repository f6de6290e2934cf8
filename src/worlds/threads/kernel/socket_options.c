/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of sockets: those that matter to the model, and all others remembered, so that the program reads what it set.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/memory/transfer.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#define LEAST_ROOM 4608

struct option *option_of(struct socket_state_of *s, int level, int name)
{
  for (unsigned i = 0; i < s->options; i++)
    if (s->option[i].level == level && s->option[i].name == name)
      return &s->option[i];
  return NULL;
}

static uint32_t room_for(int value)
{
  uint32_t twice = value < 0 || value > 1 << 20 ? 1u << 21 : 2u * (uint32_t)value;
  return twice < LEAST_ROOM ? LEAST_ROOM : twice;
}

static bool is_known_level(int level)
{
  return level == SOL_SOCKET || level == IPPROTO_TCP || level == IPPROTO_IP || level == IPPROTO_IPV6 ||
         level == IPPROTO_UDP;
}

long set_option_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  int level = (int)c->arg[1], name = (int)c->arg[2];
  socklen_t size = (socklen_t)c->arg[4];
  step_to_change(&fd, 1, 0, 0, c->pc);
  struct description *d = description_of(fd);
  if (!is_modelled(d))
    return d ? UNKNOWN : -EBADF;
  if (d->kind != CHANNEL_SOCKET)
    return -ENOTSOCK;
  struct socket_state_of *s = socket_of(d);
  if (!is_known_level(level) || (level == SOL_SOCKET && name == SO_ATTACH_FILTER))
    fail(c->pc, "the program sets an option of a socket that heddle does not know (level %d, option %d)", level, name);
  if (size < sizeof(int) && level == SOL_SOCKET)
    return -EINVAL;
  struct option *o = option_of(s, level, name);
  if (!o && s->options == OPTIONS_MOST)
    fail(c->pc, "the program sets more than %d options of one socket; heddle has no room for more", OPTIONS_MOST);
  if (!o)
    o = &s->option[s->options++];
  *o = (struct option){.level = level, .name = name, .size = size};
  copy_bytes(o->value, (const void *)c->arg[3], size < sizeof o->value ? size : sizeof o->value);
  if (level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF)) {
    uint32_t room = room_for((int)o->value[0]);
    *(name == SO_SNDBUF ? &s->send_room : &s->receive_room) = room;
    o->value[0] = room;
  }
  channel_changed(d->channel);
  return 0;
}

/* What the kernel says itself, as an int; false: it only remembers. */
static bool own_value(struct description *d, int name, int *value)
{
  struct socket_state_of *s = socket_of(d);
  switch (name) {
  case SO_TYPE:
    *value = s->type;
    return true;
  case SO_DOMAIN:
    *value = s->domain;
    return true;
  case SO_PROTOCOL:
    *value = is_unix(s) ? 0 : is_stream(s) ? IPPROTO_TCP : IPPROTO_UDP;
    return true;
  case SO_ERROR:
    *value = (int)-socket_error(s);
    return true;
  case SO_ACCEPTCONN:
    *value = s->state == SOCKET_LISTENS;
    return true;
  case SO_SNDBUF:
    *value = (int)s->send_room;
    return true;
  case SO_RCVBUF:
    *value = (int)s->receive_room;
    return true;
  default:
    return false;
  }
}

static void give_value(const struct call *c, const void *value, socklen_t size)
{
  socklen_t *room = (socklen_t *)c->arg[4];
  touch_outputs(c);
  *room = *room < size ? *room : size;
  copy_bytes((void *)c->arg[3], value, *room);
}

long get_option_channel(const struct call *c)
{
  long fd = (int)c->arg[0];
  int level = (int)c->arg[1], name = (int)c->arg[2], value = 0;
  step_to_change(&fd, 1, 0, 0, c->pc);
  struct description *d = description_of(fd);
  if (!is_modelled(d))
    return d ? UNKNOWN : -EBADF;
  if (d->kind != CHANNEL_SOCKET)
    return -ENOTSOCK;
  struct socket_state_of *s = socket_of(d);
  const struct option *o = option_of(s, level, name);
  if (level == SOL_SOCKET && name == SO_PEERCRED) {
    struct ucred peer = {0, (uid_t)-1, (gid_t)-1};
    if (s->state == SOCKET_CONNECTED) /* which is the program itself */
      peer = (struct ucred){VIRTUAL_PID, (uid_t)sys(SYS_geteuid), (gid_t)sys(SYS_getegid)};
    give_value(c, &peer, sizeof peer);
  } else if (level == SOL_SOCKET && own_value(d, name, &value)) {
    give_value(c, &value, sizeof value);
  } else if (o) {
    give_value(c, o->value, o->size);
  } else if (level == IPPROTO_TCP && name == TCP_INFO) {
    fail(c->pc, "the program asks for TCP_INFO of a socket; heddle does not know it");
  } else {
    static const int64_t nothing[2];
    bool times = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
    give_value(c, nothing, times ? 16 : name == SO_LINGER && level == SOL_SOCKET ? 8 : 4);
  }
  channel_changed(d->channel);
  return 0;
}
