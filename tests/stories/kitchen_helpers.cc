/* SPDX-License-Identifier: Apache-2.0
 *
 * Two helpers each wait for a task of which nobody is left to do any: it is in the list that they themselves serve.
 * tell: ✗ deadlock: .* sleep on futexes that nobody is left to wake
 * tell: bug +tasks wait for tasks that no thread is left to run:
 * tell: fix +a task must not wait for another one of its own pool
 */
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::list<std::function<void()>> tasks;

static std::future<void> put(std::function<void()> what, bool first)
{
  auto task = std::make_shared<std::packaged_task<void()>>(what);
  std::lock_guard<std::mutex> guard(lock);
  tasks.insert(first ? tasks.begin() : tasks.end(), [task] { (*task)(); });
  return task->get_future();
}

static void cook()
{
  std::future<void> peeled = put([] {}, true);
#ifndef FIXED
  peeled.get();
#endif
}

static void help()
{
  for (;;) {
    std::function<void()> task;
    {
      std::lock_guard<std::mutex> guard(lock);
      if (tasks.empty())
        return;
      task = tasks.front();
      tasks.pop_front();
    }
    task();
  }
}

int main()
{
  put(cook, false);
  put(cook, false);
  std::thread one(help), other(help);
  one.join();
  other.join();
}
