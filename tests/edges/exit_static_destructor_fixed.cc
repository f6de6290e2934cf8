/* SPDX-License-Identifier: Apache-2.0
 *
 * The static object's destructor joins the thread that uses it.
 *
 * verdict: complete
 */
#include <atomic>
#include <cassert>
#include <thread>

struct registry {
  std::atomic<int> alive{1};
  std::thread user;
  ~registry()
  {
    user.join();
    alive = 0;
  }
};
static registry all;

int main()
{
  all.user = std::thread([] { assert(all.alive == 1); });
  return 0;
}
