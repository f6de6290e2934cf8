/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has a buffer of its own, which is freed when the thread ends. BUG: the buffer is everybody's.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t key;
static char shared[32];

static char *buffer(void)
{
#ifdef BUG
  return shared;
#else
  char *b = pthread_getspecific(key);
  if (!b) {
    b = calloc(1, sizeof shared);
    pthread_setspecific(key, b);
  }
  return b;
#endif
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_name(const char *name)
{
  pthread_mutex_lock(&lock);
  strcpy(buffer(), name);
  pthread_mutex_unlock(&lock);
}

static int name_is(const char *name)
{
  pthread_mutex_lock(&lock);
  int same = !strcmp(buffer(), name);
  pthread_mutex_unlock(&lock);
  return same;
}

static void *first(void *arg)
{
  set_name("first");
  usleep(40000);
  *(int *)arg = name_is("first");
  return NULL;
}

static void *second(void *arg)
{
  usleep(20000);
  set_name("second");
  *(int *)arg = name_is("second");
  return NULL;
}

int main(void)
{
  int good[2] = {0, 0};
  pthread_t t[2];
  pthread_key_create(&key, free);
  pthread_create(&t[0], NULL, first, &good[0]);
  pthread_create(&t[1], NULL, second, &good[1]);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!good[0] || !good[1])
    printf("%s lost its name\n", good[0] ? "second" : "first");
  return !good[0] || !good[1];
}
