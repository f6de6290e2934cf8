/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker is told by a signal to note something, and its handler allocates the note. But malloc() is not
 * async-signal-safe: if the signal comes while the worker is in malloc() itself, the heap is in the middle of a change,
 * and its lock is taken. The twin has a note ready that nobody needs to allocate.
 *
 * verdict: property
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#ifdef FIXED
static char spare[16];
#endif
static char *volatile note;

static void take_note(int number)
{
#ifdef FIXED
  note = spare;
#else
  note = malloc(16);
#endif
  if (note)
    note[0] = (char)number;
}

static void *tell(void *worker)
{
  pthread_kill(*(pthread_t *)worker, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = take_note, .sa_flags = SA_RESTART};
  pthread_t self = pthread_self(), teller;

  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&teller, NULL, tell, &self);
  char *work = malloc(100);
  assert(work != NULL);
  work[0] = 1;
  pthread_join(teller, NULL);
  free(work);
#ifndef FIXED
  free(note);
#endif
  return 0;
}
