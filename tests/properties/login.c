/* SPDX-License-Identifier: Apache-2.0
 *
 * Login: one thread authorises users, one for each of them fetches. Fixed: each waits for its own authorisation. */
#include <pthread.h>
#include <semaphore.h>

#define USERS 2

static sem_t authorised[USERS];

void authorise(long user)
{
  sem_post(&authorised[user]);
}

void fetch(long user)
{
  (void)user;
}

static void *visitor(void *user)
{
#ifdef FIXED
  sem_wait(&authorised[(long)user]);
#endif
  fetch((long)user);
  return NULL;
}

static void *gatekeeper(void *unused)
{
  for (long user = 0; user < USERS; user++)
    authorise(user);
  return unused;
}

int main(void)
{
  pthread_t thread[USERS + 1];
  for (long user = 0; user < USERS; user++)
    sem_init(&authorised[user], 0, 0);
  for (long user = 0; user < USERS; user++)
    pthread_create(&thread[user], NULL, visitor, (void *)user);
  pthread_create(&thread[USERS], NULL, gatekeeper, NULL);
  for (int i = 0; i <= USERS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
