/* SPDX-License-Identifier: Apache-2.0
 *
 * Who comes first gets the lock first. BUG: who came last.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int next_ticket, serving;
static char order[8];

static void fair_lock(void)
{
  pthread_mutex_lock(&m);
  int mine = next_ticket++;
#ifdef BUG
  while (serving == 0 ? mine != 0 : next_ticket - serving != mine)
#else
  while (serving != mine)
#endif
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
}

static void fair_unlock(void)
{
  pthread_mutex_lock(&m);
  serving++;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}

static void *early(void *arg)
{
  usleep(20 * 1000);
  fair_lock();
  strcat(order, "e");
  fair_unlock();
  return arg;
}

static void *late(void *arg)
{
  usleep(40 * 1000);
  fair_lock();
  strcat(order, "l");
  fair_unlock();
  return arg;
}

int main(void)
{
  pthread_t a, b;
  fair_lock();
  pthread_create(&a, NULL, late, NULL);
  pthread_create(&b, NULL, early, NULL);
  usleep(60 * 1000);
  fair_unlock();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  if (strcmp(order, "el"))
    fprintf(stderr, "order %s\n", order);
  return strcmp(order, "el") != 0;
}
