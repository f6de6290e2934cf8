/* SPDX-License-Identifier: Apache-2.0
 *
 * The same in C++: how long it sleeps is an object.
 */
#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<bool> ready;
static std::atomic<int> left{3};

static void work()
{
  ready = true;
  left.store(0);
}

void start()
{
  std::thread(work).detach();
}

void polls()
{
  while (!ready)
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); /* ! sleep-to-wait */
}

void polls_by_load()
{
  while (left.load() > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); /* ! sleep-to-wait */
}

void retries()
{
  for (int i = 0; i < 3; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); /* right sleep-to-wait */
}
