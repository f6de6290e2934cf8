/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock made of an exchange, released with an order that orders nothing.
 * options: --races report
 * tell: fix: T\d writes `stick` at \S+ and T\d reads that at \S+, which keeps the two apart but does not order them
 * tell: it is written with memory_order_relaxed, which orders nothing; it must be memory_order_release
 */
#include <atomic>
#include <thread>

static std::atomic<bool> stick{false};
static int words;

static void talk()
{
  while (stick.exchange(true, std::memory_order_acquire))
    std::this_thread::yield();
  words++;
#ifdef FIXED
  stick.store(false, std::memory_order_release);
#else
  stick.store(false, std::memory_order_relaxed);
#endif
}

int main()
{
  std::thread one(talk), other(talk);
  one.join();
  other.join();
}
