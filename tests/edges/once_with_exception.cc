/* SPDX-License-Identifier: Apache-2.0
 *
 * call_once whose first call throws: the next caller does it again.
 *
 * verdict: quiet
 */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static int attempts;

static void attempt()
{
  try {
    std::call_once(once, [] {
      if (attempts++ == 0)
        throw std::runtime_error("not yet");
    });
  } catch (const std::runtime_error &) {
  }
}

int main()
{
  std::thread one(attempt), two(attempt);
  one.join();
  two.join();
  assert(attempts == 2);
  return 0;
}
