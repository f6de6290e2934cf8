/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread gives a stream another text, and main asks for it when the thread has ended, with the functions that C++20
 * has for that.
 *
 * verdict: quiet
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
  other.join();
  const std::string text = stream.str();
  assert(text == "new");
}
