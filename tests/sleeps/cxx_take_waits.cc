// SPDX-License-Identifier: Apache-2.0
//
// take() of an empty queue waits for put(). BUG: it does not, and takes what is not there.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

class Queue {
public:
  void put(int value)
  {
    std::lock_guard<std::mutex> hold(mutex);
    values.push_back(value);
    filled.notify_one();
  }

  int take()
  {
    std::unique_lock<std::mutex> hold(mutex);
#ifndef BUG
    filled.wait(hold, [this] { return !values.empty(); });
#endif
    if (values.empty())
      return -1;
    int value = values.front();
    values.pop_front();
    return value;
  }

private:
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> values;
};

void check(bool good, const char *what)
{
  if (good)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

} // namespace

int main()
{
  Queue queue;
  int taken = 0;
  std::thread taker([&] { taken = queue.take(); });
  std::this_thread::sleep_for(40ms); // the taker waits by now
  queue.put(7);
  taker.join();
  check(taken == 7, "the taker did not wait");
}
