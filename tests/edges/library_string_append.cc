/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads append to a string without a lock.
 *
 * verdict: noproof
 */
#include <cassert>
#include <string>
#include <thread>

static std::string text;

static void append()
{
  for (int i = 0; i < 4; i++)
    text.append("a few words");
}

int main()
{
  std::thread other(append);
  append();
  other.join();
  assert(text.size() == 88);
  return 0;
}
