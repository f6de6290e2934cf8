/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that is given to one that hands it on to another, which calls it in its loop, or puts it into a member.
 */
#include "creation.h"
#include <sys/socket.h>
#include <unistd.h>

typedef int (*handed_function)(int fd, const char *name);

static int starts(int fd, const char *name)
{
  pthread_t thread;
  return pthread_create(&thread, NULL, work, (void *)name) || close(fd);
}

/* Of the same type, and given to others. */
static int refuses(int fd, const char *name)
{
  return close(fd) || !name;
}
static int shuts(int fd, const char *name)
{
  return shutdown(fd, 2) || !name;
}
static int forgets(int fd, const char *name)
{
  return fd && name;
}
const handed_function other_functions[] = {refuses, shuts, forgets};

/* ---- to a loop ---- */

static void accept_for(int listener, handed_function serve)
{
  for (;;) /* = may unbounded */
    serve(accept(listener, NULL, NULL), "client");
}

static void bind_and_accept(handed_function serve, int port)
{
  int listener = socket(AF_INET, SOCK_STREAM, port);
  accept_for(listener, serve);
}

static void open_server(int port, handed_function serve)
{
  bind_and_accept(serve, port);
}

void open_all(void)
{
  open_server(1, starts);
}

/* The loop is given another one. */
static void accept_other(int listener, handed_function serve, handed_function unused)
{
  for (;;)
    serve(accept(listener, NULL, NULL), unused ? "client" : "server");
}

static void hand_both(int listener, handed_function used, handed_function unused)
{
  accept_other(listener, used, unused);
}

void open_other(int listener)
{
  hand_both(listener, refuses, starts);
}

/* ---- into a member ---- */

struct handed;
typedef void (*handed_event)(struct handed *about, int fd);
struct handed {
  int fd;
  handed_event event;
};

static void creates(struct handed *about, int fd)
{
  about->fd = fd;
  create();
}
static void set_event(struct handed *about, handed_event event)
{
  about->event = event;
}

static void open_event(struct handed *about, handed_event event)
{
  set_event(about, event);
}

void run_events(struct handed *about)
{
  open_event(about, creates);
  for (;;) /* = may unbounded */
    about->event(about, accept(about->fd, NULL, NULL));
}

/* Put elsewhere. */
struct handed_idle {
  handed_event event, idle;
};

static void sleeps(struct handed *about, int fd)
{
  about->fd = fd;
  create();
}

static void set_idle(struct handed_idle *about, handed_event event, handed_event idle)
{
  about->event = event;
  about->idle = idle;
}

static void open_idle(struct handed_idle *about, handed_event event, handed_event idle)
{
  set_idle(about, idle, event);
}

void run_idle(struct handed *about, struct handed_idle *idle)
{
  open_idle(idle, sleeps, NULL);
  for (;;)
    idle->event(about, accept(about->fd, NULL, NULL));
}
