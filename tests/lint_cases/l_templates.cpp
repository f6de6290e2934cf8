/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that templates create, and objects of the library that are threads.
 */
#include <memory>
#include <sys/socket.h>
#include <thread>
#include <vector>

static void work()
{
}

static void serve(int)
{
}

template <class F> void spawn(F f)
{
  std::thread(f).detach();
}

template <class F> void spawn_with(F f, int fd)
{
  std::thread thread(f, fd);
  thread.detach();
}

template <class T> struct pool {
  void grow()
  {
    std::thread(work).detach();
  }
  T size;
};

void by_a_function(int listener)
{
  for (;;) { /* = unbounded */
    accept(listener, nullptr, nullptr);
    spawn(work);
  }
}

void by_a_function_with_arguments(int listener)
{
  for (;;) /* = unbounded */
    spawn_with(serve, accept(listener, nullptr, nullptr));
}

void by_a_class(int listener)
{
  pool<int> all{};
  for (;;) { /* = unbounded */
    accept(listener, nullptr, nullptr);
    all.grow();
  }
}

void some(int n)
{
  for (int i = 0; i < n; i++) /* = bounded 5 */
    spawn(work);
}

void made(int listener, std::vector<std::unique_ptr<std::thread>> &all)
{
  for (;;) { /* = unbounded */
    accept(listener, nullptr, nullptr);
    all.push_back(std::make_unique<std::thread>(work));
  }
}

void emplaced(int listener, std::vector<std::thread> &all)
{
  for (;;) { /* = unbounded */
    accept(listener, nullptr, nullptr);
    all.emplace_back(work);
  }
}
