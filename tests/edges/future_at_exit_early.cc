/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a task is asked for when the thread that made it may be over or not.
 *
 * verdict: found
 */
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main()
{
  std::packaged_task<int()> task([] { return 3; });
  std::future<int> result = task.get_future();
  std::thread worker([&task] { task.make_ready_at_thread_exit(); });
  bool ready = result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  worker.join();
  assert(ready && result.get() == 3);
}
