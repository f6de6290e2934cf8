// SPDX-License-Identifier: Apache-2.0
//
// C++: the standard library's threads and locks, function-local statics, exceptions, thread_local objects, atomic waits.
#include "case.h"
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::atomic<int> flag, ran;

static void yield_until(const std::atomic<int> &value)
{
  while (!value.load())
    std::this_thread::yield();
}

// ---- std::thread ----

CASE(std_thread, join_and_arguments, proceeds)
{
  int sum = 0;
  std::thread t([&](int a, const std::string &b) { sum = a + (int)b.size(); }, 3, "four");
  t.join();
  EXPECT(sum == 7);
  SAW("proceeds");
}

CASE(std_thread, detach, proceeds)
{
  std::thread([] { flag = 1; }).detach();
  yield_until(flag);
  SAW("proceeds");
}

CASE(std_thread, join_self, EDEADLK)
{
  std::thread t;
  std::atomic<bool> ready{false};
  t = std::thread([&] {
    while (!ready)
      std::this_thread::yield();
    try {
      t.join();
    } catch (const std::system_error &e) {
      EXPECT(e.code() == std::errc::resource_deadlock_would_occur);
      SAW("EDEADLK");
    }
  });
  ready = true;
  std::this_thread::yield();
  while (!t.joinable())
    std::this_thread::yield();
  t.join();
}

static std::thread *joined_thread;

static void join_it()
{
  joined_thread->join();
}

static void let_it_end()
{
  flag = 1;
}

CASE(std_thread, join_of_a_running_thread, blocks)
{
  std::thread t([] { yield_until(flag); });
  joined_thread = &t;
  blocks_until("std_thread", join_it, let_it_end);
}

BUG(crash, std_thread, destroyed_without_join, "terminate")
{
  std::thread t([] { yield_until(flag); });
}

CASE(std_jthread, stops_and_joins, proceeds)
{
  std::jthread t([](std::stop_token stop) {
    while (!stop.stop_requested())
      std::this_thread::yield();
    ran = 1;
  });
  t = std::jthread();
  EXPECT(ran == 1);
  SAW("proceeds");
}

CASE(std_thread, ids_and_concurrency)
{
  std::thread::id id;
  std::thread t([&] { id = std::this_thread::get_id(); });
  std::thread::id expected = t.get_id();
  t.join();
  EXPECT(id == expected && id != std::this_thread::get_id());
  SAME("hardware_concurrency", "%u", std::thread::hardware_concurrency());
}

// ---- mutexes ----

static std::mutex m;
static std::recursive_mutex rm;
static std::timed_mutex tm_;
static std::recursive_timed_mutex rtm;
static std::shared_mutex sm;
static std::shared_timed_mutex stm;

static void lock_m()
{
  std::lock_guard<std::mutex> guard(m);
}

static void unlock_m()
{
  m.unlock();
}

CASE(std_mutex, held_by_another, blocks, proceeds)
{
  m.lock();
  SAW("proceeds");
  blocks_until("std_mutex", lock_m, unlock_m);
}

CASE(std_mutex, try_lock, proceeds, EBUSY)
{
  std::thread t([] {
    bool got = m.try_lock();
    SAW(got ? "proceeds" : "EBUSY");
    if (got)
      m.unlock();
  });
  m.lock();
  m.unlock();
  t.join();
}

DEADLOCK(std_mutex, twice, "which it holds itself")
{
  m.lock();
  m.lock();
}

MISUSE(std_mutex, unlock_of_an_unlocked_one, "unlocks a mutex that is not locked")
{
  m.unlock();
}

static void lock_rm()
{
  rm.lock();
  rm.unlock();
}

static void unlock_rm()
{
  rm.unlock();
}

CASE(std_recursive_mutex, twice, blocks, proceeds)
{
  rm.lock();
  rm.lock();
  rm.unlock();
  SAW("proceeds");
  blocks_until("std_recursive_mutex", lock_rm, unlock_rm);
}

CASE(std_timed_mutex, in_time_or_not, proceeds, ETIMEDOUT)
{
  std::thread t([] {
    bool got = tm_.try_lock_for(5s);
    SAW(got ? "proceeds" : "ETIMEDOUT");
    if (got)
      tm_.unlock();
    got = tm_.try_lock_until(std::chrono::system_clock::now() + 1h);
    SAW(got ? "proceeds" : "ETIMEDOUT");
    if (got)
      tm_.unlock();
  });
  tm_.lock();
  std::this_thread::yield();
  tm_.unlock();
  t.join();
}

CASE(std_timed_mutex, recursive_one, proceeds)
{
  rtm.lock();
  EXPECT(rtm.try_lock_for(1s));
  rtm.unlock();
  rtm.unlock();
  SAW("proceeds");
}

static int in_both;

CASE(std_scoped_lock, opposite_orders, proceeds)
{
  static std::mutex a, b;
  auto work = [](std::mutex &x, std::mutex &y) {
    std::scoped_lock guard(x, y);
    in_both++;
  };
  std::thread t(work, std::ref(a), std::ref(b));
  work(b, a);
  t.join();
  EXPECT(in_both == 2);
  SAW("proceeds");
}

static void write_sm()
{
  std::unique_lock<std::shared_mutex> guard(sm);
}

static void unread_sm()
{
  sm.unlock_shared();
}

CASE(std_shared_mutex, readers_and_a_writer, blocks, proceeds)
{
  sm.lock_shared();
  std::thread([] { std::shared_lock<std::shared_mutex> guard(sm); }).join();
  SAW("proceeds");
  blocks_until("std_shared_mutex", write_sm, unread_sm);
}

CASE(std_shared_mutex, timed, proceeds, ETIMEDOUT)
{
  std::thread t([] {
    bool got = stm.try_lock_shared_for(5s);
    SAW(got ? "proceeds" : "ETIMEDOUT");
    if (got)
      stm.unlock_shared();
  });
  stm.lock();
  std::this_thread::yield();
  stm.unlock();
  t.join();
}

// ---- condition variables ----

static std::condition_variable cv;
static bool ready;

static void wait_ready()
{
  std::unique_lock<std::mutex> lock(m);
  cv.wait(lock, [] { return ready; });
}

static void make_ready()
{
  std::lock_guard<std::mutex> lock(m);
  ready = true;
  cv.notify_one();
}

CASE(std_condition_variable, until_notified, blocks)
{
  blocks_until("std_condition_variable", wait_ready, make_ready);
}

CASE(std_condition_variable, in_time_or_not, proceeds, ETIMEDOUT)
{
  std::thread t([] {
    std::unique_lock<std::mutex> lock(m);
    SAW(cv.wait_for(lock, 5s, [] { return ready; }) ? "proceeds" : "ETIMEDOUT");
    cv.wait_until(lock, std::chrono::system_clock::now() + 1s, [] { return ready; });
  });
  make_ready();
  t.join();
}

static void use_one_on_the_stack()
{
  std::mutex mutex;
  std::condition_variable local;
  bool done = false;
  std::thread t([&] {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
    local.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    local.wait(lock, [&] { return done; });
  }
  t.join();
}

CASE(std_condition_variable, another_one_at_the_same_place)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
}

CASE(std_condition_variable, any, proceeds)
{
  std::condition_variable_any any;
  std::thread t([&] {
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    any.notify_all();
  });
  m.lock();
  while (!ready)
    any.wait(m);
  m.unlock();
  t.join();
  SAW("proceeds");
}

DEADLOCK(std_condition_variable, lost_notification, "nobody is left to signal")
{
  std::thread t([] { cv.notify_one(); });
  {
    std::unique_lock<std::mutex> lock(m);
    cv.wait(lock);
  }
  t.join();
}

// ---- atomics ----

static std::atomic<int> value;

static void wait_for_value()
{
  value.wait(0);
}

static void change_value()
{
  value = 1;
  value.notify_one();
}

CASE(std_atomic_wait, int_until_notified, blocks)
{
  blocks_until("std_atomic_wait", wait_for_value, change_value);
}

static std::atomic<long long> wide;

static void wait_for_wide()
{
  wide.wait(0);
}

static void change_wide()
{
  wide = 1;
  wide.notify_all();
}

CASE(std_atomic_wait, wide_until_notified, blocks)
{
  blocks_until("std_atomic_wait", wait_for_wide, change_wide);
}

static std::atomic_flag af = ATOMIC_FLAG_INIT;

static void wait_for_flag()
{
  af.wait(false);
}

static void set_flag()
{
  af.test_and_set();
  af.notify_all();
}

CASE(std_atomic_wait, atomic_flag, blocks)
{
  blocks_until("std_atomic_wait", wait_for_flag, set_flag);
}

CASE(std_atomic_wait, another_value_already, proceeds)
{
  value.wait(5);
  SAW("proceeds");
}

DEADLOCK(std_atomic_wait, never_notified, "futex")
{
  value.wait(0);
}

static std::counting_semaphore<4> sem(0);

static void acquire_sem()
{
  sem.acquire();
}

static void release_sem()
{
  sem.release();
}

CASE(std_semaphore, until_released, blocks)
{
  blocks_until("std_semaphore", acquire_sem, release_sem);
}

CASE(std_semaphore, in_time_or_not, proceeds, ETIMEDOUT)
{
  EXPECT(!sem.try_acquire_for(5s));
  SAW("ETIMEDOUT");
  std::thread t([] { sem.release(); });
  if (!sem.try_acquire_for(5s))
    sem.acquire();
  SAW("proceeds");
  EXPECT(!sem.try_acquire_until(std::chrono::system_clock::now() + 1h));
  t.join();
}

static std::latch latch(1);

static void wait_latch()
{
  latch.wait();
}

static void open_latch()
{
  latch.count_down();
}

CASE(std_latch, until_counted_down, blocks)
{
  blocks_until("std_latch", wait_latch, open_latch);
}

static std::barrier bar(2);

static void arrive()
{
  bar.arrive_and_wait();
}

CASE(std_barrier, until_all_are_there, blocks)
{
  blocks_until("std_barrier", arrive, arrive);
}

// ---- function-local statics, std::call_once ----

struct counted {
  counted()
  {
    ran++;
    std::this_thread::yield();
    content = 42;
  }
  int content;
};

static counted &single()
{
  static counted instance;
  return instance;
}

CASE(__cxa_guard_acquire, one_construction, proceeds, __cxa_guard_release:proceeds)
{
  std::thread a([] { EXPECT(single().content == 42); });
  std::thread b([] { EXPECT(single().content == 42); });
  a.join();
  b.join();
  EXPECT(ran == 1);
  SAW("proceeds");
  SEE("__cxa_guard_release", "proceeds");
}

struct gated {
  gated()
  {
    flag = 1;
    std::lock_guard<std::mutex> lock(m);
  }
};

static void use_gated()
{
  static gated instance;
  (void)instance;
}

CASE(__cxa_guard_acquire, while_another_constructs, blocks)
{
  m.lock();
  std::thread first(use_gated);
  yield_until(flag);
  blocks_until("__cxa_guard_acquire", use_gated, unlock_m);
  first.join();
}

struct fails_once {
  fails_once()
  {
    if (++ran == 1)
      throw std::runtime_error("first");
  }
};

static bool use_fails_once()
{
  try {
    static fails_once instance;
    (void)instance;
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}

CASE(__cxa_guard_abort, exception_in_the_constructor, proceeds)
{
  std::atomic<int> failures{0};
  auto work = [&] {
    if (!use_fails_once())
      failures++;
  };
  std::thread t(work);
  work();
  t.join();
  EXPECT(use_fails_once());
  EXPECT(failures == 1 && ran == 2);
  SAW("proceeds");
}

struct recursive_static {
  explicit recursive_static(int depth);
};

static void use_recursive(int depth)
{
  static recursive_static instance(depth);
  (void)instance;
}

recursive_static::recursive_static(int depth)
{
  use_recursive(depth + 1);
}

DEADLOCK(__cxa_guard_acquire, in_its_own_constructor, "itself")
{
  use_recursive(0);
}

CASE(std_call_once, exception_then_again, proceeds, runs_again)
{
  static std::once_flag once;
  std::atomic<int> failures{0};
  auto work = [&] {
    try {
      std::call_once(once, [] {
        if (++ran == 1)
          throw std::runtime_error("first");
      });
    } catch (const std::runtime_error &) {
      failures++;
      SAW("runs_again");
    }
  };
  std::thread t(work);
  work();
  t.join();
  EXPECT(failures == 1);
  work();
  EXPECT(ran == 2);
  SAW("proceeds");
  SEE("pthread_once", "runs_again");
}

static void once_on_the_stack()
{
  std::once_flag once;
  std::call_once(once, [] { ran++; });
}

CASE(std_call_once, another_one_at_the_same_place)
{
  once_on_the_stack();
  once_on_the_stack();
  EXPECT(ran == 2);
}

// ---- exceptions ----

static __attribute__((noinline)) void throw_deep(int depth)
{
  std::string local(100, 'x');
  if (depth == 0)
    throw std::logic_error("deep");
  throw_deep(depth - 1);
  EXPECT(local.size() == 100);
}

CASE(exceptions, in_several_threads, caught)
{
  auto work = [] {
    try {
      std::this_thread::yield();
      throw_deep(5);
    } catch (const std::logic_error &e) {
      std::this_thread::yield(); // another thread throws while this one is handling
      EXPECT(std::string(e.what()) == "deep");
      EXPECT(std::uncaught_exceptions() == 0);
      SAW("caught");
    }
  };
  std::thread a(work), b(work);
  work();
  a.join();
  b.join();
}

CASE(exceptions, unlock_on_the_way_out)
{
  try {
    std::lock_guard<std::mutex> guard(m);
    throw 7;
  } catch (int) {
  }
  EXPECT(m.try_lock());
  m.unlock();
}

BUG(crash, exceptions, uncaught_in_a_thread, "nobody catches it")
{
  std::thread t([] { throw std::runtime_error("nobody catches it"); });
  t.join();
}

BUG(crash, exceptions, uncaught_in_main, "nobody catches it")
{
  throw std::runtime_error("nobody catches it");
}

static void *handed;

static void *throw_to_the_other(void *)
{
  try {
    throw std::runtime_error("carried over");
  } catch (...) {
    handed = new std::exception_ptr(std::current_exception());
  }
  return nullptr;
}

CASE(exceptions, carried_to_another_thread, caught)
{
  finish(start(throw_to_the_other, nullptr));
  std::unique_ptr<std::exception_ptr> carried((std::exception_ptr *)handed);
  handed = nullptr;
  try {
    std::rethrow_exception(*carried);
  } catch (const std::runtime_error &e) {
    EXPECT(std::string(e.what()) == "carried over");
    SAW("caught");
  }
}

// ---- pthread_exit and cancellation through C++ frames ----

struct notes_destruction {
  ~notes_destruction() { ran++; }
};

static void *exit_through_frames(void *arg)
{
  notes_destruction object;
  try {
    pthread_exit(arg);
  } catch (...) {
    ran++;
    throw;
  }
  return nullptr;
}

CASE(pthread_exit, destroys_objects, destroys_objects)
{
  EXPECT(finish(start(exit_through_frames, &ran)) == &ran);
  EXPECT(ran == 2);
  SAW("destroys_objects");
}

static void *sleep_with_object(void *)
{
  notes_destruction object;
  flag = 1;
  for (;;)
    sleep(1);
}

CASE(pthread_cancel, destroys_objects, destroys_objects)
{
  pthread_t t = start(sleep_with_object, nullptr);
  yield_until(flag);
  EXPECT(pthread_cancel(t) == 0);
  EXPECT(finish(t) == PTHREAD_CANCELED);
  EXPECT(ran == 1);
  SAW("destroys_objects");
}

// ---- thread_local ----

struct local_object {
  local_object() { ADD(entered_); }
  ~local_object() { ADD(left_); }
  int uses = 0;
};

static thread_local local_object mine;

CASE(thread_local_, constructed_and_destroyed_in_each_thread, destructor)
{
  auto use = [] { EXPECT(++mine.uses == 1); };
  std::thread a(use), b(use);
  a.join();
  b.join();
  EXPECT(GET(entered_) == 2 && GET(left_) == 2);
  SAW("destructor");
}

static void *exit_with_local(void *arg)
{
  mine.uses++;
  pthread_exit(arg);
}

CASE(thread_local_, destroyed_after_pthread_exit, destructor)
{
  finish(start(exit_with_local, nullptr));
  EXPECT(GET(left_) == 1);
  SAW("destructor");
}

static void note_local_at_exit()
{
  if (GET(left_) == 1)
    SEE("thread_local_", "destructor_of_main");
}

CASE(thread_local_, of_main_at_exit, destructor_of_main)
{
  atexit(note_local_at_exit);
  mine.uses++;
}

// ---- futures ----

CASE(std_async, value_and_exception, proceeds)
{
  auto a = std::async(std::launch::async, [] { return 42; });
  auto b = std::async(std::launch::async, []() -> int { throw std::runtime_error("async"); });
  auto c = std::async(std::launch::deferred, [] { return 43; });
  EXPECT(a.get() == 42 && c.get() == 43);
  try {
    b.get();
    EXPECT(false);
  } catch (const std::runtime_error &) {
    SAW("proceeds");
  }
}

CASE(std_future, in_time_or_not, proceeds, ETIMEDOUT)
{
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread t([&] { promise.set_value(1); });
  SAW(future.wait_for(1s) == std::future_status::ready ? "proceeds" : "ETIMEDOUT");
  EXPECT(future.get() == 1);
  t.join();
}

static std::promise<int> *the_promise;
static std::future<int> the_future;

static void wait_for_future()
{
  EXPECT(the_future.get() == 1);
}

static void keep_promise()
{
  the_promise->set_value(1);
}

CASE(std_future, until_the_promise_is_kept, blocks)
{
  std::promise<int> promise;
  the_promise = &promise;
  the_future = promise.get_future();
  blocks_until("std_future", wait_for_future, keep_promise);
  the_future = std::future<int>();
}

// The library is not instrumented: what it orders by atomic variables of its own looks like a race.
CASE_WITH("--races ignore", std_future, at_thread_exit, at_thread_exit)
{
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread t([&] {
    promise.set_value_at_thread_exit(5);
    std::this_thread::yield();
    flag = 1;
  });
  EXPECT(future.get() == 5);
  EXPECT(flag == 1);
  SAW("at_thread_exit");
  t.join();
}

CASE(std_future, packaged_task, proceeds)
{
  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  auto future = task.get_future();
  std::thread t(std::move(task), 41);
  EXPECT(future.get() == 42);
  t.join();
  SAW("proceeds");
}

// ---- time, randomness, memory ----

CASE(std_this_thread_sleep_for, an_hour, proceeds)
{
  auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(1h);
  EXPECT(std::chrono::steady_clock::now() - before >= 1h);
  std::this_thread::sleep_until(std::chrono::system_clock::now() + 1h);
  EXPECT(std::chrono::steady_clock::now() - before >= 2h);
  SAW("proceeds");
}

CASE(std_random_device, same_everywhere, proceeds)
{
  std::random_device device;
  SAME("random_device", "%u", device());
  SEE("_ZNSt13random_device9_M_getvalEv", "proceeds");
  SAW("proceeds");
}

BUG(memory, operator_new, deleted_twice, "double free")
{
  int *volatile p = new int(1);
  delete p;
  int *volatile q = p;
  delete q;
}

BUG(memory, operator_new, used_after_delete, "use after free")
{
  volatile int *p = new int(1);
  int *volatile q = (int *)p;
  delete q;
  *p = 2;
}

BUG(leak, operator_new, lost, "400 bytes are never freed")
{
  std::thread([] {
    int *volatile p = new int[100];
    p[0] = 1;
    p = nullptr;
  }).join();
}

static void fill_vector(std::vector<int> *v)
{
  for (int i = 0; i < 50; i++)
    v->push_back(i);
}

CASE(operator_new, containers, proceeds)
{
  std::vector<int> a, b;
  std::thread t(fill_vector, &a);
  fill_vector(&b);
  t.join();
  EXPECT(a == b);
  SAW("proceeds");
}

// ---- operator new and delete, in every form ----

static volatile size_t some = 100, huge = SIZE_MAX / 4;
static constexpr std::align_val_t wide_align{64};

static void *got(const char *form, void *p, size_t alignment)
{
  EXPECT(p && (uintptr_t)p % alignment == 0);
  memset(p, 1, some);
  SEE(form, "proceeds");
  return p;
}

template <class Allocate> static void throws(const char *form, Allocate allocate)
{
  try {
    allocate();
    EXPECT(!"it must throw");
  } catch (const std::bad_alloc &) {
    SEE(form, "bad_alloc");
  }
}

CASE(_Znwm, object_forms, proceeds, bad_alloc)
{
  ::operator delete(got("_Znwm", ::operator new(some), 16));
  ::operator delete(got("_ZnwmRKSt9nothrow_t", ::operator new(some, std::nothrow), 16), std::nothrow);
  ::operator delete(got("_Znwm", ::operator new(some), 16), some);
  ::operator delete(got("_ZnwmSt11align_val_t", ::operator new(some, wide_align), 64), wide_align);
  ::operator delete(got("_ZnwmSt11align_val_t", ::operator new(some, wide_align), 64), some, wide_align);
  SEE("_ZdlPv", "proceeds");
  SEE("_ZdlPvRKSt9nothrow_t", "proceeds");
  SEE("_ZdlPvm", "proceeds");
  SEE("_ZdlPvSt11align_val_t", "proceeds");
  SEE("_ZdlPvmSt11align_val_t", "proceeds");
  throws("_Znwm", [] { return ::operator new(huge); });
  throws("_ZnwmSt11align_val_t", [] { return ::operator new(huge, wide_align); });
  EXPECT(::operator new(huge, std::nothrow) == nullptr);
  SEE("_ZnwmRKSt9nothrow_t", "null");
}

CASE(_Znam, array_forms, proceeds, bad_alloc)
{
  ::operator delete[](got("_Znam", ::operator new[](some), 16));
  ::operator delete[](got("_ZnamRKSt9nothrow_t", ::operator new[](some, std::nothrow), 16), std::nothrow);
  ::operator delete[](got("_Znam", ::operator new[](some), 16), some);
  ::operator delete[](got("_ZnamSt11align_val_t", ::operator new[](some, wide_align), 64), wide_align);
  ::operator delete[](got("_ZnamSt11align_val_t", ::operator new[](some, wide_align), 64), some, wide_align);
  SEE("_ZdaPv", "proceeds");
  SEE("_ZdaPvRKSt9nothrow_t", "proceeds");
  SEE("_ZdaPvm", "proceeds");
  SEE("_ZdaPvSt11align_val_t", "proceeds");
  SEE("_ZdaPvmSt11align_val_t", "proceeds");
  throws("_Znam", [] { return ::operator new[](huge); });
  throws("_ZnamSt11align_val_t", [] { return ::operator new[](huge, wide_align); });
  EXPECT(::operator new[](huge, std::nothrow) == nullptr);
  SEE("_ZnamRKSt9nothrow_t", "null");
}
