/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads append to one path, one after the other.
 *
 * verdict: complete
 * flags: -std=c++17
 */
#include <cassert>
#include <filesystem>
#include <thread>

int main()
{
  std::filesystem::path folder("home");
  std::thread other([&] { folder /= "first"; });
  other.join();
  folder /= "second";
  assert(folder == "home/first/second");
}
