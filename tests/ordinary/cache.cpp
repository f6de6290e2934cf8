// SPDX-License-Identifier: Apache-2.0
//
// A cache with a method that looks, and one that takes, each with the lock: between the two another thread drops the
// entry. Threads are std::thread with lambdas.
#include <cassert>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

class Cache {
public:
  [[gnu::noinline]] void put(int key, int value)
  {
    std::lock_guard<std::mutex> guard(lock);
    entries[key] = value;
  }

  [[gnu::noinline]] void drop(int key)
  {
    std::lock_guard<std::mutex> guard(lock);
    entries.erase(key);
  }

  [[gnu::noinline]] void use(int key)
  {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
    if (!entries.count(key))
      return;
#else
    if (!has(key))
      return;
    std::lock_guard<std::mutex> guard(lock);
#endif
    assert(entries.count(key));
  }

private:
  [[gnu::noinline]] bool has(int key)
  {
    std::lock_guard<std::mutex> guard(lock);
    return entries.count(key);
  }

  std::mutex lock;
  std::map<int, int> entries;
};

int main()
{
  Cache cache;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++)
    threads.emplace_back([&cache, i] {
      for (int n = 0; n < 5; n++) {
        cache.put(n % 2, i);
        cache.use((n + i) % 2);
        cache.drop(n % 2);
      }
    });
  for (auto &thread : threads)
    thread.join();
  return 0;
}
