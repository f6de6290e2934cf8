/* SPDX-License-Identifier: Apache-2.0
 *
 * The till is emptied by a load and a store of zero: what comes in between is lost.
 * tell: bug +a check and the act that it decides on are two steps: T2 reads `till` at
 * tell: fix +one atomic step: an exchange, which returns what was there
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> till{0};
static int bank;

static void sell()
{
  till += 3;
}

static void empty()
{
#ifdef FIXED
  bank += till.exchange(0);
#else
  bank += till.load();
  till.store(0);
#endif
}

int main()
{
  std::thread shop(sell), owner(empty);
  shop.join();
  owner.join();
  assert(bank + till == 3);
}
