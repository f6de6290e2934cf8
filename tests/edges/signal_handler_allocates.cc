/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a signal makes an object, perhaps while the thread it interrupts makes one.
 *
 * verdict: found
 * kind: property
 * expect-text: calls operator new(), which is not async-signal-safe
 */
#include <csignal>
#include <pthread.h>
#include <string>

static volatile int *volatile made;

static void make(int number)
{
  made = new int(number);
}

static void *tell(void *worker)
{
  pthread_kill(*static_cast<pthread_t *>(worker), SIGUSR1);
  return nullptr;
}

int main()
{
  pthread_t self = pthread_self(), teller;
  signal(SIGUSR1, make);
  pthread_create(&teller, nullptr, tell, &self);
  std::string text(100, 'x');
  text += text;
  pthread_join(teller, nullptr);
  delete made;
  return text.size() == 200 ? 0 : 1;
}
