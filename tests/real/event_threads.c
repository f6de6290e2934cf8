/* SPDX-License-Identifier: Apache-2.0
 *
 * libevent with threads: one thread runs the loop, two others activate events of it and write through a bufferevent
 * pair's socket; the loop ends when it saw all.
 */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

static struct event_base *base;
static struct event *user;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sent, seen;
static int fds[2];
static char got[32];

static void check(void)
{
  if (seen == 2 && strlen(got) == 8)
    event_base_loopbreak(base);
}

static void on_user(evutil_socket_t fd, short what, void *arg)
{
  (void)fd, (void)what, (void)arg;
  pthread_mutex_lock(&lock);
  seen = sent;
  pthread_mutex_unlock(&lock);
  check();
}

static void on_read(struct bufferevent *b, void *arg)
{
  (void)arg;
  size_t n = strlen(got);
  n += bufferevent_read(b, got + n, sizeof got - 1 - n);
  got[n] = 0;
  check();
}

static void *activate(void *unused)
{
  (void)unused;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    sent++;
    pthread_mutex_unlock(&lock);
    event_active(user, EV_READ, 0);
  }
  return NULL;
}

static void *write_some(void *unused)
{
  (void)unused;
  for (int i = 0; i < 2; i++)
    if (write(fds[1], i ? "ghij" : "cdef", 4) != 4)
      return NULL;
  return NULL;
}

static void *dispatch(void *unused)
{
  (void)unused;
  event_base_dispatch(base);
  return NULL;
}

int main(void)
{
  pthread_t thread[3];
  evthread_use_pthreads();
  socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
  evutil_make_socket_nonblocking(fds[0]);
  base = event_base_new();
  user = event_new(base, -1, EV_PERSIST | EV_READ, on_user, NULL);
  event_add(user, NULL);
  struct bufferevent *b = bufferevent_socket_new(base, fds[0], BEV_OPT_THREADSAFE);
  bufferevent_setcb(b, on_read, NULL, NULL, NULL);
  bufferevent_enable(b, EV_READ);
  void *(*const start[])(void *) = {dispatch, activate, write_some};
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, start[i], NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  bufferevent_free(b);
  event_free(user);
  event_base_free(base);
  libevent_global_shutdown();
  close(fds[0]);
  close(fds[1]);
  printf("%s %d\n", got, seen);
  return strcmp(got, "cdefghij") || seen != 2;
}
