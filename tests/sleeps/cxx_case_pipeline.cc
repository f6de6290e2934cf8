// SPDX-License-Identifier: Apache-2.0
//
// Tests in the style of Catch: the second stage has what the first one made. BUG: each
// thread has an own copy of that.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

#define REQUIRE(condition) \
  do { \
    if (!(condition)) { \
      std::cerr << "line " << __LINE__ << ": " #condition "\n"; \
      std::_Exit(1); \
    } \
  } while (0)

struct Case {
  Case(const char *name, void (*body)()) : name(name), body(body), next(first) { first = this; }
  const char *name;
  void (*body)();
  Case *next;
  static Case *first;
};
Case *Case::first;

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define TEST_CASE(name) \
  static void JOINED(body, __LINE__)(); \
  static Case JOINED(entry, __LINE__){name, JOINED(body, __LINE__)}; \
  static void JOINED(body, __LINE__)()

namespace stage {
std::mutex guard;
#ifdef BUG
thread_local int made;
#else
int made;
#endif
int used;

void first()
{
  std::lock_guard<std::mutex> hold{guard};
  made = 1'000;
}

void second()
{
  std::lock_guard<std::mutex> hold{guard};
  used = made;
}
} // namespace stage

TEST_CASE("the second stage has what the first one made")
{
  std::thread one([]() { stage::first(); });
  auto two = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60)); // the first one is done by now
    stage::second();
  };
  std::thread other(two);
  one.join();
  other.join();
  REQUIRE(stage::used == 1'000);
}

int main()
{
  for (Case *one = Case::first; one; one = one->next)
    one->body();
  return 0;
}
