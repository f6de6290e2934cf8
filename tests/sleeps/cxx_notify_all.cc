// SPDX-License-Identifier: Apache-2.0
//
// Opening a gate lets both waiters through. BUG: it wakes only one.
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

class Gate {
public:
  void pass()
  {
    std::unique_lock<std::mutex> hold(mutex);
    while (!open)
      opened.wait(hold);
    passed++;
  }

  void unlock()
  {
    std::lock_guard<std::mutex> hold(mutex);
    open = true;
#ifdef BUG
    opened.notify_one();
#else
    opened.notify_all();
#endif
  }

  int through()
  {
    std::lock_guard<std::mutex> hold(mutex);
    return passed;
  }

private:
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;
  int passed = 0;
};

static Gate gate;

static void nap()
{
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
}

int main()
{
  std::vector<std::thread> waiters;
  for (int i = 0; i < 2; i++)
    waiters.emplace_back([] { gate.pass(); });
  nap();
  if (gate.through() != 0)
    return 1;
  gate.unlock();
  nap();
  if (gate.through() != 2) {
    std::cerr << gate.through() << " of 2 came through\n";
    std::_Exit(1);
  }
  for (auto &waiter : waiters)
    waiter.join();
}
