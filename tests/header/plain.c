/* SPDX-License-Identifier: Apache-2.0
 *
 * hd_explore() in a plain main. Linked with heddle it finds the bug; without, the body runs once and passes; under
 * `heddle check` the whole program is explored and the assertion is found there.
 */
#include <assert.h>
#include <heddle.h>
#include <stdio.h>
#include <threads.h>

static int shared;

static int add(void *arg)
{
  (void)arg;
  shared++;
  return 0;
}

static void body(void *arg)
{
  (void)arg;
  thrd_t thread;
  thrd_create(&thread, add, NULL);
  thrd_join(thread, NULL);
  assert(shared == 1);
  thrd_create(&thread, add, NULL);
  add(NULL);
  thrd_join(thread, NULL);
  assert(shared == 3);
}

int main(void)
{
  struct hd_verdict v = hd_explore(NULL, body, NULL);
  printf("%s %s\n", v.ok ? "passed" : "failed", v.kind);
  return 0;
}
