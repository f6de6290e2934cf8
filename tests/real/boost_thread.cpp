// SPDX-License-Identifier: Apache-2.0
//
// Boost.Thread: a sync_queue, a barrier, interruption of a waiting thread, shared locks, thread_specific_ptr.
#define BOOST_THREAD_VERSION 4
#include <boost/thread/barrier.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/shared_mutex.hpp>
#include <boost/thread/sync_queue.hpp>
#include <boost/thread/thread.hpp>
#include <boost/thread/tss.hpp>
#include <iostream>

static boost::shared_mutex lock;
static int table = 0;
static boost::thread_specific_ptr<int> own;

int main()
{
  boost::sync_queue<int> queue;
  boost::barrier start(2);
  bool interrupted = false;
  auto produce = [&](int base) {
    own.reset(new int(base));
    start.wait();
    for (int i = 0; i < 2; i++) {
      {
        boost::unique_lock<boost::shared_mutex> hold(lock);
        table++;
      }
      queue.push(*own + i);
    }
  };
  boost::thread a(produce, 10), b(produce, 20);
  boost::thread sleeper([&] {
    boost::mutex m;
    boost::condition_variable never;
    boost::unique_lock<boost::mutex> hold(m);
    try {
      for (;;)
        never.wait(hold);
    } catch (const boost::thread_interrupted &) {
      interrupted = true;
    }
  });
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += queue.pull();
  sleeper.interrupt();
  a.join();
  b.join();
  sleeper.join();
  boost::shared_lock<boost::shared_mutex> hold(lock);
  std::cout << "sum " << sum << " table " << table << " interrupted " << interrupted << std::endl;
  return sum == 62 && table == 4 && interrupted ? 0 : 1;
}
