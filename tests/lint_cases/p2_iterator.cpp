/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 2 in C++: an iterator, up to the end; not if the loop inserts.
 */
#include <list>
#include <thread>

static void work()
{
}

void start_all(std::list<int> &ports)
{
  for (std::list<int>::iterator at = ports.begin(); at != ports.end(); ++at) /* = bounded 2 */
    std::thread(work).detach();
}

void start_and_grow(std::list<int> &ports)
{
  for (std::list<int>::iterator at = ports.begin(); at != ports.end(); ++at) { /* = possible, adds to 'ports' */
    std::thread(work).detach();
    ports.push_back(*at);
  }
}

void start_and_take(std::list<int> &ports)
{
  auto at = ports.begin();
  while (at != ports.end()) { /* = bounded 2 */
    std::thread(work).detach();
    at = ports.erase(at);
  }
}
