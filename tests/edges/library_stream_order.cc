/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write into one stream of characters, each under the mutex. Whose word is first depends on who comes
 * first.
 *
 * verdict: found
 */
#include <cassert>
#include <mutex>
#include <sstream>
#include <thread>

int main()
{
  std::ostringstream out;
  std::mutex mutex;
  std::thread other([&] {
    std::lock_guard lock(mutex);
    out << "a";
  });
  {
    std::lock_guard lock(mutex);
    out << "b";
  }
  other.join();
  assert(out.str() == "ba");
}
