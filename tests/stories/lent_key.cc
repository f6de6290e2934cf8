/* SPDX-License-Identifier: Apache-2.0
 *
 * A key is found on the board by its name, and handed back before it is used: the board's lock guards the board, not
 * the key. The key is made where it is put on the board, behind many calls of the library.
 * tell: writes +\(new key\)->valid +← false
 * tell: reads +\(new key\)->valid +→ false
 */
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct key {
  int turns = 0;
  bool valid = true;
#ifdef FIXED
  std::mutex lock;
#endif

  void turn()
  {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
    if (!valid)
      return;
#endif
    assert(valid);
    turns++;
  }

  void hand_back()
  {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
    valid = false;
  }
};

class board
{
  std::mutex m;
  std::map<std::string, std::shared_ptr<key>> all;

public:
  void put(const std::string &room)
  {
    std::lock_guard<std::mutex> guard(m);
    all[room] = std::make_shared<key>();
  }

  std::shared_ptr<key> find(const std::string &room)
  {
    std::lock_guard<std::mutex> guard(m);
    auto at = all.find(room);
    return at == all.end() ? nullptr : at->second;
  }

  void take_off(const std::string &room)
  {
    std::shared_ptr<key> gone = find(room);
    {
      std::lock_guard<std::mutex> guard(m);
      all.erase(room);
    }
    if (gone)
      gone->hand_back();
  }
};

int main()
{
  board b;
  b.put("attic");
  std::thread guest([&] {
    if (auto k = b.find("attic"))
      k->turn();
  });
  std::thread porter([&] { b.take_off("attic"); });
  guest.join();
  porter.join();
}
