/* SPDX-License-Identifier: Apache-2.0
 *
 * What std::set_terminate() sets is the whole program's, and any thread may ask for it.
 *
 * verdict: find
 */
#include <cassert>
#include <cstdlib>
#include <exception>
#include <thread>

static void end()
{
  std::abort();
}

int main()
{
  std::thread setter([] { std::set_terminate(end); });
  assert(std::get_terminate() != end);
  setter.join();
  return 0;
}
