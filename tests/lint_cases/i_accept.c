/* SPDX-License-Identifier: Apache-2.0
 *
 * A server with a thread for each connection: without a limit, with slots, with a counter, with a fixed pool, joined.
 */
#include "creation.h"
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 64

static sem_t slots;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fewer = PTHREAD_COND_INITIALIZER;
static int i_clients, i_waiting, i_unlocked;

static void *with_slot(void *argument)
{
  sem_post(&slots);
  return argument;
}

static void *counted(void *argument)
{
  pthread_mutex_lock(&mutex);
  i_clients--;
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void *waited_for(void *argument)
{
  pthread_mutex_lock(&mutex);
  i_waiting--;
  pthread_cond_signal(&fewer);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void *unlocked(void *argument)
{
  i_unlocked--;
  return argument;
}

void without_limit(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, work, &fd);
  }
}

void with_slots(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 7 */
    sem_wait(&slots);
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, with_slot, &fd);
  }
}

void with_slots_that_stay(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (fd > 100)
      sem_wait(&slots);
    pthread_create(&thread, NULL, with_slot, &fd);
  }
}

void with_counter(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8 */
    int fd = accept(listener, NULL, NULL);
    pthread_mutex_lock(&mutex);
    if (i_clients >= CLIENTS) {
      pthread_mutex_unlock(&mutex);
      close(fd);
      continue;
    }
    i_clients++;
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, NULL, counted, &fd);
  }
}

void with_counter_or_none(int listener, int most)
{
  pthread_t thread;
  for (;;) { /* = live 8; !most || i_clients < most */
    int fd = accept(listener, NULL, NULL);
    if (most && i_clients >= most)
      continue;
    pthread_mutex_lock(&mutex);
    i_clients++;
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, NULL, counted, &fd);
  }
}

void with_waiting(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8 */
    int fd = accept(listener, NULL, NULL);
    pthread_mutex_lock(&mutex);
    while (i_waiting >= CLIENTS)
      pthread_cond_wait(&fewer, &mutex);
    i_waiting++;
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, NULL, waited_for, &fd);
  }
}

void with_unlocked_counter(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible */
    int fd = accept(listener, NULL, NULL);
    if (i_unlocked >= CLIENTS)
      continue;
    i_unlocked++;
    pthread_create(&thread, NULL, unlocked, &fd);
  }
}

void with_pool(int listener)
{
  pthread_t thread[8];
  for (int i = 0; i < 8; i++) /* = bounded 5 */
    pthread_create(&thread[i], NULL, work, NULL);
  for (;;)
    accept(listener, NULL, NULL);
}

void one_after_the_other(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 10 */
    int fd = accept(listener, NULL, NULL);
    if (pthread_create(&thread, NULL, work, &fd) == 0)
      pthread_join(thread, NULL);
  }
}

void joined_sometimes(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, work, &fd);
    if (fd > 100)
      pthread_join(thread, NULL);
  }
}

static void a_batch(void)
{
  pthread_t thread[4];
  for (int i = 0; i < 4; i++) /* = bounded 5 */
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(thread[i], NULL);
}

void batches(int listener)
{
  for (;;) { /* = live 10 */
    accept(listener, NULL, NULL);
    a_batch();
  }
}

/* It waits only while nothing else is said, and then leaves. */
void with_waiting_or_end(int listener, int *paused)
{
  pthread_t thread;
  for (;;) { /* = live 8; (*paused || i_waiting < CLIENTS) && !(*paused) */
    pthread_mutex_lock(&mutex);
    while (!*paused && i_waiting >= CLIENTS)
      pthread_cond_wait(&fewer, &mutex);
    if (*paused)
      break;
    i_waiting++;
    pthread_mutex_unlock(&mutex);
    int fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, waited_for, &fd);
  }
  pthread_mutex_unlock(&mutex);
}

static struct i_job {
  int running, stopped;
} i_jobs[4];

static void *sets_back(void *argument)
{
  struct i_job *job = argument;
  job->running = 0;
  return NULL;
}

static void run_again(struct i_job *job)
{
  pthread_t thread;
  if (job->stopped)
    return;
  if (!job->running) {
    job->running = 1;
    if (pthread_create(&thread, NULL, sets_back, job) != 0)
      job->running = 0;
  }
}

/* Each again when it has ended, never twice at the same time. */
void with_flags(int listener)
{
  while (accept(listener, NULL, NULL) >= 0) /* = live 8, is set while there is one */
    for (int i = 0; i < 4; i++)             /* = bounded 5 */
      run_again(&i_jobs[i]);
}

static struct i_server {
  int busy;
} i_server;

/* The loop itself sets it back. */
void with_flag_set_back(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, sets 'busy' back */
    int fd = accept(listener, NULL, NULL);
    if (!i_server.busy) {
      i_server.busy = 1;
      pthread_create(&thread, NULL, work, &fd);
    }
    if (fd > 100)
      i_server.busy = 0;
  }
}

struct i_job *new_job(int fd);

void with_new_flags(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    struct i_job *job = new_job(accept(listener, NULL, NULL));
    if (job && !job->running && pthread_create(&thread, NULL, sets_back, job) == 0)
      job->running = 1;
  }
}

static int i_wrapped;

static void lock_all(void)
{
  pthread_mutex_lock(&mutex);
}

static void count_down(void)
{
  i_wrapped--;
}

static void *counted_by_wrapper(void *argument)
{
  lock_all();
  count_down();
  pthread_mutex_unlock(&mutex);
  return argument;
}

void with_wrapped_lock(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8, counts them */
    int fd = accept(listener, NULL, NULL);
    lock_all();
    if (i_wrapped >= CLIENTS) {
      pthread_mutex_unlock(&mutex);
      continue;
    }
    i_wrapped++;
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, NULL, counted_by_wrapper, &fd);
  }
}

static int i_called;

static void note(void)
{
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void count_down_alone(void)
{
  i_called--;
}

static void *counted_without(void *argument)
{
  note();
  count_down_alone();
  return argument;
}

/* That a function locks and unlocks is no lock for its caller. */
void with_passing_lock(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible */
    int fd = accept(listener, NULL, NULL);
    if (i_called >= CLIENTS)
      continue;
    i_called++;
    pthread_create(&thread, NULL, counted_without, &fd);
  }
}
