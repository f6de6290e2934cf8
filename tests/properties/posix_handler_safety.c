/* SPDX-License-Identifier: Apache-2.0
 *
 * HandlerSafety: a signal handler prints, and may come while main does. Fixed: it only takes note. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t seen;

static void handler(int signal)
{
#ifndef FIXED
  fputs("signal\n", stderr);
#endif
  seen = signal;
}

static void *sender(void *to)
{
  pthread_kill(*(pthread_t *)to, SIGUSR1);
  return NULL;
}

int main(void)
{
  pthread_t thread, self = pthread_self();
  signal(SIGUSR1, handler);
  pthread_create(&thread, NULL, sender, &self);
  puts("main");
  pthread_join(thread, NULL);
  return 0;
}
