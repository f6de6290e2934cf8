// SPDX-License-Identifier: Apache-2.0
//
// Who waits for a future goes on when the value is there, not before. BUG: the promise is kept before the work is done.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <thread>

namespace {

std::atomic<int> result{0};
std::promise<void> finished;

void work()
{
#ifdef BUG
  finished.set_value();
#endif
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  result = 42;
#ifndef BUG
  finished.set_value();
#endif
}

} // namespace

int main()
{
  std::thread worker{work};
  auto waiter = [](std::future<void> future) {
    future.wait();
    if (result != 42) {
      std::cerr << "went on too early\n";
      std::_Exit(1);
    }
  };
  std::thread waiting(waiter, finished.get_future());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (result != 0)
    return 1;
  waiting.join();
  worker.join();
  return 0;
}
