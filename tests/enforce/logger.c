/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger with 50 threads: half of them append, half of them add and remove appenders. Appends may overlap, what
 * changes the appenders is alone. The argument says who keeps them apart: none (so a specification may: logger.mop),
 * one mutex, or a rwlock. Tells how many were at it at once, and how long it took; status 1 if they met.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 50, ROUNDS = 20, APPENDING_US = 200, CHANGING_US = 10 };

struct logger {
  atomic_int appending, changing, most_appending, most_changing, met;
};

static struct logger logger;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static enum { NONE, MUTEX, RWLOCK } kept_by;
static pthread_barrier_t start;

static void note(atomic_int *most, int now)
{
  int before = *most;
  while (now > before && !atomic_compare_exchange_weak(most, &before, now))
    ;
}

void logger_append(struct logger *l)
{
  note(&l->most_appending, ++l->appending);
  l->met += l->changing != 0;
  usleep(APPENDING_US);
  l->met += l->changing != 0;
  l->appending--;
}

void logger_change(struct logger *l)
{
  note(&l->most_changing, ++l->changing);
  l->met += l->appending != 0;
  usleep(CHANGING_US);
  l->met += l->appending != 0;
  l->changing--;
}

static void lock(int reads)
{
  if (kept_by == MUTEX)
    pthread_mutex_lock(&mutex);
  else if (kept_by == RWLOCK)
    reads ? pthread_rwlock_rdlock(&rwlock) : pthread_rwlock_wrlock(&rwlock);
}

static void unlock(void)
{
  if (kept_by == MUTEX)
    pthread_mutex_unlock(&mutex);
  else if (kept_by == RWLOCK)
    pthread_rwlock_unlock(&rwlock);
}

static void *worker(void *appends)
{
  pthread_barrier_wait(&start);
  for (int i = 0; i < ROUNDS; i++) {
    lock(appends != NULL);
    if (appends)
      logger_append(&logger);
    else
      logger_change(&logger);
    unlock();
  }
  return NULL;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  const char *how = argc > 1 ? argv[1] : "none";
  kept_by = !strcmp(how, "mutex") ? MUTEX : !strcmp(how, "rwlock") ? RWLOCK : NONE;
  pthread_barrier_init(&start, NULL, THREADS + 1);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, worker, i % 2 ? &logger : NULL);
  pthread_barrier_wait(&start);
  double began = now();
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  printf("%.1f ms, %d append at once, %d change at once, met %d times\n", now() - began, logger.most_appending,
         logger.most_changing, logger.met);
  return logger.met != 0 || logger.most_changing > 1;
}
