/* SPDX-License-Identifier: Apache-2.0
 *
 * A C++ spin lock with yield, and a loop of compare_exchange_weak.
 *
 * verdict: quiet
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic_flag busy = ATOMIC_FLAG_INIT;
static std::atomic<int> highest{0};
static int count;

static void work(int value)
{
  while (busy.test_and_set(std::memory_order_acquire))
    std::this_thread::yield();
  count++;
  busy.clear(std::memory_order_release);
  int seen = highest.load();
  while (seen < value && !highest.compare_exchange_weak(seen, value))
    ;
}

int main()
{
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
  assert(count == 2 && highest == 2);
  return 0;
}
