/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads look up users with getpwnam, whose result is one static buffer. Natively, with pauses, it failed in 161
 * of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static void *other(void *unused)
{
  (void)unused;
  getpwnam("daemon");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  struct passwd *root = getpwnam("root");
  unsigned uid = root ? root->pw_uid : 0;
  pthread_join(thread, NULL);
  assert(uid == 0);
  return 0;
}
