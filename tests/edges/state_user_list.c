/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread goes back to the begin of the list of users while another one reads it. Natively, with pauses, it failed in
 * 48 of 300 runs.
 *
 * verdict: find
 * options: --time 3s
 */
#include <assert.h>
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static void *rewinds(void *unused)
{
  (void)unused;
  setpwent();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  setpwent();
  uid_t first = getpwent()->pw_uid;
  pthread_create(&thread, NULL, rewinds, NULL);
  struct passwd *user = getpwent();
  assert(user && user->pw_uid != first);
  pthread_join(thread, NULL);
  endpwent();
  return 0;
}
