/* SPDX-License-Identifier: Apache-2.0
 *
 * One seller for each ticket, started until a seller says that all seats are sold. Nothing makes the airline wait for what
 * its sellers say: run one after the other they oversell, and only switches to them in time save the day.
 *
 * verdict: assertion
 * blame: fails-serially
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SELLERS 6
#define SEATS 2

static atomic_int sold, full;

static void *seller(void *arg)
{
  if (atomic_fetch_add(&sold, 1) + 1 >= SEATS)
    full = 1;
  return arg;
}

int main(void)
{
  pthread_t thread[SELLERS];
  int started = 0;

  while (started < SELLERS && !full) {
    pthread_create(&thread[started], NULL, seller, NULL);
#ifdef FIXED
    pthread_join(thread[started], NULL);
#endif
    started++;
  }
#ifndef FIXED
  for (int i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
#endif
  assert(sold <= SEATS);
  return 0;
}
