/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread uses a variable of main(), which is deep in the library just then, where the second thread is made: the
 * variable is still there.
 *
 * verdict: complete
 * flags: -O0
 */
#include <atomic>
#include <thread>

int main()
{
  int guests = 0;
  auto arrive = [&] { __atomic_fetch_add(&guests, 1, __ATOMIC_SEQ_CST); };
  std::thread first(arrive), second(arrive);
  first.join();
  second.join();
  return guests - 2;
}
