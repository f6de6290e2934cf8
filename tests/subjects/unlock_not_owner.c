/* SPDX-License-Identifier: Apache-2.0
 *
 * The janitor tidies up only if the room is free (trylock), and then unlocks the door either way. When the guest is
 * inside, the trylock fails, and the unlock opens a lock that the janitor does not hold: undefined for an ordinary
 * mutex, and in practice the guest is no longer alone.
 *
 * verdict: property
 * threads: 2
 */
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int dust = 3;

static void *guest(void *arg)
{
  pthread_mutex_lock(&door);
  dust++;
  pthread_mutex_unlock(&door);
  return arg;
}

static void tidy_up(void)
{
  if (pthread_mutex_trylock(&door) == 0) {
    dust = 0;
#ifdef FIXED
    pthread_mutex_unlock(&door);
#endif
  }
#ifndef FIXED
  pthread_mutex_unlock(&door);
#endif
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, guest, NULL);
  tidy_up();
  pthread_join(thread, NULL);
  return 0;
}
