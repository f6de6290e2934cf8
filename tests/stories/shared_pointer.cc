/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared_ptr is copied by one thread while another one assigns it. The free is told, and the access last.
 * tell: the block of 24 bytes was freed by T1 at shared_pointer\.cc:\d+ in reload
 * tell: T1 +\S+ +frees
 * tell: T1 has freed it
 * tell: bug +a shared_ptr is assigned while another thread copies it
 * tell: fix +the counts of a shared_ptr are atomic, the pointer itself is not
 */
#include <memory>
#include <mutex>
#include <thread>

struct settings {
  int version, limit;
};

static std::shared_ptr<settings> current = std::make_shared<settings>(settings{1, 10});
static std::mutex lock;

static std::unique_lock<std::mutex> guard()
{
#ifdef FIXED
  return std::unique_lock(lock);
#else
  return std::unique_lock(lock, std::defer_lock);
#endif
}

static void reload()
{
  auto fresh = std::make_shared<settings>(settings{2, 20});
  auto held = guard();
  current = fresh;
}

static int serve()
{
  auto held = guard();
  std::shared_ptr<settings> mine = current;
  return mine->limit / mine->version;
}

int main()
{
  std::thread writer(reload), reader(serve);
  writer.join();
  reader.join();
}
