/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread erases from a set, in the library's code, while another one walks through it.
 *
 * verdict: noproof
 */
#include <cassert>
#include <set>
#include <thread>

static std::set<int> set{1, 2, 3};

int main()
{
  std::thread eraser([] { set.erase(2); });
  int count = 0;
  for (int unused : set)
    count++;
  assert(count == 3);
  eraser.join();
  return 0;
}
