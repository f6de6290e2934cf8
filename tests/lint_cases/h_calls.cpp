/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs in a thread that C++ creates.
 */
#include <ctime>
#include <thread>

static int hour(std::time_t now)
{
  return std::localtime(&now)->tm_hour; /* ! one-thread-function */
}

static void given_to_a_temporary(int number)
{
  hour(number);
}

static int other_hour(std::time_t now)
{
  return std::localtime(&now)->tm_hour; /* right one-thread-function */
}

void start(int number)
{
  std::thread(given_to_a_temporary, number).detach();
  other_hour(number);
}
