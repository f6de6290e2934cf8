/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with std::atomic.
 */
#include <atomic>
#include <sys/socket.h>
#include <thread>

static std::atomic<int> now;

static void leaves(int)
{
  now--;
}

void by_operators(int listener)
{
  for (;;) { /* = live 8, 'now' counts them */
    int fd = accept(listener, nullptr, nullptr);
    if (now >= 20)
      continue;
    now++;
    std::thread(leaves, fd).detach();
  }
}

static std::atomic<int> others{0};

static void leaves_others(int)
{
  others.fetch_sub(1);
}

void by_members(int listener)
{
  for (;;) { /* = live 8, 'others' counts them */
    int fd = accept(listener, nullptr, nullptr);
    if (others.fetch_add(1) >= 20) {
      others.fetch_sub(1);
      continue;
    }
    std::thread thread(leaves_others, fd);
    thread.detach();
  }
}

static std::atomic<bool> go{true};
static void work()
{
}

void until_a_flag()
{
  while (go.load()) { /* = bounded 3 */
    std::thread(work).detach();
    go.store(false);
  }
}

void until_an_operator()
{
  while (go) { /* = bounded 3 */
    std::thread(work).detach();
    go = false;
  }
}
