/* SPDX-License-Identifier: Apache-2.0
 *
 * An exception that leaves its thread: type, what it says, and the line that throws it.
 * tell: ✗ uncaught exception std::out_of_range: no such entry
 * tell: T1 crashes at uncaught\.cc:\d+ in look_up
 * tell: crashes +throw std::out_of_range\("no such entry"\);
 */
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static std::set<std::string> entries;

static void enter()
{
  std::lock_guard held(lock);
  entries.insert("main");
}

static void look_up()
{
  std::lock_guard held(lock);
  if (!entries.count("main"))
    throw std::out_of_range("no such entry");
}

int main()
{
#ifdef FIXED
  enter();
#endif
  std::thread reader(look_up), writer(enter);
  reader.join();
  writer.join();
}
