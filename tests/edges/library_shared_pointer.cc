/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads replace what an atomic shared pointer points to, each by the next number. The library guards the pointer by a
 * bit that it gives back relaxed; that is no race of the program.
 *
 * verdict: quiet
 * flags: -std=c++20 -Wall -Wextra -Werror
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> newest;

static void next()
{
  auto old = newest.load();
  while (!newest.compare_exchange_weak(old, std::make_shared<int>(*old + 1)))
    ;
}

int main()
{
  newest.store(std::make_shared<int>(1));
  std::thread first(next), second(next);
  first.join();
  second.join();
  assert(*newest.load() == 3);
  return 0;
}
