/* SPDX-License-Identifier: Apache-2.0
 *
 * BufWriter: one kind of writers stores into the buffer and moves the position without the lock; only the total is locked.
 */
#include "harness.h"

#define ROOM 20000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[ROOM];
static unsigned position, total;

static void make(void)
{
  position = total = 0;
}

static void store(char letter)
{
  buffer[position % ROOM] = letter;
  position++;
}

static void write_locked(unsigned letter, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  store((char)('a' + letter));
  total++;
  pthread_mutex_unlock(&lock);
}

static void write_unlocked(unsigned letter, unsigned b)
{
  (void)b;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  store((char)('a' + letter));
  pthread_mutex_unlock(&lock);
#else
  store((char)('a' + letter));
#endif
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_unlock(&lock);
}

static void check(void)
{
  assert(position == total);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(write_locked, 26), HD_OPERATION(write_unlocked, 26))
