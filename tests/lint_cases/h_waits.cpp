/* SPDX-License-Identifier: Apache-2.0
 *
 * The same in C++: a wait that is given the condition has the loop inside.
 */
#include <chrono>
#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

void given_the_condition()
{
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] { return ready; }); /* right wait-outside-loop */
}

void in_a_loop()
{
  std::unique_lock<std::mutex> lock(mutex);
  while (!ready)
    changed.wait(lock); /* right wait-outside-loop, right wait-without-mutex */
}

void by_an_if()
{
  std::unique_lock<std::mutex> lock(mutex);
  if (!ready)
    changed.wait(lock); /* ! wait-outside-loop */
}

void for_a_time()
{
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(1)); /* right wait-outside-loop */
}

void after_the_unlock()
{
  std::unique_lock<std::mutex> lock(mutex);
  lock.unlock();
  while (!ready)
    changed.wait(lock); /* ! wait-without-mutex */
}
