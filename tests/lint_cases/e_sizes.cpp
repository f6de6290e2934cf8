/* SPDX-License-Identifier: Apache-2.0
 *
 * A limit by the size of a collection that a method tells: of one that connections come to and go from, and of one that
 * they only come to.
 */
#include "creation.h"
#include <set>
#include <sys/socket.h>

namespace
{
class hall
{
public:
  size_t guests() const
  {
    return inside.size();
  }
  size_t ever() const
  {
    return seen.size();
  }
  void enter(int fd)
  {
    inside.insert(fd);
    seen.insert(fd);
  }
  void leave(int fd)
  {
    inside.erase(fd);
  }

private:
  std::set<int> inside, seen;
};

hall the_hall;
size_t most = 20;

void *visits(void *argument)
{
  the_hall.leave(*static_cast<int *>(argument));
  return nullptr;
}

void with_guests(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'inside' goes up and down and is compared */
    int fd = accept(listener, nullptr, nullptr);
    if (the_hall.guests() >= most)
      continue;
    the_hall.enter(fd);
    pthread_create(&thread, nullptr, visits, &fd);
  }
}

/* Whoever came stays in it. */
void with_visitors(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, nullptr, nullptr);
    if (the_hall.ever() == most)
      continue;
    the_hall.enter(fd);
    pthread_create(&thread, nullptr, visits, &fd);
  }
}
} /* namespace */
