/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads throw the same exception again, and each takes a copy of it, whose text is the one of the original: the
 * last of all that have it frees it, and that is ordered.
 *
 * verdict: complete
 */
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static void report(std::exception_ptr failure)
{
  try {
    std::rethrow_exception(std::move(failure));
  } catch (std::runtime_error error) {
    assert(error.what() == std::string("disk full"));
  }
}

int main()
{
  std::exception_ptr failure = std::make_exception_ptr(std::runtime_error("disk full"));
  std::thread first(report, failure), second(report, std::move(failure));
  first.join();
  second.join();
}
