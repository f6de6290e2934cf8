/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores of a program's own: a slot is taken before a thread is created, and given back by it, or by nobody.
 */
#include "creation.h"
#include <sys/socket.h>

namespace
{
class Semaphore
{
public:
  void wait();
  void post();
};

Semaphore room, once;

void *leaves(void *argument)
{
  room.post();
  return argument;
}

void with_room(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 7 */
    int fd = accept(listener, nullptr, nullptr);
    room.wait();
    pthread_create(&thread, nullptr, leaves, &fd);
  }
}

void with_room_of_another(int listener, Semaphore *slots)
{
  pthread_t thread;
  for (;;) { /* = possible, waits for one to end */
    int fd = accept(listener, nullptr, nullptr);
    slots->wait();
    pthread_create(&thread, nullptr, work, &fd);
  }
}

/* Before the first one. */
void waits_once(int listener)
{
  pthread_t thread;
  once.wait();
  for (;;) { /* = unbounded */
    int fd = accept(listener, nullptr, nullptr);
    pthread_create(&thread, nullptr, work, &fd);
  }
}
} /* namespace */
