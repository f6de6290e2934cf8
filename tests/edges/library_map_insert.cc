/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread inserts into a map, in the library's code, while another one looks.
 *
 * verdict: find
 */
#include <cassert>
#include <map>
#include <thread>

static std::map<int, int> map;

int main()
{
  std::thread writer([] { map[5] = 1; });
  assert(map.count(5) == 0);
  writer.join();
  return 0;
}
