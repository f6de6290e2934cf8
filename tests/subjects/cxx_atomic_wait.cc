/* SPDX-License-Identifier: Apache-2.0
 *
 * std::atomic::wait sleeps until the value changes *and* somebody says so. Main sets the flag and forgets to notify.
 * If the sleeper looks afterwards, it does not sleep at all; if it has fallen asleep before, it never wakes up.
 *
 * verdict: deadlock
 * threads: 2
 * flags: -std=c++20
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> hour{0};
static std::atomic<int> morning{0};

static void sleeper()
{
  morning.wait(0);
  assert(hour == 12);
}

int main()
{
  std::thread thread(sleeper);

  for (int i = 0; i < 12; i++)
    hour++; /* time to fall asleep: wait() looks some twenty times before it does */
  morning = 1;
#ifdef FIXED
  morning.notify_one();
#endif
  thread.join();
  return 0;
}
