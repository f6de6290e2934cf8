/* SPDX-License-Identifier: Apache-2.0
 *
 * A guest that is told the news leaves, in the middle of the loop that tells all guests.
 * tell: bug +a loop goes on with an element that was freed inside of it: T1 is in \S*tell_all
 * tell: fix +go over a copy of the list, or step to the next element before the call
 */
#include <atomic>
#include <thread>

struct guest {
  bool shy;
  guest *next;
};

static guest *first = new guest{true, new guest{false, nullptr}};
static std::atomic<bool> loud{false};

static void leave(guest *g)
{
  first = g->next;
  delete g;
}

static void hear(guest *g)
{
  if (g->shy && loud)
    leave(g);
}

static void tell_all()
{
#ifdef FIXED
  for (guest *g = first, *next; g; g = next) {
    next = g->next;
    hear(g);
  }
#else
  for (guest *g = first; g; g = g->next)
    hear(g);
#endif
}

int main()
{
  std::thread host(tell_all);
  loud = true;
  host.join();
}
