/* SPDX-License-Identifier: Apache-2.0
 *
 * `visits = visits + 1` on a std::atomic looks like one step, and is two: an atomic load and an atomic store. Two
 * threads load 0 and both store 1. `visits++` would have been one step.
 *
 * verdict: assertion
 * threads: 3
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> visits{0};

static void visit()
{
#ifdef FIXED
  visits++;
#else
  visits = visits + 1;
#endif
}

int main()
{
  std::thread a(visit);
  std::thread b(visit);

  a.join();
  b.join();
  assert(visits == 2);
  return 0;
}
