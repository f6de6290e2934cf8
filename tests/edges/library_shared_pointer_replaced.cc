/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads replace what an atomic shared pointer points to, each by the next number, but look and replace separately: both
 * may have looked before the first one replaces it.
 *
 * verdict: found
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
  newest.store(std::make_shared<int>(*old + 1));
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
