/* SPDX-License-Identifier: Apache-2.0
 *
 * A value is handed over by C11 threads: the giver waits until it was taken. BUG: it does not.
 */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int full, value, order_is_right = 1, given;

static void give(int v)
{
  mtx_lock(&lock);
  value = v;
  full = 1;
  cnd_broadcast(&changed);
#ifndef BUG
  while (full)
    cnd_wait(&changed, &lock);
#endif
  given = 1;
  mtx_unlock(&lock);
}

static int receive(void)
{
  mtx_lock(&lock);
  while (!full)
    cnd_wait(&changed, &lock);
  if (given)
    order_is_right = 0;
  int v = value;
  full = 0;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
  return v;
}

static int giver(void *arg)
{
  (void)arg;
  give(11);
  return 0;
}

int main(void)
{
  thrd_t t;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_create(&t, giver, NULL);
  thrd_sleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
  int v = receive();
  thrd_join(t, NULL);
  if (v != 11 || !order_is_right)
    puts("it did not wait for the receiver");
  return v != 11 || !order_is_right;
}
