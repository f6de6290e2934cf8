/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements of a vector, and an object that only a smart pointer in a vector knows: told by the names that lambdas see.
 * tell: slots\[1\]\.misses
 * tell: T\d +captured\.cc:\d+ +writes +\S+ +← 1 +T\d's update is lost
 */
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Slot {
  long pad[3];
  int hits = 0, misses = 0;
};

static std::mutex lock;

static void miss(Slot &slot)
{
#ifdef FIXED
  std::lock_guard<std::mutex> guard(lock);
#endif
  slot.misses++;
}

int main()
{
  std::vector<Slot> slots(3);
  std::thread one([&slots] { miss(slots[1]); }), two([&slots] { miss(slots[1]); });
  one.join();
  two.join();
  assert(slots[1].misses == 2);
}
