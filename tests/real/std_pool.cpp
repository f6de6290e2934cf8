// SPDX-License-Identifier: Apache-2.0
//
// The C++ library: a pool of std::thread with a queue of std::packaged_task, std::async, std::call_once, futures,
// shared_mutex, exceptions through a future.
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class pool {
public:
  explicit pool(int n)
  {
    while (n--)
      threads.emplace_back([this] { serve(); });
  }
  ~pool()
  {
    {
      std::lock_guard<std::mutex> hold(lock);
      closing = true;
    }
    changed.notify_all();
    for (auto &t : threads)
      t.join();
  }
  template <class F> auto submit(F f) -> std::future<decltype(f())>
  {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> hold(lock);
      jobs.emplace_back([task] { (*task)(); });
    }
    changed.notify_one();
    return result;
  }

private:
  void serve()
  {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return closing || !jobs.empty(); });
        if (jobs.empty())
          return;
        job = std::move(jobs.front());
        jobs.pop_front();
      }
      job();
    }
  }
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  bool closing = false;
  std::vector<std::thread> threads;
};

static std::shared_mutex table_lock;
static std::vector<int> table;
static std::once_flag filled;

static int look(int i)
{
  std::call_once(filled, [] {
    std::unique_lock<std::shared_mutex> hold(table_lock);
    table = {10, 20, 30, 40};
  });
  std::shared_lock<std::shared_mutex> hold(table_lock);
  return table.at(i);
}

int main()
{
  int sum = 0;
  bool thrown = false;
  {
    pool workers(2);
    std::vector<std::future<int>> results;
    for (int i = 0; i < 3; i++)
      results.push_back(workers.submit([i] { return look(i); }));
    auto bad = workers.submit([] { return look(9); });
    auto other = std::async(std::launch::async, [] { return look(3); });
    for (auto &r : results)
      sum += r.get();
    sum += other.get();
    try {
      bad.get();
    } catch (const std::out_of_range &) {
      thrown = true;
    }
  }
  std::cout << "sum " << sum << " thrown " << thrown << std::endl;
  return sum == 100 && thrown ? 0 : 1;
}
