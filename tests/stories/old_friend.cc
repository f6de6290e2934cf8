/* SPDX-License-Identifier: Apache-2.0
 *
 * A weak_ptr is asked whether it has expired, and locked after that, without a look at what comes of it.
 * tell: bug +an object goes between the question whether it is there and the use of it: T\d asks expired\(\) at
 * tell: fix +call lock\(\) once and test the shared_ptr that it returns
 */
#include <memory>
#include <thread>

struct friend_of {
  int age = 40;
};

static std::shared_ptr<friend_of> friendship = std::make_shared<friend_of>();
static std::weak_ptr<friend_of> address = friendship;
static int age;

static void call()
{
#ifdef FIXED
  if (std::shared_ptr<friend_of> f = address.lock())
    age = f->age;
#else
  if (!address.expired())
    age = address.lock()->age;
#endif
}

int main()
{
  std::thread caller(call);
  friendship.reset();
  caller.join();
}
