/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of Unix sockets are files. A socket that the program binds to a path has a file in the overlay; to the kernel
 * its name is an abstract one, which is nobody else's and goes with the process. Addresses are exchanged on the way in
 * and out.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_calls.h"
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

/* The kernel's name of a socket; as long as the program's at least, so that what is cut off of one is of the other. */
struct own_name {
  char nothing; /* an abstract name */
  char mark[3];
  uint32_t process;
  uint32_t text; /* the address that the program gave (text_at), */
  uint32_t size; /* and its length */
};
static const char mark[3] = "\1hd";

struct own_address {
  struct sockaddr_un address;
  socklen_t size;
  struct msghdr message;
};
static struct own_address room[MAX_THREADS]; /* of calls under way */

/* The path in an address; NULL: it has none. */
static const char *path_in(const struct sockaddr_un *a, socklen_t size)
{
  static char path[sizeof a->sun_path + 1];
  if ((uintptr_t)a < PATH_MOST || size <= PATH_AT || size > sizeof *a || a->sun_family != AF_UNIX || !a->sun_path[0])
    return NULL;
  size_t n = size - PATH_AT;
  copy_bytes(path, a->sun_path, n);
  path[n] = '\0';
  return path;
}

/* By which the kernel is to know it. The text of a socket node is the address it was bound to. */
static void name_for_kernel(node_id node, struct own_address *out)
{
  const struct file_node *n = node_at(node);
  struct own_name name = {0, {mark[0], mark[1], mark[2]}, (uint32_t)sys(SYS_getpid), n->target, (uint32_t)n->special};
  out->address = (struct sockaddr_un){.sun_family = AF_UNIX};
  copy_bytes(out->address.sun_path, &name, sizeof name);
  socklen_t least = PATH_AT + sizeof name;
  out->size = name.size > least ? name.size : least;
}

/* 0, with the address for the kernel, or -errno. */
static long socket_at(const char *path, struct own_address *out)
{
  struct file_place p;
  long result = path_find(AT_FDCWD, path, FOLLOW_LAST, &p);
  if (result || p.outside)
    return result ? result : -ECONNREFUSED;
  result = node_permits(p.node, 2 /* W_OK */, false);
  if (!result && (!S_ISSOCK(node_at(p.node)->mode) || node_at(p.node)->real))
    result = -ECONNREFUSED;
  if (!result)
    name_for_kernel(p.node, out);
  return result;
}

static long bind_path(const struct call *c, const char *path)
{
  struct file_place p;
  struct own_address own;
  long result = path_walk(AT_FDCWD, path, NAME_ITSELF, &p);
  if (result)
    return result;
  if (p.outside || p.last != LAST_NAME || p.node)
    return -EADDRINUSE;
  result = folder_permits(p.folder);
  if (result)
    return result;
  node_id node = file_made(&p, S_IFSOCK | mode_of_new(0777));
  node_at(node)->target = text_keep((const char *)c->arg[1], (size_t)c->arg[2]);
  node_at(node)->special = (uint64_t)c->arg[2];
  name_for_kernel(node, &own);
  result = sys(SYS_bind, c->arg[0], &own.address, own.size);
  if (result)
    entry_remove(entry_find(p.folder, p.name));
  return result;
}

/* Which argument is an address that the call is given, with its length in the next; -1: none. */
static int address_given(long number)
{
  return number == SYS_bind || number == SYS_connect ? 1 : number == SYS_sendto ? 4 : -1;
}

static bool send_message(struct call *c, long *result)
{
  struct own_address *own = &room[self_index()];
  own->message = *(const struct msghdr *)c->arg[1];
  const char *path = path_in(own->message.msg_name, own->message.msg_namelen);
  if (!path)
    return false;
  *result = socket_at(path, own);
  own->message.msg_name = &own->address;
  own->message.msg_namelen = own->size;
  c->arg[1] = (long)&own->message;
  return *result != 0;
}

bool socket_path_call(struct call *c, long *result)
{
  int at = address_given(c->number);
  if (c->number == SYS_sendmsg)
    return send_message(c, result);
  const char *path = at < 0 ? NULL : path_in((const struct sockaddr_un *)c->arg[at], (socklen_t)c->arg[at + 1]);
  if (!path)
    return false;
  if (c->number == SYS_bind) {
    *result = bind_path(c, path);
    return true;
  }
  struct own_address *own = &room[self_index()];
  *result = socket_at(path, own);
  c->arg[at] = (long)&own->address;
  c->arg[at + 1] = own->size;
  return *result != 0;
}

static void name_for_program(struct sockaddr_un *a, socklen_t *size)
{
  struct own_name name;
  if ((uintptr_t)a < PATH_MOST || *size < PATH_AT + sizeof name || a->sun_family != AF_UNIX)
    return;
  copy_bytes(&name, a->sun_path, sizeof name);
  if (name.nothing || name.mark[0] != mark[0] || name.mark[1] != mark[1] || name.mark[2] != mark[2])
    return;
  copy_bytes(a, text_at(name.text), name.size < *size ? name.size : *size);
  *size = name.size;
}

void overlay_addresses(const struct call *c, long result)
{
  static const short calls[] = {SYS_getsockname, SYS_getpeername, SYS_accept, SYS_accept4};
  int at = c->number == SYS_recvfrom ? 4 : LISTED(c->number, calls) ? 1 : -1;
  if (!overlay_is_on() || result < 0 || (at < 0 && c->number != SYS_recvmsg))
    return;
  struct msghdr *message = (struct msghdr *)c->arg[1];
  if (c->number == SYS_recvmsg && message->msg_name)
    name_for_program(message->msg_name, &message->msg_namelen);
  else if (at >= 0 && c->arg[at] && c->arg[at + 1])
    name_for_program((struct sockaddr_un *)c->arg[at], (socklen_t *)c->arg[at + 1]);
}
