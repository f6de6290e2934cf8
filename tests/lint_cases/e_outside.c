/* SPDX-License-Identifier: Apache-2.0
 *
 * Who decides how often a loop creates: somebody outside, who connects or sends, or nobody that is seen.
 */
#include "creation.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

struct e_server {
  int listener, stopped;
  int (*on_client)(struct e_server *server, int fd);
};
struct e_job {
  struct e_job *next;
  int fd;
};

/* ---- taken by a function that is called ---- */

static int take(int listener)
{
  int fd;
  while ((fd = accept(listener, NULL, NULL)) < 0)
    ;
  return fd;
}

static int take_checked(struct e_server *server)
{
  return take(server->listener);
}

void by_wrapper(struct e_server *server)
{
  pthread_t thread;
  while (!server->stopped) { /* = unbounded, takes what comes from outside: accept() */
    int fd = take_checked(server);
    pthread_create(&thread, NULL, work, &fd);
  }
}

/* Only now and then, and for something else. */
void by_the_way(struct e_server *server)
{
  pthread_t thread;
  while (!server->stopped) { /* = possible */
    if (rand() == 3)
      close(take(server->listener));
    if (rand() == 7)
      pthread_create(&thread, NULL, work, server);
  }
}

/* What is created has what was taken, if anything was. */
void with_what_was_taken(struct e_server *server)
{
  pthread_t thread;
  while (!server->stopped) { /* = unbounded */
    int fd = -1;
    if (rand() == 3)
      fd = take(server->listener);
    pthread_create(&thread, NULL, work, &fd);
  }
}

/* It has not: only what follows uses it. */
void before_what_was_taken(struct e_server *server)
{
  pthread_t thread;
  while (!server->stopped) { /* = possible */
    int fd = -1;
    if (rand() == 3)
      fd = take(server->listener);
    pthread_create(&thread, NULL, work, server);
    close(fd);
  }
}

/* It has something else by then. */
void instead_of_what_was_taken(struct e_server *server)
{
  pthread_t thread;
  int fd;
  while (!server->stopped) { /* = possible */
    if (rand() == 3)
      fd = take(server->listener);
    fd = -1;
    pthread_create(&thread, NULL, work, server);
  }
}

/* ---- a function that is given what to do with a connection ---- */

static void serve_one(int fd)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, &fd);
}

static void serve_other(int fd)
{
  pthread_t thread;
  if (fd > 0)
    pthread_create(&thread, NULL, work, &fd);
}

/* Of the same type; nobody gives them to the loop. */
static void e_first(int fd)
{
  close(fd);
}
static void e_second(int fd)
{
  close(fd + 1);
}
void (*const e_others[])(int) = {e_first, e_second};

static void accept_all(int listener, void (*serve)(int))
{
  for (;;) /* = may unbounded */
    serve(take(listener));
}

void accept_for_both(int one, int other)
{
  accept_all(one, serve_one);
  accept_all(other, serve_other);
}

/* ---- a member, and a function that stands for the creation ---- */

static int start(void *(*function)(void *), void *argument)
{
  pthread_t thread;
  return pthread_create(&thread, NULL, function, argument);
}

static void *new_client(struct e_server *server, int fd)
{
  struct e_job *job = malloc(sizeof *job);
  job->fd = fd + server->stopped;
  start(work, job);
  return job;
}

static int handle_client(struct e_server *server, int fd)
{
  return new_client(server, fd) ? 0 : -1;
}

/* Four calls, of which one stands for the creation. */
void run_server(struct e_server *server)
{
  while (!server->stopped) { /* = may unbounded */
    int fd = accept(server->listener, NULL, NULL);
    if (server->on_client(server, fd))
      close(fd);
  }
}

void open_server(struct e_server *server)
{
  server->on_client = handle_client;
  run_server(server);
}

/* ---- nobody outside ---- */

static struct e_job *e_jobs;
extern struct e_job *e_following(void);

void for_each_job(void)
{
  pthread_t thread;
  while ((e_jobs = e_following())) /* = possible */
    pthread_create(&thread, NULL, work, e_jobs);
}

/* What a file says is configured. */
void for_each_line(const char *path)
{
  char line[64];
  pthread_t thread;
  int file = open(path, O_RDONLY);
  while (read(file, line, sizeof line) > 0) /* = possible */
    pthread_create(&thread, NULL, work, line);
  close(file);
}

/* ---- the descriptor is asked for again, not the result of the creation ---- */

void with_one_result(int listener)
{
  pthread_t thread;
  fd_set ready;
  for (;;) { /* = unbounded */
    int result = select(listener + 1, &ready, NULL, NULL, NULL);
    if (result == 0)
      continue;
    int fd = accept(listener, NULL, NULL);
    if ((result = pthread_create(&thread, NULL, work, &fd)) != 0) {
      close(fd);
      continue;
    }
  }
}

/* ---- taken in a branch, used behind it ---- */

void with_two_listeners(const int listener[2])
{
  pthread_t thread;
  for (;;) { /* = unbounded, takes what comes from outside: accept() */
    int fd = -1;
    if (rand() == 1)
      fd = accept(listener[0], NULL, NULL);
    else if (rand() == 2)
      fd = accept(listener[1], NULL, NULL);
    if (fd >= 0)
      pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- through a member ---- */

struct e_stream {
  int fd;
  int (*take)(struct e_stream *stream);
};

static int take_plain(struct e_stream *stream)
{
  return accept(stream->fd, NULL, NULL);
}

void opens_stream(struct e_stream *stream)
{
  stream->take = take_plain;
}

void by_a_member(struct e_stream *stream)
{
  pthread_t thread;
  for (;;) { /* = unbounded, takes what comes from outside: accept() */
    int fd = stream->take(stream);
    pthread_create(&thread, NULL, work, &fd);
  }
}

static int take_into(int *fd, int listener)
{
  *fd = accept(listener, NULL, NULL);
  return *fd < 0;
}

void as_long_as_it_runs(struct e_server *server)
{
  pthread_t thread;
  int fd;
  while (!server->stopped && take_into(&fd, server->listener) == 0) /* = unbounded */
    pthread_create(&thread, NULL, work, &fd);
}
