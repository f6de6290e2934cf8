/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread says that it is done, unlocks, and only then notifies. Main may see that it is done without waiting, and
 * deletes what holds the condition variable before the notification.
 *
 * verdict: find
 * kind: memory or property
 */
#include <condition_variable>
#include <mutex>
#include <thread>

struct Task {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
};

static void work(Task *task)
{
  task->mutex.lock();
  task->is_done = true;
  task->mutex.unlock();
  task->changed.notify_one();
}

int main()
{
  Task *task = new Task;
  std::thread thread(work, task);
  {
    std::unique_lock<std::mutex> lock(task->mutex);
    while (!task->is_done)
      task->changed.wait(lock);
  }
  delete task;
  thread.join();
  return 0;
}
