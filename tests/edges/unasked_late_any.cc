/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait with a lock of one's own: who opens the door unlocks before he notifies. In between a wait that ends for no reason
 * lets the guest in, who has said that he waits and is not there any more.
 *
 * verdict: find
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
  is_open = true;
  int seen = waiting;
  door.unlock();
  assert(seen == 0 || seen == waiting);
  changed.notify_one();
  guest.join();
}
