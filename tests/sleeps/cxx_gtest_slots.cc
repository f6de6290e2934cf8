// SPDX-License-Identifier: Apache-2.0
//
// Two slots: the third taker waits until somebody gives one back, and try_take() does not wait. BUG: there is one slot
// more than there should be.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace {

class Slots {
public:
  explicit Slots(int n) : left(n) {}

  void take()
  {
    std::unique_lock<std::mutex> hold(mutex);
    given.wait(hold, [this] { return left > 0; });
    left--;
  }

  bool try_take()
  {
    std::lock_guard<std::mutex> hold(mutex);
    return left > 0 ? left--, true : false;
  }

  void give()
  {
    std::lock_guard<std::mutex> hold(mutex);
    left++;
    given.notify_one();
  }

private:
  std::mutex mutex;
  std::condition_variable given;
  int left;
};

#ifdef BUG
const int slots_of_two = 3;
#else
const int slots_of_two = 2;
#endif

TEST(Slots, ThirdWaits)
{
  Slots slots(slots_of_two);
  std::atomic<bool> in{false};
  slots.take();
  slots.take();
  std::thread third([&] {
    slots.take();
    in = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(in);
  slots.give();
  third.join();
  EXPECT_TRUE(in);
}

TEST(Slots, TryDoesNotWait)
{
  Slots slots(slots_of_two);
  std::thread holder([&] {
    slots.take();
    slots.take();
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    slots.give();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(slots.try_take());
  holder.join();
  EXPECT_TRUE(slots.try_take());
}

} // namespace
