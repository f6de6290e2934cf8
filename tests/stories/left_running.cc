/* SPDX-License-Identifier: Apache-2.0
 *
 * An exception leaves the block of a std::thread before its join.
 * tell: bug +a std::thread is destroyed that was neither joined nor detached: main creates T\d at
 * tell: fix +join it on every way out, also when an exception leaves
 */
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<bool> broken{false};

static void serve()
{
  std::thread helper([] {});
  if (broken) {
#ifdef FIXED
    helper.join();
#endif
    throw std::runtime_error("the oven is broken");
  }
  helper.join();
}

int main()
{
  std::thread fate([] { broken = true; });
  try {
    serve();
  } catch (const std::runtime_error &) {
  }
  fate.join();
}
