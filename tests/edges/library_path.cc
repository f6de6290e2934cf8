/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads append to one path, without a lock.
 *
 * verdict: found
 * flags: -std=c++17
 */
#include <cassert>
#include <filesystem>
#include <thread>

int main()
{
  std::filesystem::path folder("home");
  std::thread other([&] { folder /= "first"; });
  folder /= "second";
  other.join();
  assert(folder == "home/second/first");
}
