/* SPDX-License-Identifier: Apache-2.0
 *
 * The wait with a condition of std::condition_variable looks again by itself; the one without does not.
 *
 * verdict: find
 * expect-text: a wait that ends for no reason is not repeated
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool asked, answered;

int main()
{
  std::thread clerk([] {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return asked; });
    answered = true;
    changed.notify_one();
  });
  {
    std::unique_lock<std::mutex> guard(lock);
    asked = true;
    changed.notify_one();
    if (!answered)
      changed.wait(guard);
    assert(answered);
  }
  clerk.join();
}
