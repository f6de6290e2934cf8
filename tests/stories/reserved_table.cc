/* SPDX-License-Identifier: Apache-2.0
 *
 * A hazard pointer that is written after the reclaimer has looked.
 * tell: bug +a hazard pointer is published after others have looked for it: T1 takes the pointer from `menu` at
 * tell: fix +after writing `reserved` T1 must read `menu` again, and begin anew if it has changed
 */
#include <atomic>
#include <thread>

struct card {
  int price;
};

static std::atomic<card *> menu{new card{7}};
static std::atomic<card *> reserved{nullptr};
static card *postponed;
static int paid;

static void eat()
{
  card *c = menu.load();
#ifdef FIXED
  do {
    c = menu.load();
    reserved.store(c);
  } while (menu.load() != c);
#else
  reserved.store(c);
#endif
  if (c)
    paid = c->price;
  reserved.store(nullptr);
}

static void change_menu()
{
  card *old = menu.exchange(nullptr);
  if (reserved.load() != old)
    delete old;
  else
    postponed = old;
}

int main()
{
  std::thread guest(eat), cook(change_menu);
  guest.join();
  cook.join();
}
