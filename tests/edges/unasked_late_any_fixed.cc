/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait with a lock of one's own: who opens the door notifies before he unlocks, so that a wait that ends for no reason
 * finds it closed, or was notified. That is not seen: the library counts references to its own lock.
 *
 * verdict: quiet
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex door;
static std::condition_variable_any changed;
static bool is_open;
static int waiting;

int main()
{
  std::thread guest([] {
    door.lock();
    waiting++;
    while (!is_open)
      changed.wait(door);
    waiting--;
    door.unlock();
  });
  door.lock();
  int seen = waiting;
  door.unlock();
  door.lock();
  assert(seen == 0 || seen == waiting);
  is_open = true;
  changed.notify_one();
  door.unlock();
  guest.join();
}
