/* SPDX-License-Identifier: Apache-2.0
 *
 * AirlineTickets: whether a ticket is left is looked up before the lock that sells it. Only the last ticket can be sold twice,
 * so the failure needs all that are sold before it.
 */
#include "harness.h"

#ifndef TICKETS
#define TICKETS 100u
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint sold;

static void make(void)
{
  sold = 0;
}

static void sell(unsigned a, unsigned b)
{
  (void)a, (void)b;
#ifndef FIXED
  if (sold >= TICKETS)
    return;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  if (sold < TICKETS)
#endif
    sold++;
  pthread_mutex_unlock(&lock);
}

static void ask(unsigned a, unsigned b)
{
  (void)a, (void)b;
  pthread_mutex_lock(&lock);
  (void)sold;
  pthread_mutex_unlock(&lock);
}

static void check(void)
{
  assert(sold <= TICKETS);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(sell), HD_OPERATION(ask))
