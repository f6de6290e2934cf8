#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A C++ project of several files that share templates, inline functions and exceptions: it links with each compiler and
# linker, its bug is found, its twin is proven, and its inline functions can be watched (--calls).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >store.hpp <<'EOF_C'
#pragma once
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>
template <typename T> struct Shelf {
  std::map<std::string, std::vector<T>> boxes;
  void put(const std::string &name, const T &thing) { boxes[name].push_back(thing); }
  const T &last(const std::string &name) const
  {
    auto box = boxes.find(name);
    if (box == boxes.end() || box->second.empty())
      throw std::runtime_error("nothing in " + name);
    return box->second.back();
  }
};
struct Store {
  Shelf<std::string> shelf;
  std::mutex lock;
  int count = 0;
  void add() { count = count + 1; }
};
inline Store &store()
{
  static Store the_store;
  return the_store;
}
void fill(const std::string &name);
std::string look(const std::string &name);
EOF_C
cat >fill.cpp <<'EOF_C'
#include "store.hpp"
void fill(const std::string &name)
{
#ifdef FIXED
  std::lock_guard<std::mutex> guard(store().lock);
#endif
  store().add();
}
EOF_C
cat >look.cpp <<'EOF_C'
#include "store.hpp"
std::string look(const std::string &name)
{
  try {
    return store().shelf.last(name);
  } catch (const std::exception &e) {
    return e.what();
  }
}
EOF_C
cat >main.cpp <<'EOF_C'
#include "store.hpp"
#include <cassert>
#include <thread>
int main()
{
  store().shelf.put("a", "1");
  assert(look("a") == "1" && look("b") == "nothing in b");
  std::thread other([] { fill("a"); });
  fill("b");
  other.join();
  assert(store().count == 2);
  return 0;
}
EOF_C

objects() { # OPTIONS...
  for source in main fill look; do "$heddle" c++ -std=c++17 "$@" -c $source.cpp -o $source.o || return 1; done
}
links() { "$heddle" c++ -fuse-ld="$1" main.o fill.o look.o -o prog && ./prog; }
for c in g++ clang++; do
  export HEDDLE_CXX=$c
  check "$c: compiles" objects -O1 -ffunction-sections -DFIXED
  for linker in gold lld bfd; do
    check "$c: is linked by $linker, and runs alone" links $linker
  done
  expect_output "$c: the twin is proven" 'no bug in any interleaving \(complete\)' "$heddle" explore prog
  check "$c: all in one command" "$heddle" c++ main.cpp fill.cpp look.cpp -o prog
  expect_output "$c: the lost update is found" 'count == 2' "$heddle" check --calls 'Store::*' prog
  expect_output "$c: an inline function is watched" ' calls +Store::add' "$heddle" replay --trace heddle-out/prog-1.hd
  rm -rf heddle-out
done
