// SPDX-License-Identifier: Apache-2.0
//
// A writer waits until all readers are gone. BUG: it takes the lock as a reader does.
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex door;
static std::atomic<int> written{0};

static void write_once()
{
#ifdef BUG
  std::shared_lock<std::shared_mutex> hold(door);
#else
  std::unique_lock<std::shared_mutex> hold(door);
#endif
  written = 1;
}

static void reader()
{
  door.lock_shared();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  int seen = written;
  door.unlock_shared();
  assert(seen == 0);
}

int main()
{
  std::thread first(reader);
  std::this_thread::sleep_for(std::chrono::milliseconds(30)); // it has the lock
  std::thread writer(write_once);
  writer.join();
  first.join();
  assert(written == 1);
  return 0;
}
