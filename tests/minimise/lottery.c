/* SPDX-License-Identifier: Apache-2.0
 *
 * Lottery: a number is generated, presented and recorded under the lock of the user, while all users share the one number.
 */
#include "harness.h"

#define USERS 8u

static struct {
  pthread_mutex_t lock;
  unsigned presented, recorded;
} user[USERS];
static atomic_uint number;
#ifdef FIXED
static pthread_mutex_t draw = PTHREAD_MUTEX_INITIALIZER;
#endif

static void make(void)
{
  for (unsigned i = 0; i < USERS; i++)
    pthread_mutex_init(&user[i].lock, NULL);
}

static void play(unsigned who, unsigned generated)
{
  pthread_mutex_lock(&user[who].lock);
#ifdef FIXED
  pthread_mutex_lock(&draw);
#endif
  number = generated;
  user[who].presented = number;
  user[who].recorded = number;
#ifdef FIXED
  pthread_mutex_unlock(&draw);
#endif
  assert(user[who].presented == user[who].recorded);
  pthread_mutex_unlock(&user[who].lock);
}

static void look_up(unsigned who, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&user[who].lock);
  (void)user[who].recorded;
  pthread_mutex_unlock(&user[who].lock);
}

static void check(void)
{
  for (unsigned i = 0; i < USERS; i++)
    assert(user[i].presented == user[i].recorded);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(play, USERS, 1000), HD_OPERATION(look_up, USERS))
