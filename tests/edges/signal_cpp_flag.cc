/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler sets a lock-free atomic flag that a C++ loop looks at.
 *
 * verdict: quiet
 */
#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>

static std::atomic<bool> stop{false};

extern "C" void on_stop(int)
{
  stop = true;
}

int main()
{
  std::signal(SIGTERM, on_stop);
  std::thread sender([] { kill(getpid(), SIGTERM); });
  while (!stop)
    std::this_thread::yield();
  sender.join();
  return 0;
}
