/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 10 in C++: std::jthread is joined where it goes out of scope; std::async creates, too.
 */
#include <future>
#include <thread>
#include <vector>

static void work()
{
}

void one_after_the_other()
{
  for (;;) { /* = live 10 */
    std::jthread thread(work);
  }
}

void all_at_once(std::vector<std::future<void>> &all)
{
  for (;;) /* = possible */
    all.push_back(std::async(std::launch::async, work));
}
