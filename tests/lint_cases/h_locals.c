/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that nobody waits for, and what they are given.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

static sem_t taken;

static void *work(void *argument)
{
  return argument;
}

static void *detaches_itself(void *argument)
{
  pthread_detach(pthread_self());
  return argument;
}

void detached(int fd)
{
  pthread_t thread;
  int copy = fd;
  pthread_create(&thread, NULL, work, &copy); /* ! local-to-detached */
  pthread_detach(thread);
}

void by_attribute(int fd)
{
  pthread_t thread;
  pthread_attr_t attributes;
  int copies[2] = {fd, fd};
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, &attributes, work, copies); /* ! local-to-detached */
}

void by_itself(int fd)
{
  pthread_t thread;
  int copy = fd;
  pthread_create(&thread, NULL, detaches_itself, &copy); /* ! local-to-detached */
}

void joined(int fd)
{
  pthread_t thread;
  int copy = fd;
  pthread_create(&thread, NULL, work, &copy); /* right local-to-detached */
  pthread_join(thread, NULL);
}

void waits_until_it_is_taken(int fd)
{
  pthread_t thread;
  int copy = fd;
  pthread_create(&thread, NULL, work, &copy); /* right local-to-detached */
  pthread_detach(thread);
  sem_wait(&taken);
}

void by_value(int fd)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void *)(intptr_t)fd); /* right local-to-detached */
  pthread_detach(thread);
}
