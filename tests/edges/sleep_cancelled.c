/* SPDX-License-Identifier: Apache-2.0
 *
 * A sleep that is cancelled is over at once: no time passes for it, and the others' sleeps are as long as before.
 *
 * verdict: quiet
 * options: --sleeps exact
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int cleaned;

static void clean(void *unused)
{
  (void)unused;
  cleaned = 1;
}

static void *sleep_long(void *unused)
{
  pthread_cleanup_push(clean, NULL);
  for (;;)
    sleep(5);
  pthread_cleanup_pop(0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_long, NULL);
  pthread_cancel(thread);
  sleep(5);
  assert(cleaned);
  return 0;
}
