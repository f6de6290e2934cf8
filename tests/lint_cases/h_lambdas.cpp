/* SPDX-License-Identifier: Apache-2.0
 *
 * Lambdas are functions: those of threads run in threads, and what they capture by reference is given to them.
 */
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static bool ready;

static int hour(std::time_t now)
{
  return std::localtime(&now)->tm_hour; /* ! one-thread-function */
}

static int own_hour(std::time_t now)
{
  return std::gmtime(&now)->tm_hour; /* right one-thread-function */
}

void in_a_thread(std::time_t now)
{
  std::thread thread([now] { hour(now); });
  thread.join();
  own_hour(now);
}

void itself(std::time_t now)
{
  std::thread thread([now] {
    std::asctime(std::gmtime(&now)); /* ! one-thread-function */
  });
  thread.join();
}

void by_async(std::time_t now)
{
  std::async(std::launch::async, [now] {
    std::ctime(&now); /* ! one-thread-function */
  }).get();
}

void not_in_one(std::vector<std::time_t> &all)
{
  std::for_each(all.begin(), all.end(), [](std::time_t now) {
    std::ctime(&now); /* right one-thread-function */
  });
}

/* It is called in the thread. */
static void each_of(std::vector<std::time_t> &all)
{
  std::for_each(all.begin(), all.end(), [](std::time_t now) {
    std::ctime(&now); /* ! one-thread-function */
  });
}

void with_another(std::vector<std::time_t> &all)
{
  std::thread thread([&all] { each_of(all); });
  thread.join();
}

void handles()
{
  std::signal(SIGINT, [](int) {
    std::puts("!"); /* ! unsafe-in-handler */
  });
  std::signal(SIGTERM, [](int) {
    std::_Exit(1); /* right unsafe-in-handler */
  });
}

/* ---- captures ---- */

static void use(int *number)
{
  ++*number;
}

void detached_with_all(int number)
{
  int copy = number;
  std::thread([&] { use(&copy); }).detach(); /* ! local-to-detached */
}

void detached_with_one(int number)
{
  int copy = number;
  std::thread([&copy] { use(&copy); }).detach(); /* ! local-to-detached */
}

void detached_with_copies(int number)
{
  int copy = number;
  std::thread([=]() mutable { use(&copy); }).detach(); /* right local-to-detached */
}

void detached_with_a_reference(int &number)
{
  int &other = number;
  std::thread([&] { use(&other); }).detach(); /* right local-to-detached */
}

void joined_with_all(int number)
{
  int copy = number;
  std::thread thread([&] { use(&copy); }); /* right local-to-detached */
  thread.join();
}

/* ---- conditions ---- */

static std::condition_variable changed;

void waits_with_a_lambda()
{
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] { return ready; });
}

void wakes()
{
  std::thread thread([] {
    std::lock_guard<std::mutex> lock(mutex);
    ready = true; /* right unlocked-predicate */
    changed.notify_one();
  });
  thread.detach();
}
