/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads register a handler each; the last registered runs first. Natively, with pauses, it failed in 48 of 300
 * runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int closed;

static void closes(void)
{
  closed = 1;
}

static void reports(void)
{
  assert(closed);
}

static void *other(void *unused)
{
  (void)unused;
  at_quick_exit(closes);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  at_quick_exit(reports);
  pthread_join(thread, NULL);
  quick_exit(0);
}
