/* SPDX-License-Identifier: Apache-2.0
 *
 * A check and the act that it decides on, both atomic, but two steps.
 * tell: T1:north +\S+ +atomically reads +tickets +→ 1
 * tell: bug +a check and the act that it decides on are two steps
 * tell: fix +one atomic step: a loop with compare-exchange
 */
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <thread>

static std::atomic<int> tickets{1};

static void sell(const char *name)
{
  pthread_setname_np(pthread_self(), name);
#ifdef FIXED
  for (int left = tickets; left > 0;)
    if (tickets.compare_exchange_weak(left, left - 1))
      break;
#else
  if (tickets > 0)
    tickets.fetch_sub(1);
#endif
}

int main()
{
  std::thread north(sell, "north"), south(sell, "south");
  north.join();
  south.join();
  assert(tickets >= 0);
}
