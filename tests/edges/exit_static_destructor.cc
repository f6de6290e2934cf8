/* SPDX-License-Identifier: Apache-2.0
 *
 * A static object is destroyed after main returned, while a detached thread still uses it. Natively, with pauses, it
 * failed in 57 of 300 runs.
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

int main()
{
  std::thread([] { assert(all.alive == 1); }).detach();
  return 0;
}
