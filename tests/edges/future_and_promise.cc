/* SPDX-License-Identifier: Apache-2.0
 *
 * A promise is kept by another thread.
 *
 * verdict: complete
 */
#include <cassert>
#include <future>
#include <thread>

int main()
{
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread keeper([&promise] { promise.set_value(42); });
  assert(future.get() == 42);
  keeper.join();
  return 0;
}
