/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 1 in C++: a walk through a vector; not if the loop adds to it. Threads of the standard library.
 */
#include <thread>
#include <vector>

static void work()
{
}

void start_for_each(const std::vector<int> &ports)
{
  for (int port : ports) { /* = bounded 1 */
    (void)port;
    std::thread(work).detach();
  }
}

void start_and_grow(std::vector<int> &ports)
{
  for (int port : ports) { /* = possible, adds to 'ports' */
    std::thread thread(work);
    thread.detach();
    ports.push_back(port);
  }
}

void start_for_ever(std::vector<std::thread> &threads)
{
  for (;;) /* = possible */
    threads.emplace_back(work);
}
