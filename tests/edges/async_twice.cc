/* SPDX-License-Identifier: Apache-2.0
 *
 * Two asynchronous tasks; the destructors of their futures wait for them. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <atomic>
#include <cassert>
#include <future>

static std::atomic<int> done{0};

int main()
{
  {
    auto one = std::async(std::launch::async, [] { done++; });
    auto two = std::async(std::launch::async, [] { done++; });
  }
  assert(done == 2);
  return 0;
}
