/* SPDX-License-Identifier: Apache-2.0
 *
 * A flag is set after the promise was kept: who waits for the promise may not see it. What the library does meanwhile,
 * with memory that has no name in the program, is told as the call that the program made.
 * tell: main promise\.cc:\d+ calls get\(\)
 * tell: T1 promise\.cc:\d+ calls set_value\(\) ▸ main promise\.cc:\d+ calls get\(\) main promise\.cc:\d+ atomically reads done → false
 */
#include <atomic>
#include <cassert>
#include <future>
#include <thread>

static std::atomic<bool> done;

static void work(std::promise<int> answer)
{
#ifdef FIXED
  done = true;
#endif
  answer.set_value(42);
#ifndef FIXED
  done = true;
#endif
}

int main()
{
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread worker(work, std::move(promise));
  answer.get();
  bool seen = done;
  worker.join();
  assert(seen);
}
