/* SPDX-License-Identifier: Apache-2.0
 *
 * After a well-known bug in a database server: the monitor prints what a session is doing, if it is doing anything.
 * It looks at the pointer, finds it set, and reads it a second time to use it. In between, the session ends and sets
 * it to NULL. The twin reads it once; the text itself lives for ever.
 *
 * verdict: crash
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static const char *_Atomic doing = "sorting";

static void *monitor(void *arg)
{
  const char *text = doing;

  if (text != NULL) {
#ifndef FIXED
    text = doing; /* read again to be used */
#endif
    assert(text[0] == 's');
  }
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, monitor, NULL);
  doing = NULL;
  pthread_join(thread, NULL);
  return 0;
}
