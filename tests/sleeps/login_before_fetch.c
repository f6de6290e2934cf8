/* SPDX-License-Identifier: Apache-2.0
 *
 * Nobody can fetch before it was let in; a fetch that comes early waits. BUG: it gets an empty answer.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define USERS 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool authorised[USERS];

static void authorise(int user)
{
  pthread_mutex_lock(&m);
  authorised[user] = true;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}

static int fetch(int user)
{
  pthread_mutex_lock(&m);
#ifndef BUG
  while (!authorised[user])
    pthread_cond_wait(&c, &m);
#endif
  int answer = authorised[user] ? 100 + user : 0;
  pthread_mutex_unlock(&m);
  return answer;
}

static void *admin(void *arg)
{
  for (int user = 0; user < USERS; user++) {
    usleep(15000);
    authorise(user);
  }
  return arg;
}

static void *client(void *arg)
{
  int user = (int)(long)arg;
  return (void *)(long)fetch(user);
}

int main(void)
{
  pthread_t a, t[USERS];
  pthread_create(&a, NULL, admin, NULL);
  for (int i = 0; i < USERS; i++)
    pthread_create(&t[i], NULL, client, (void *)(long)i);
  for (int i = 0; i < USERS; i++) {
    void *answer;
    pthread_join(t[i], &answer);
    assert((long)answer == 100 + i);
  }
  pthread_join(a, NULL);
  return 0;
}
