/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream of wide characters, of which heddle sees nothing in the library: two threads use one without a lock, and that is
 * no proof.
 *
 * verdict: noproof
 * expect-text: library of which not all was seen
 */
#include <cassert>
#include <sstream>
#include <thread>

int main()
{
  std::wostringstream text;
  std::thread other([&] { text << 4; });
  text << 2;
  other.join();
  assert(text.str() == L"24");
}
