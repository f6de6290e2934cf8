/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that change and walk a map, a set, a list and a string, all with a lock.
 *
 * verdict: complete
 */
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

static std::mutex m;
static std::map<int, int> map;
static std::set<int> set{1, 2, 3};
static std::list<int> list;
static std::string text;
static void change(int n)
{
  std::lock_guard<std::mutex> g(m);
  map[n] = n;
  map[n + 10] = n;
  set.erase(n);
  list.push_back(n);
  text.append("some words ");
  int sum = 0;
  for (auto &entry : map)
    sum += entry.second;
  for (int s : set)
    sum += s;
  assert(sum > 0);
}
int main()
{
  std::thread a(change, 1), b(change, 2);
  a.join();
  b.join();
  assert(map.size() == 4 && set.size() == 1 && list.size() == 2 && text.size() == 22);
  list.reverse();
  std::list<int> other{5};
  list.splice(list.begin(), other);
  std::swap(list, other);
  assert(other.size() == 3 && list.empty());
  return 0;
}
