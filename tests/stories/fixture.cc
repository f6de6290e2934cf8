/* SPDX-License-Identifier: Apache-2.0
 *
 * A test fixture, made by a factory as test frameworks do: its members are told by name, not as an offset in a block.
 * tell: T\d +fixture\.cc:\d+ +writes +cache\.misses +← 1 +T\d's update is lost
 * tell: T\d reads `cache\.misses` at fixture\.cc:\d+
 * tell: fix +T\d must make its two accesses one atomic operation, or hold one lock
 */
#include <cassert>
#include <mutex>
#include <thread>

class Cache {
public:
  int get(int key)
  {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
    if (key > 3)
      misses++;
    return key;
  }
  std::mutex lock;
  int hits = 0, misses = 0;
};

class Fixture {
public:
  virtual ~Fixture() = default;
  virtual void body() = 0;
};

class CacheTest : public Fixture {
protected:
  long before[8] = {};
  Cache cache;
};

class CacheTest_Counts_Test : public CacheTest {
  void body() override
  {
    std::thread one([this] { cache.get(5); }), two([this] { cache.get(6); });
    one.join();
    two.join();
    assert(cache.misses == 2);
  }
};

template <class TestClass> struct Factory {
  Fixture *create()
  {
    return new TestClass;
  }
};

int main()
{
  Factory<CacheTest_Counts_Test> factory;
  Fixture *test = factory.create();
  test->body();
  delete test;
}
