/* SPDX-License-Identifier: Apache-2.0
 *
 * The default resource of memory is one for the whole program, and is set before the other thread may see it.
 *
 * verdict: complete
 * flags: -std=c++17
 */
#include <cassert>
#include <memory_resource>
#include <thread>

int main()
{
  std::thread setter([] { std::pmr::set_default_resource(std::pmr::null_memory_resource()); });
  setter.join();
  bool without = std::pmr::get_default_resource() == std::pmr::null_memory_resource();
  assert(without);
}
