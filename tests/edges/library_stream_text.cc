/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread gives a stream another text while main asks for it, with the functions that C++20 has for that.
 *
 * verdict: found
 * flags: -std=c++20
 */
#include <cassert>
#include <sstream>
#include <string>
#include <thread>

int main()
{
  std::stringstream stream;
  std::thread other([&] { stream.str(std::string("new")); });
  const std::string text = stream.str();
  other.join();
  assert(text.empty());
}
