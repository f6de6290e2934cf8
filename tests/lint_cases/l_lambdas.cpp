/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that run lambdas, and threads that lambdas create.
 */
#include <algorithm>
#include <atomic>
#include <mutex>
#include <sys/socket.h>
#include <thread>
#include <vector>

static std::atomic<int> now;

void counted(int listener)
{
  for (;;) { /* = live 8, 'now' counts them */
    int fd = accept(listener, nullptr, nullptr);
    if (now >= 20)
      continue;
    now++;
    std::thread([fd] {
      shutdown(fd, 0);
      now--;
    }).detach();
  }
}

void not_counted(int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, nullptr, nullptr);
    std::thread([fd] { shutdown(fd, 0); }).detach();
  }
}

void by_its_variable(int listener)
{
  auto serve = [](int fd) { std::thread([fd] { shutdown(fd, 0); }).detach(); };
  for (;;) /* = unbounded */
    serve(accept(listener, nullptr, nullptr));
}

void of_each(std::vector<int> &all, int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, nullptr, nullptr);
    std::for_each(all.begin(), all.end(), [fd](int) { std::thread([fd] { shutdown(fd, 0); }).detach(); });
  }
}

/* The loop is that of a thread, and no turn of it creates one. */
void in_the_thread(int listener)
{
  std::thread([listener] {
    for (;;)
      accept(listener, nullptr, nullptr);
  }).detach();
}
