/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread tries the lock of a stream; it may get it between the two times that the other holds it.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int halfway;

static void set(int value)
{
  flockfile(stderr);
  halfway = value;
  funlockfile(stderr);
}

static void *look(void *unused)
{
  if (ftrylockfile(stderr) == 0) {
    assert(!halfway);
    funlockfile(stderr);
  }
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  set(1);
  set(0);
  pthread_join(thread, NULL);
  return 0;
}
