/* SPDX-License-Identifier: Apache-2.0
 *
 * With the threads of C11. Two clerks number their receipts from one counter. Taking the number is locked, putting
 * back the next one is locked, and between the two the other clerk takes the same number.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static int next_number = 1;

static int clerk(void *arg)
{
  mtx_lock(&lock);
  int number = next_number;
#ifndef FIXED
  mtx_unlock(&lock);
  mtx_lock(&lock);
#endif
  next_number = number + 1;
  mtx_unlock(&lock);
  *(int *)arg = number;
  return 0;
}

int main(void)
{
  thrd_t a, b;
  int receipt[2];

  mtx_init(&lock, mtx_plain);
  thrd_create(&a, clerk, &receipt[0]);
  thrd_create(&b, clerk, &receipt[1]);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  mtx_destroy(&lock);
  assert(receipt[0] != receipt[1]);
  return 0;
}
