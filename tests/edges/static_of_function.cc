/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads meet at the initialisation of a function's static object: it happens once.
 *
 * verdict: complete
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> made{0};

struct service {
  service()
  {
    made++;
  }
};

static service &the_service()
{
  static service only;
  return only;
}

int main()
{
  std::thread one([] { the_service(); }), two([] { the_service(); });
  one.join();
  two.join();
  assert(made == 1);
  return 0;
}
