/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has rung is noted, so that nobody rings twice; the note is taken off after the door was opened.
 * tell: bug +a note that there is something to do is cleared after the last look for it: main finds `rung` at
 * tell: fix +T1 must clear `rung` first and look for what there is to do after that
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t porch = PTHREAD_MUTEX_INITIALIZER;
static int bell[2], guests, rung;

static void *open_door(void *arg)
{
  char ring;
  for (int in = 0; in < 2;) {
    if (read(bell[0], &ring, 1) != 1)
      break;
#ifdef FIXED
    pthread_mutex_lock(&porch);
    rung = 0;
    pthread_mutex_unlock(&porch);
#endif
    pthread_mutex_lock(&porch);
    in += guests;
    guests = 0;
    pthread_mutex_unlock(&porch);
#ifndef FIXED
    pthread_mutex_lock(&porch);
    rung = 0;
    pthread_mutex_unlock(&porch);
#endif
  }
  return arg;
}

static void arrive(void)
{
  pthread_mutex_lock(&porch);
  guests++;
  int ring = !rung;
  rung = 1;
  pthread_mutex_unlock(&porch);
  if (ring && write(bell[1], "!", 1) != 1)
    _exit(1);
}

int main(void)
{
  pthread_t host;
  if (pipe(bell) != 0)
    return 1;
  pthread_create(&host, NULL, open_door, NULL);
  arrive();
  arrive();
  pthread_join(host, NULL);
}
