/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets within the program: pairs, Unix, TCP and UDP.
 */
#include "case.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static int s[2], listener, client;
static struct sockaddr_in at;
static char c, all[300000];

#define MOVES(n, function, ...)                                                                              \
  do {                                                                                                       \
    EXPECT((long)function(__VA_ARGS__) == (long)(n));                                                        \
    SEE(#function, "proceeds");                                                                              \
  } while (0)

static void make_pair(int type)
{
  signal(SIGPIPE, SIG_IGN);
  RETURNS(0, socketpair, AF_UNIX, type, 0, s);
}

static void make_listener(void)
{
  socklen_t size = sizeof at;
  at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  listener = socket(AF_INET, SOCK_STREAM, 0);
  SEE("socket", "proceeds");
  RETURNS(0, bind, listener, (struct sockaddr *)&at, size);
  RETURNS(0, listen, listener, 4);
  RETURNS(0, getsockname, listener, (struct sockaddr *)&at, &size);
  EXPECT(at.sin_port != 0);
}

static void make_connection(void)
{
  signal(SIGPIPE, SIG_IGN);
  make_listener();
  s[0] = socket(AF_INET, SOCK_STREAM, 0);
  RETURNS(0, connect, s[0], (struct sockaddr *)&at, sizeof at);
  s[1] = accept(listener, NULL, NULL);
  EXPECT(s[1] > s[0]);
}

/* ---- pairs ---- */

static void receive_one(void)
{
  MOVES(1, recv, s[0], &c, 1, 0);
}

static void send_one(void)
{
  MOVES(1, send, s[1], "x", 1, 0);
}

static int full[2];

/* As much as fits into one message at most, twice; then there is room only for whoever reads. */
CASE(socketpair, datagrams_fill_it)
{
  static char half[1 << 20];
  int room = 0;
  socklen_t size = sizeof room;
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, full) == 0);
  EXPECT(getsockopt(full[0], SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 && (size_t)room / 2 <= sizeof half);
  EXPECT(send(full[0], half, (size_t)room / 2, 0) == room / 2);
  EXPECT(send(full[0], half, (size_t)room / 2, 0) == room / 2);
  EXPECT(send(full[0], half, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  EXPECT(read(full[1], half, sizeof half) == room / 2);
  EXPECT(send(full[0], half, 1, MSG_DONTWAIT) == 1);
}

CASE(socketpair, both_ways, proceeds, EOPNOTSUPP, EAFNOSUPPORT)
{
  make_pair(SOCK_STREAM);
  EXPECT(write(s[0], "ab", 2) == 2 && write(s[1], "c", 1) == 1);
  EXPECT(read(s[0], all, 9) == 1 && read(s[1], all, 9) == 2);
  FAILS(EOPNOTSUPP, socketpair, AF_INET, SOCK_STREAM, 0, s);
  FAILS(EAFNOSUPPORT, socketpair, 77, SOCK_STREAM, 0, s);
}

CASE(recv, of_stream, proceeds, blocks, EAGAIN, end, ENOTSOCK)
{
  int p[2];
  make_pair(SOCK_STREAM);
  FAILS(EAGAIN, recv, s[0], &c, 1, MSG_DONTWAIT);
  blocks_until("recv", receive_one, send_one);
  close(s[1]);
  EXPECT(recv(s[0], &c, 1, 0) == 0);
  SAW("end");
  EXPECT(pipe(p) == 0);
  FAILS(ENOTSOCK, recv, p[0], &c, 1, 0);
}

CASE(recv, peek_and_all, proceeds)
{
  make_pair(SOCK_STREAM);
  EXPECT(send(s[1], "abc", 3, 0) == 3);
  EXPECT(recv(s[0], all, 2, MSG_PEEK) == 2 && recv(s[0], all, 9, MSG_PEEK) == 3);
  MOVES(3, recv, s[0], all, 3, MSG_WAITALL);
  EXPECT(!memcmp(all, "abc", 3));
}

static void receive_all(void)
{
  EXPECT(recv(s[0], all, 4, MSG_WAITALL) == 4);
}

static void send_in_parts(void)
{
  EXPECT(send(s[1], "ab", 2, 0) == 2 && send(s[1], "cd", 2, 0) == 2);
}

CASE(recv, wait_for_all, blocks)
{
  make_pair(SOCK_STREAM);
  blocks_until("recv", receive_all, send_in_parts);
}

CASE(recv, timeout, EAGAIN)
{
  struct timeval soon = {0, 1000};
  make_pair(SOCK_STREAM);
  RETURNS(0, setsockopt, s[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  FAILS(EAGAIN, recv, s[0], &c, 1, 0);
}

DEADLOCK(recv, from_each_other, "a descriptor that will never be ready")
{
  make_pair(SOCK_STREAM);
  pthread_t t = start_call(receive_one);
  recv(s[1], &c, 1, 0);
  finish(t);
}

static void send_all(void)
{
  MOVES(sizeof all, send, s[1], all, sizeof all, 0);
}

static void receive_everything(void)
{
  for (size_t n = 0; n < sizeof all;) {
    long some = recv(s[0], all, sizeof all, 0);
    EXPECT(some > 0);
    n += (size_t)some;
  }
}

CASE(send, of_stream, proceeds, blocks, EPIPE, EAGAIN)
{
  make_pair(SOCK_STREAM);
  blocks_until("send", send_all, receive_everything);
  long n, sum = 0;
  while ((n = send(s[1], all, 100000, MSG_DONTWAIT)) > 0)
    sum += n;
  EXPECT(errno == EAGAIN && sum > 100000);
  SAW("EAGAIN");
  close(s[0]);
  FAILS(EPIPE, send, s[1], "x", 1, MSG_NOSIGNAL);
}

CASE(send, connection_reset, ECONNRESET)
{
  make_pair(SOCK_STREAM);
  EXPECT(send(s[1], "x", 1, 0) == 1);
  close(s[0]);
  FAILS(ECONNRESET, read, s[1], &c, 1);
  SAW("ECONNRESET");
}

CASE(recv, of_messages, proceeds, truncated)
{
  make_pair(SOCK_SEQPACKET);
  EXPECT(send(s[1], "abc", 3, 0) == 3 && send(s[1], "de", 2, 0) == 2);
  MOVES(2, recv, s[0], all, 2, 0);
  EXPECT(recv(s[0], all, 9, 0) == 2 && !memcmp(all, "de", 2));
  EXPECT(send(s[1], "abc", 3, 0) == 3);
  EXPECT(recv(s[0], all, 1, MSG_TRUNC) == 3);
  SAW("truncated");
}

CASE(send, of_datagrams, proceeds, EAGAIN)
{
  make_pair(SOCK_DGRAM);
  long n = 0;
  while (send(s[1], "x", 1, MSG_DONTWAIT) == 1)
    n++;
  EXPECT(errno == EAGAIN && n > 1);
  SAW("EAGAIN");
  SAW("proceeds");
}

CASE(shutdown, directions, proceeds, EINVAL, ENOTCONN, end)
{
  make_pair(SOCK_STREAM);
  EXPECT(send(s[1], "x", 1, 0) == 1);
  RETURNS(0, shutdown, s[1], SHUT_WR);
  receive_one();
  EXPECT(recv(s[0], &c, 1, 0) == 0);
  SAW("end");
  FAILS(EPIPE, send, s[1], "x", 1, 0);
  EXPECT(send(s[0], "y", 1, 0) == 1 && recv(s[1], &c, 1, 0) == 1);
  FAILS(EINVAL, shutdown, s[1], 9);
  FAILS(ENOTCONN, shutdown, socket(AF_INET, SOCK_STREAM, 0), SHUT_RD);
}

CASE(sendmsg, descriptor, proceeds, recvmsg:proceeds)
{
  int p[2];
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec v = {"x", 1};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  make_pair(SOCK_STREAM);
  EXPECT(pipe(p) == 0);
  struct cmsghdr *h = CMSG_FIRSTHDR(&m);
  h->cmsg_level = SOL_SOCKET;
  h->cmsg_type = SCM_RIGHTS;
  h->cmsg_len = CMSG_LEN(sizeof(int));
  *(int *)CMSG_DATA(h) = p[1];
  MOVES(1, sendmsg, s[1], &m, 0);
  close(p[1]);
  *(int *)CMSG_DATA(h) = -1;
  v.iov_base = &c;
  MOVES(1, recvmsg, s[0], &m, 0);
  h = CMSG_FIRSTHDR(&m);
  EXPECT(h && h->cmsg_type == SCM_RIGHTS);
  int arrived = *(int *)CMSG_DATA(h);
  EXPECT(arrived == p[1] && write(arrived, "z", 1) == 1 && read(p[0], &c, 1) == 1 && c == 'z');
}

/* ---- connections ---- */

CASE(socket, kinds, proceeds, EAFNOSUPPORT, EMFILE)
{
  EXPECT(socket(AF_INET6, SOCK_STREAM, 0) == 3 && socket(AF_UNIX, SOCK_SEQPACKET, 0) == 4);
  SAW("proceeds");
  FAILS(EAFNOSUPPORT, socket, 77, SOCK_STREAM, 0);
  EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 20}) == 0);
  while (socket(AF_INET, SOCK_DGRAM, 0) >= 0)
    ;
  EXPECT(errno == EMFILE);
  SAW("EMFILE");
}

CASE(bind, in_use, proceeds, EADDRINUSE, EINVAL)
{
  make_listener();
  int other = socket(AF_INET, SOCK_STREAM, 0);
  FAILS(EADDRINUSE, bind, other, (struct sockaddr *)&at, sizeof at);
  FAILS(EINVAL, bind, listener, (struct sockaddr *)&at, sizeof at);
  close(listener);
  RETURNS(0, bind, other, (struct sockaddr *)&at, sizeof at);
}

CASE(listen, errors, proceeds, EOPNOTSUPP)
{
  make_listener();
  FAILS(EOPNOTSUPP, listen, socket(AF_INET, SOCK_DGRAM, 0), 1);
}

CASE(connect, errors, proceeds, ECONNREFUSED, EISCONN, ENOENT, EINPROGRESS)
{
  make_connection();
  FAILS(EISCONN, connect, s[0], (struct sockaddr *)&at, sizeof at);
  close(listener);
  int other = socket(AF_INET, SOCK_STREAM, 0);
  FAILS(ECONNREFUSED, connect, other, (struct sockaddr *)&at, sizeof at);
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "there_is_no_such_socket"};
  FAILS(ENOENT, connect, socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof name);
  make_listener();
  other = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  FAILS(EINPROGRESS, connect, other, (struct sockaddr *)&at, sizeof at);
  struct pollfd one = {.fd = other, .events = POLLOUT};
  EXPECT(poll(&one, 1, -1) == 1 && one.revents == POLLOUT);
  int error = 1;
  socklen_t size = sizeof error;
  EXPECT(getsockopt(other, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0);
}

static void accept_one(void)
{
  EXPECT((s[1] = accept(listener, NULL, NULL)) >= 0);
}

static void connect_one(void)
{
  client = socket(AF_INET, SOCK_STREAM, 0);
  RETURNS(0, connect, client, (struct sockaddr *)&at, sizeof at);
}

CASE(accept, waits, blocks, proceeds, EINVAL, EAGAIN)
{
  make_listener();
  blocks_until("accept", accept_one, connect_one);
  SAW("proceeds");
  FAILS(EINVAL, accept, s[1], NULL, NULL);
  EXPECT(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
  FAILS(EAGAIN, accept, listener, NULL, NULL);
}

CASE(accept4, flags, proceeds, peer)
{
  struct sockaddr_in peer, own;
  socklen_t size = sizeof peer;
  make_listener();
  connect_one();
  int a = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK);
  EXPECT(a >= 0 && fcntl(a, F_GETFL) & O_NONBLOCK);
  SAW("proceeds");
  size = sizeof own;
  RETURNS(0, getsockname, client, (struct sockaddr *)&own, &size);
  EXPECT(own.sin_port == peer.sin_port);
  SAW("peer");
}

CASE(getpeername, of_both, proceeds, ENOTCONN)
{
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  make_connection();
  RETURNS(0, getpeername, s[0], (struct sockaddr *)&peer, &size);
  EXPECT(peer.sin_port == at.sin_port);
  FAILS(ENOTCONN, getpeername, listener, (struct sockaddr *)&peer, &size);
}

CASE(getsockname, stable, proceeds)
{
  make_listener();
  SAME("port", "%d", ntohs(at.sin_port) > 0);
}

CASE(getsockopt, values, proceeds, ENOTSOCK)
{
  int value = 0;
  socklen_t size = sizeof value;
  make_listener();
  RETURNS(0, getsockopt, listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &size);
  EXPECT(value == 1);
  RETURNS(0, getsockopt, listener, SOL_SOCKET, SO_TYPE, &value, &size);
  EXPECT(value == SOCK_STREAM);
  int p[2];
  EXPECT(pipe(p) == 0);
  FAILS(ENOTSOCK, getsockopt, p[0], SOL_SOCKET, SO_TYPE, &value, &size);
}

CASE(setsockopt, remembered, proceeds, ENOTSOCK)
{
  int value = 1;
  socklen_t size = sizeof value;
  make_listener();
  RETURNS(0, setsockopt, listener, IPPROTO_TCP, TCP_NODELAY, &value, size);
  value = 0;
  EXPECT(getsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &value, &size) == 0 && value == 1);
  int p[2];
  EXPECT(pipe(p) == 0);
  FAILS(ENOTSOCK, setsockopt, p[0], SOL_SOCKET, SO_REUSEADDR, &value, size);
}

CASE(send, to_closed_connection, EPIPE, lost)
{
  make_connection();
  close(s[1]);
  EXPECT(recv(s[0], &c, 1, 0) == 0);
  EXPECT(send(s[0], "x", 1, 0) == 1);
  SAW("lost");
  FAILS(EPIPE, send, s[0], "x", 1, 0);
}

/* ---- datagrams ---- */

static struct sockaddr_in udp_at;
static int udp;

static void make_udp(void)
{
  socklen_t size = sizeof udp_at;
  udp_at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  RETURNS(0, bind, udp, (struct sockaddr *)&udp_at, size);
  RETURNS(0, getsockname, udp, (struct sockaddr *)&udp_at, &size);
}

static void receive_datagram(void)
{
  MOVES(3, recvfrom, udp, all, 9, 0, NULL, NULL);
}

static void send_datagram(void)
{
  int from = socket(AF_INET, SOCK_DGRAM, 0);
  MOVES(3, sendto, from, "abc", 3, 0, (struct sockaddr *)&udp_at, sizeof udp_at);
}

CASE(recvfrom, datagram, proceeds, blocks, EAGAIN)
{
  make_udp();
  FAILS(EAGAIN, recvfrom, udp, all, 9, MSG_DONTWAIT, NULL, NULL);
  blocks_until("recvfrom", receive_datagram, send_datagram);
}

CASE(sendto, answers, proceeds, EDESTADDRREQ, EMSGSIZE)
{
  struct sockaddr_in from;
  socklen_t size = sizeof from;
  make_udp();
  int other = socket(AF_INET, SOCK_DGRAM, 0);
  MOVES(3, sendto, other, "abc", 3, 0, (struct sockaddr *)&udp_at, sizeof udp_at);
  EXPECT(recvfrom(udp, all, 9, 0, (struct sockaddr *)&from, &size) == 3);
  MOVES(2, sendto, udp, "de", 2, 0, (struct sockaddr *)&from, size);
  EXPECT(recv(other, all, 9, 0) == 2);
  FAILS(EDESTADDRREQ, sendto, other, "x", 1, 0, NULL, 0);
  FAILS(EMSGSIZE, sendto, other, all, 70000, 0, (struct sockaddr *)&udp_at, sizeof udp_at);
}

static void receive_message(void)
{
  struct iovec v = {all, 9};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  MOVES(1, recvmsg, s[0], &m, 0);
}

CASE(recvmsg, waits, blocks, proceeds)
{
  make_pair(SOCK_STREAM);
  blocks_until("recvmsg", receive_message, send_one);
}
