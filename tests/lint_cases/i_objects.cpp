/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads as objects, each with a flag that says whether it runs: no limit if each turn makes an object of its own.
 */
#include "creation.h"
#include <sys/socket.h>

namespace
{
class task
{
public:
  virtual ~task() = default;
  bool start()
  {
    if (running)
      return false;
    running = pthread_create(&thread, nullptr, begin, this) == 0;
    return running;
  }
  virtual void run() = 0;

private:
  static void *begin(void *self)
  {
    static_cast<task *>(self)->run();
    return nullptr;
  }
  pthread_t thread;
  bool running = false;
};

struct peer : task {
  int fd;
  explicit peer(int client) : fd(client)
  {
  }
  void run() override
  {
    shutdown(fd, SHUT_RDWR);
  }
  void begin_soon()
  {
    this->start();
  }
};

struct eager : task {
  int fd;
  explicit eager(int client) : fd(client)
  {
    start();
  }
  void run() override
  {
    shutdown(fd, SHUT_RDWR);
  }
};

void with_one_for_each(int listener)
{
  for (;;) { /* = unbounded */
    peer *fresh = new peer(accept(listener, nullptr, nullptr));
    fresh->start();
  }
}

void with_one_for_each_below(int listener)
{
  for (;;) { /* = unbounded */
    peer *fresh = new peer(accept(listener, nullptr, nullptr));
    fresh->begin_soon();
  }
}

void by_its_constructor(int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, nullptr, nullptr);
    new eager(fd);
  }
}

/* The same one again: there is no second thread while it runs. */
void with_one_for_all(int listener, peer *one)
{
  for (;;) { /* = possible, 'running' is asked for and set */
    one->fd = accept(listener, nullptr, nullptr);
    one->start();
  }
}
} /* namespace */
