/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread assigns to a string while another one compares it.
 *
 * verdict: find
 */
#include <cassert>
#include <string>
#include <thread>

static std::string text;

int main()
{
  std::thread writer([] { text = "abc"; });
  assert(text.compare("abc") != 0);
  writer.join();
  return 0;
}
