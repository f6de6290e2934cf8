/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler of all exceptions keeps the cancellation of its thread to itself, for which glibc aborts the program.
 *
 * verdict: found
 * kind: crash
 */
#include <pthread.h>
#include <unistd.h>

static void *sleeper(void *)
{
  try {
    sleep(5);
  } catch (...) {
  }
  return nullptr;
}

int main()
{
  pthread_t thread;
  pthread_create(&thread, nullptr, sleeper, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
}
