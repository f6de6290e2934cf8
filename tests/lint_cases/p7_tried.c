/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 7: a slot that is tried for.
 */
#include "creation.h"
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

static sem_t places;

static void *leaves(void *argument)
{
  sem_post(&places);
  return argument;
}

void tries(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 7 */
    int fd = accept(listener, NULL, NULL);
    if (sem_trywait(&places) != 0) {
      close(fd);
      continue;
    }
    pthread_create(&thread, NULL, leaves, &fd);
  }
}
