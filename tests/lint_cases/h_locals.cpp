/* SPDX-License-Identifier: Apache-2.0
 *
 * The same in C++.
 */
#include <thread>

static void work(int *number)
{
  ++*number;
}

void detached(int number)
{
  int copy = number;
  std::thread thread(work, &copy); /* ! local-to-detached */
  thread.detach();
}

void joined(int number)
{
  int copy = number;
  std::thread thread(work, &copy); /* right local-to-detached */
  thread.join();
}

void detached_at_once(int number)
{
  int copy = number;
  std::thread(work, &copy).detach(); /* ! local-to-detached */
}

static int last;

void detached_with_a_global()
{
  std::thread(work, &last).detach(); /* right local-to-detached */
}
