/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write to one string stream, under a lock. What is in it then depends on who is first, though no step reads
 * what the other one wrote: a search by causality must not take that for nothing.
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
  std::mutex lock;
  std::thread thread([&] {
    std::lock_guard guard(lock);
    out << "a";
  });
  {
    std::lock_guard guard(lock);
    out << "b";
  }
  thread.join();
  assert(out.str() == "ba");
}
