/* SPDX-License-Identifier: Apache-2.0
 *
 * Two folders merge into each other, a << b and b << a, and each locks itself first and its partner second. One holds
 * a and wants b, the other holds b and wants a. The twin locks in the order of the folders' numbers.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <cassert>
#include <mutex>
#include <thread>

struct folder {
  int number;
  int pages;
  std::mutex lock;

  void merge(folder &from)
  {
#ifdef FIXED
    bool me_first = number < from.number;
#else
    bool me_first = true;
#endif
    std::lock_guard<std::mutex> first(me_first ? lock : from.lock);
    std::lock_guard<std::mutex> second(me_first ? from.lock : lock);
    pages += from.pages;
    from.pages = 0;
  }
};

int main()
{
  folder a{1, 10, {}};
  folder b{2, 20, {}};

  std::thread left([&] { a.merge(b); });
  std::thread right([&] { b.merge(a); });
  left.join();
  right.join();
  assert(a.pages + b.pages == 30);
  return 0;
}
