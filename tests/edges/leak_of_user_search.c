/* SPDX-License-Identifier: Apache-2.0
 *
 * What the search for an unknown user leaves behind in a thread is the library's affair.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <pwd.h>

static void *work(void *unused)
{
  assert(!getpwnam("nobody-of-that-name"));
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
