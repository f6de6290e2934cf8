#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The functions of the C++ library that link the nodes of lists and trees, and keep handlers for the whole program: each is
# seen when a thread calls it while another one looks, and does what the library's own does.
. "$(dirname "$0")/lib.sh"

cat >cases.cc <<'END'
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
static std::list<int> list{1, 2, 3}, other{4, 5};
static std::set<int> set{1, 2, 3, 4, 5, 6, 7, 8};
static const std::set<int> &same = set;
static std::set<int>::iterator at = set.find(4);
static std::set<int>::const_iterator fixed_at = same.find(4);
static void handler() { std::abort(); }
static int first() { return list.empty() ? 0 : list.front(); }
static void look() { int n = 0; for (int x : list) n += x; }
static void find() { set.find(4); }
static struct { const char *name; void (*change)(), (*look)(); } const cases[] = {
  {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_", [] { list.push_front(9); }, look},
  {"_ZNSt8__detail15_List_node_base9_M_unhookEv", [] { list.pop_back(); }, look},
  {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", [] { list.splice(list.begin(), other); }, look},
  {"_ZNSt8__detail15_List_node_base10_M_reverseEv", [] { list.reverse(); }, look},
  {"_ZNSt8__detail15_List_node_base4swapERS0_S1_", [] { list.swap(other); }, look},
  {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", [] { set.insert(9); }, find},
  {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", [] { set.erase(8); }, find},
  {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", [] { ++at; }, [] { set.insert(9); }},
  {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", [] { ++fixed_at; }, [] { set.insert(9); }},
  {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", [] { --at; }, [] { set.insert(9); }},
  {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", [] { --fixed_at; }, [] { set.insert(9); }},
  {"_ZSt13set_terminatePFvvE", [] { std::set_terminate(handler); }, [] { assert(std::get_terminate() != handler); }},
  {"_ZSt13get_terminatev", [] { assert(std::get_terminate() != handler); }, [] { std::set_terminate(handler); }},
  {"_ZSt15set_new_handlerPFvvE", [] { std::set_new_handler(handler); }, [] { assert(std::get_new_handler() != handler); }},
  {"_ZSt15get_new_handlerv", [] { assert(std::get_new_handler() != handler); }, [] { std::set_new_handler(handler); }},
};

static std::mutex m;
static void work(int n)
{
  std::lock_guard<std::mutex> lock(m);
  std::list<int> mine{1, 2, 3, 4}, more{5, 6}, none;
  mine.splice(++mine.begin(), more);
  assert((mine == std::list<int>{1, 5, 6, 2, 3, 4}) && more.empty());
  mine.reverse();
  assert((mine == std::list<int>{4, 3, 2, 6, 5, 1}));
  mine.splice(mine.begin(), mine, --mine.end());
  assert((mine == std::list<int>{1, 4, 3, 2, 6, 5}));
  mine.sort();
  mine.swap(none);
  assert((none == std::list<int>{1, 2, 3, 4, 5, 6}) && mine.empty());
  none.remove(3);
  mine.swap(none);
  mine.swap(none);
  assert(none.size() == 5 && first() == 1);
  for (int i = 0; i < 40; i++)
    set.insert((i * 7 + n) % 50);
  for (int i = 0; i < 25; i++)
    set.erase(2 * i);
  int last = -1;
  for (int x : same) {
    assert(x > last && x % 2);
    last = x;
  }
  for (auto from = set.end(); from != set.begin();) {
    --from;
    assert(*from <= last);
    last = *from;
  }
}

int main(int argc, char **argv)
{
  for (auto &c : cases)
    if (argc > 1 && !std::strcmp(c.name, argv[1])) {
      std::thread thread(c.change);
      c.look();
      thread.join();
      return 0;
    }
  std::thread a(work, 0), b(work, 3);
  a.join();
  b.join();
  return 0;
}
END
"$heddle" c++ -g -O1 cases.cc -o cases || exit 1

for name in $(grep -o '"_Z[^"]*"' cases.cc | tr -d '"'); do
  expect_status "$name is seen" 1 "$heddle" explore --no-page ./cases -- "$name"
done
expect_output "with a lock, lists and trees are what they should be" 'no bug in any interleaving \(complete\)' "$heddle" explore ./cases
