/* SPDX-License-Identifier: Apache-2.0
 *
 * std::condition_variable::wait without its predicate. If the cook rings before the waiter waits, the bell is not
 * heard, and the soup stays where it is. The twin passes the predicate, which is looked at before the first wait.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex kitchen;
static std::condition_variable bell;
static bool soup_ready = false;

static void waiter()
{
  std::unique_lock<std::mutex> hold(kitchen);
#ifdef FIXED
  bell.wait(hold, [] { return soup_ready; });
#else
  bell.wait(hold);
#endif
  soup_ready = false;
}

int main()
{
  std::thread thread(waiter);

  {
    std::lock_guard<std::mutex> hold(kitchen);
    soup_ready = true;
  }
  bell.notify_one();
  thread.join();
  return 0;
}
