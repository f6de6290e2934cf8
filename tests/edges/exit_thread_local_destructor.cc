/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's thread_local object says goodbye to a static object that main's return has already destroyed. Natively,
 * with pauses, it failed in 54 of 300 runs.
 *
 * verdict: find
 */
#include <atomic>
#include <cassert>
#include <thread>

struct registry {
  std::atomic<int> alive{1};
  ~registry()
  {
    alive = 0;
  }
};
static registry all;

struct member {
  int number = 1;
  ~member()
  {
    assert(all.alive == 1);
  }
};
static thread_local member self;

int main()
{
  std::thread([] { self.number = 2; }).detach();
  return 0;
}
