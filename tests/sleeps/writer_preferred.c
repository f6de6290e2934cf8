/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader that comes while a writer waits has to wait behind it. BUG: it slips in.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int readers, writing, writers_waiting;
static char order[8];

static void read_lock(void)
{
  pthread_mutex_lock(&m);
#ifdef BUG
  while (writing)
#else
  while (writing || writers_waiting)
#endif
    pthread_cond_wait(&c, &m);
  readers++;
  pthread_mutex_unlock(&m);
}

static void read_unlock(void)
{
  pthread_mutex_lock(&m);
  readers--;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}

static void write_lock(void)
{
  pthread_mutex_lock(&m);
  writers_waiting++;
  while (writing || readers)
    pthread_cond_wait(&c, &m);
  writers_waiting--;
  writing = 1;
  pthread_mutex_unlock(&m);
}

static void write_unlock(void)
{
  pthread_mutex_lock(&m);
  writing = 0;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}

static void note(const char *who)
{
  pthread_mutex_lock(&m);
  strcat(order, who);
  pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
  usleep(20000);
  write_lock();
  note("w");
  write_unlock();
  return arg;
}

static void *late_reader(void *arg)
{
  usleep(40000);
  read_lock();
  note("r");
  read_unlock();
  return arg;
}

int main(void)
{
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, late_reader, 0);
  read_lock();
  usleep(60000);
  read_unlock();
  pthread_join(w, 0);
  pthread_join(r, 0);
  if (strcmp(order, "wr") != 0) {
    fprintf(stderr, "they came in as %s\n", order);
    return 1;
  }
  return 0;
}
