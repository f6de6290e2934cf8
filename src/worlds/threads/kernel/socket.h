/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets within the program, for the files of the small kernel; see socket.c, messages.c, connecting.c,
 * socket_options.c and addresses.c.
 */
#ifndef HEDDLE_RUNTIME_SOCKET_H
#define HEDDLE_RUNTIME_SOCKET_H

#include "worlds/threads/kernel/kernel.h"

/* ---- socket.c ---- */

static inline struct socket_state_of *socket_of(const struct description *d)
{
  return &channel_at(d->channel)->socket;
}

static inline bool is_stream(const struct socket_state_of *s)
{
  return s->type == SOCK_STREAM;
}

static inline bool is_unix(const struct socket_state_of *s)
{
  return s->domain == AF_UNIX;
}

bool socket_is_stream(const struct description *d);
long socket_bytes_to_read(const struct description *d);
/* How long a call that waits for that (POLLIN, POLLOUT) does so, by the options of the socket; -1: for ever. */
int64_t socket_patience(const struct description *d, unsigned events);
/* What somebody sends to it comes before what happens after it is received. */
void socket_set_up(uint16_t channel, int domain, int type, int protocol);
/* So many bytes could still be sent to where it is connected. */
size_t socket_room(const struct socket_state_of *s);
/* An error that is told once: 0, or -errno. */
long socket_error(struct socket_state_of *s);
void sockets_reset(void);

/* ---- messages.c ---- */

/* At once, or -EAGAIN. */
long message_send(struct description *d, struct transfer_call *t);
long message_receive(struct description *d, struct transfer_call *t);
/* Where the socket sends that to: a channel, 0 for none that is known. */
uint16_t socket_receiver(const struct description *d, const struct transfer_call *t);
/* Of all of them, without what goes with them. */
long messages_bytes(const struct channel *c);
/* There is no room for a message of that size. */
bool message_must_wait(const struct socket_state_of *s, const struct channel *to, size_t size);
/* Descriptors that go with bytes of a stream. 0 or -errno. */
long rights_send(uint16_t to, struct transfer_call *t);
/* How many bytes come before the next descriptors, and those that go with the first of them. */
size_t rights_receive(struct channel *c, struct transfer_call *t, size_t most);
void rights_drop(struct channel *c);
void rights_reset(void);
/* What the call is told beside the bytes: from whom, with which descriptors. Returns n, or more with MSG_TRUNC. */
long socket_received(const struct call *call, struct transfer_call *t, long n);

/* ---- addresses.c ---- */

/* Of the program's; false: it is none that the family could have. */
bool address_read(const struct socket_state_of *s, const struct sockaddr *from, socklen_t size, struct address *out);
/* To the program, cut to its room. */
void address_write(const struct address *a, struct sockaddr *to, socklen_t *size);
/* Whether it is of this machine alone. */
bool address_is_inside(const struct address *a);
/* The socket of that family and type that has the address, 0: none. listens: only one that does. */
uint16_t address_find(const struct socket_state_of *like, const struct address *a, bool listens);
bool address_is_same(const struct address *a, const struct address *b);
/* Whether the address is taken. */
bool address_in_use(const struct socket_state_of *s, const struct address *a);
/* One that nobody else has. */
void address_give(uint16_t channel);
/* Whether it has a port, or a name. */
bool address_has_port(const struct address *a);
/* Of a connection to there: no wildcard any more. */
void address_fill_local(struct address *local, const struct address *remote);
/* Somebody of the program wants to talk to that address; whether anybody ever wanted to talk to this socket. Of more
 * addresses than there is room for the rest is forgotten. */
void address_note_try(const struct socket_state_of *by, const struct address *to);
bool address_was_tried(const struct socket_state_of *s);
void addresses_reset(void);
/* A name in the file system is removed; true: it was a socket's. */
bool address_unlink(const char *path);
bool address_is_name(const char *path);
bool addresses_have_names(void); /* some do */

/* ---- connecting.c ---- */

/* Whom it would connect to, 0 for nobody; and whether there is room for the connection, or it fails. */
uint16_t socket_listener(const struct description *d, const struct transfer_call *t);
bool socket_can_connect(const struct description *d, const struct transfer_call *t);

/* The socket talks to somebody outside: it is the kernel's from now on. */
void socket_goes_outside(long fd, uintptr_t pc);
/* Whether it does if it talks to that address. */
bool socket_leaves(const struct description *d, const struct sockaddr *to, socklen_t size);
/* Whether a call on it waits for somebody outside the program. */
bool socket_waits_outside(const struct description *d);
struct option *option_of(struct socket_state_of *s, int level, int name);

#endif
