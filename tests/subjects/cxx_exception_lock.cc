/* SPDX-License-Identifier: Apache-2.0
 *
 * Locking by hand where an exception may fly. Two threads take from a list that holds one number while main adds
 * another. Whoever finds the list empty gets an exception from at(), which jumps over the unlock; the next one to
 * come waits for a lock that nobody will release. A lock_guard unlocks on the way out.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<int> numbers{1};

static int take()
{
#ifdef FIXED
  std::lock_guard<std::mutex> guard(lock);
#else
  lock.lock();
#endif
  int number = numbers.at(0);
  numbers.erase(numbers.begin());
#ifndef FIXED
  lock.unlock();
#endif
  return number;
}

static void taker()
{
  try {
    take();
  } catch (const std::out_of_range &) {
    /* nothing there, never mind */
  }
}

int main()
{
  std::thread a(taker);
  std::thread b(taker);

  {
    std::lock_guard<std::mutex> guard(lock);
    numbers.push_back(2);
  }
  a.join();
  b.join();
  return 0;
}
