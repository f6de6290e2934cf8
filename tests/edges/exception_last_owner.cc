/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever lets go of an exception last runs its destructor. Main believes that this is never main, but it is where the
 * other thread was faster.
 *
 * verdict: found
 */
#include <cassert>
#include <exception>
#include <thread>
#include <utility>

static thread_local int cleaned;

struct failure {
  failure() = default;
  failure(const failure &) = delete;
  ~failure() { cleaned++; }
};

int main()
{
  std::exception_ptr pointer;
  try {
    throw failure();
  } catch (const failure &) {
    pointer = std::current_exception();
  }
  std::thread other([](std::exception_ptr copy) { copy = nullptr; }, pointer);
  pointer = nullptr;
  other.join();
  assert(!cleaned);
}
