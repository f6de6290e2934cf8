/* SPDX-License-Identifier: Apache-2.0
 *
 * A virtual call calls what overrides the method: for certain where nothing else does, otherwise one of them may be
 * called. Where many override it nobody knows which.
 */
#include "creation.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace
{
/* ---- one class ---- */

struct one_listener {
  virtual ~one_listener() = default;
  virtual void on_accept(int fd) = 0;
  virtual void on_close(int fd) = 0;
};

struct starts : one_listener {
  void on_accept(int fd) override;
  void on_close(int fd) override
  {
    close(fd);
  }
};

void starts::on_accept(int fd)
{
  std::thread([fd] { shutdown(fd, SHUT_RDWR); }).detach();
}

void serve(int listener, one_listener *to)
{
  for (;;) /* = unbounded */
    to->on_accept(accept(listener, nullptr, nullptr));
}

void refuse(int listener, one_listener *to)
{
  for (;;)
    to->on_close(accept(listener, nullptr, nullptr));
}

/* ---- two, one below the other ---- */

struct handler {
  virtual ~handler() = default;
  virtual void handle(int fd) = 0;
};

struct closes : handler {
  void handle(int fd) override
  {
    close(fd);
  }
};

struct creates : closes {
  void handle(int) override
  {
    create();
  }
};

void serve_with(int listener, handler &to)
{
  for (;;) /* = may unbounded */
    to.handle(accept(listener, nullptr, nullptr));
}

/* The class is known. */
void serve_simply(int listener)
{
  closes only;
  for (;;)
    only.handle(accept(listener, nullptr, nullptr));
}

void serve_named(int listener, creates *to)
{
  for (;;)
    to->closes::handle(accept(listener, nullptr, nullptr));
}

/* ---- the method of a template, called by its own class ---- */

template <typename Peer> struct acceptor {
  virtual ~acceptor() = default;
  virtual void on_peer(Peer fd) = 0;
  void run(int listener)
  {
    for (;;) /* = unbounded */
      on_peer(accept(listener, nullptr, nullptr));
  }
};

struct peers : acceptor<int> {
  void on_peer(int) override
  {
    create();
  }
};

void run_peers(int listener)
{
  peers().run(listener);
}

/* ---- two interfaces, both of which the method overrides ---- */

struct opened {
  virtual ~opened() = default;
  virtual void on_event(int fd) = 0;
};

struct named {
  virtual ~named() = default;
  virtual void on_event(int fd) = 0;
};

struct both : opened, named {
  void on_event(int) override
  {
    create();
  }
};

void serve_opened(int listener, opened *to)
{
  for (;;) /* = unbounded */
    to->on_event(accept(listener, nullptr, nullptr));
}

void serve_by_name(int listener, named *to)
{
  for (;;) /* = unbounded */
    to->on_event(accept(listener, nullptr, nullptr));
}

/* ---- more than anybody could tell ---- */

struct command {
  virtual ~command() = default;
  virtual void perform(int) = 0;
};

struct first : command {
  void perform(int) override
  {
    create();
  }
};
struct second : command {
  void perform(int fd) override
  {
    close(fd);
  }
};
struct third : command {
  void perform(int fd) override
  {
    close(fd + 1);
  }
};
struct fourth : command {
  void perform(int fd) override
  {
    close(fd + 2);
  }
};

void dispatch(int listener, command *to)
{
  for (;;)
    to->perform(accept(listener, nullptr, nullptr));
}

/* ---- a limit behind a virtual call ---- */

int peers_now;

struct limit {
  virtual ~limit() = default;
  virtual bool is_reached() = 0;
};

struct of_peers : limit {
  bool is_reached() override
  {
    return peers_now >= 20;
  }
};

void *leaves(void *argument)
{
  peers_now--;
  return argument;
}

void serve_limited(int listener, limit *most)
{
  pthread_t thread;
  for (;;) { /* = possible, it may be limited: 'peers_now' goes up and down and is compared */
    int fd = accept(listener, nullptr, nullptr);
    if (most->is_reached()) {
      close(fd);
      continue;
    }
    peers_now++;
    pthread_create(&thread, nullptr, leaves, nullptr);
  }
}

/* ---- what is taken behind a virtual call ---- */

struct port {
  int fd;
  virtual ~port() = default;
  virtual int take() = 0;
};

struct tcp_port : port {
  int take() override
  {
    return accept(fd, nullptr, nullptr);
  }
};

struct no_port : port {
  int take() override
  {
    return -1;
  }
};

void serve_port(port *from)
{
  pthread_t thread;
  for (;;) { /* = unbounded, takes what comes from outside: accept() */
    int fd = from->take();
    pthread_create(&thread, nullptr, work, &fd);
  }
}

/* ---- threads as objects: what one runs is not what another one runs ---- */

struct runs {
  virtual ~runs() = default;
  virtual void run() = 0;
  void start()
  {
    pthread_t thread;
    pthread_create(&thread, nullptr, begin, this);
  }
  static void *begin(void *self)
  {
    static_cast<runs *>(self)->run();
    return nullptr;
  }
};

struct client : runs {
  int fd = -1;
  void run() override
  {
    close(fd);
  }
};

struct listens : runs {
  int fd = -1;
  void run() override
  {
    for (int i = 0; i < 4; i++) { /* = bounded 5 */
      client *fresh = new client;
      fresh->fd = accept(fd, nullptr, nullptr);
      fresh->start();
    }
  }
};
} /* namespace */
