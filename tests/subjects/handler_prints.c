/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler writes a line to the log that the code it interrupts writes to as well, by stdio. The signal may come
 * while that is in the middle of changing the buffer. The twin blocks the signal while it writes.
 *
 * verdict: property
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static FILE *stream;

static void log_signal(int number)
{
  fprintf(stream, "signal %d\n", number);
}

static void *tell(void *worker)
{
  pthread_kill(*(pthread_t *)worker, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = log_signal, .sa_flags = SA_RESTART};
  pthread_t self = pthread_self(), teller;
  sigset_t set;

  stream = fopen("/dev/null", "w");
  assert(stream != NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaction(SIGUSR1, &action, NULL);
#ifdef FIXED
  pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
  pthread_create(&teller, NULL, tell, &self);
  fprintf(stream, "work\n");
#ifdef FIXED
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
  pthread_join(teller, NULL);
  fclose(stream);
  return 0;
}
