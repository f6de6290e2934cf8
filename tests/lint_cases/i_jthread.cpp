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

void waits()
{
  for (;;) { /* = live 10 */
    auto future = std::async(std::launch::async, work);
    future.wait();
  }
}

void gets()
{
  for (;;) /* = live 10 */
    std::async(std::launch::async, work).get();
}

/* The future of std::async() waits when it ends. */
void by_its_scope()
{
  for (;;) { /* = live 10 */
    auto future = std::async(std::launch::async, work);
  }
}

void by_nobody()
{
  for (;;) { /* = live 10 */
    (void)std::async(std::launch::async, work);
  }
}

void moved_away(std::vector<std::future<void>> &all)
{
  for (;;) { /* = possible */
    auto future = std::async(std::launch::async, work);
    all.push_back(std::move(future));
  }
}
