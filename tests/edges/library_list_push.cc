/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads append to a list without a lock: a node is lost, and the list no longer has as many as it says.
 *
 * verdict: find
 */
#include <cassert>
#include <list>
#include <thread>

static std::list<int> list;

int main()
{
  std::thread other([] { list.push_back(1); });
  list.push_back(2);
  other.join();
  int count = 0;
  for (auto at = list.begin(); at != list.end() && count < 3; ++at)
    count++;
  assert(count == 2);
  return 0;
}
