/* SPDX-License-Identifier: Apache-2.0
 *
 * A value that is there when the thread ends: what the thread's variables did when they were destroyed came before.
 *
 * verdict: complete
 */
#include <cassert>
#include <future>
#include <thread>

struct closer {
  int *closed = nullptr;
  ~closer()
  {
    if (closed)
      *closed = 1;
  }
};
static thread_local closer at_end;

int main()
{
  int closed = 0;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] {
    at_end.closed = &closed;
    promise.set_value_at_thread_exit(7);
  });
  assert(future.get() == 7 && closed == 1);
  thread.join();
}
