/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits for a condition: in a loop that asks again or not, with the mutex held or not. `! RULE` is a finding in that
 * line, `right RULE` says that there is none.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;
static int items;

void in_a_loop(void)
{
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop, right wait-without-mutex */
  pthread_mutex_unlock(&mutex);
}

/* What a clean-up handler is set by has loops of its own that do not repeat. */
void with_a_handler(void (*handler)(void *))
{
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(handler, &mutex);
  if (!ready)
    pthread_cond_wait(&changed, &mutex); /* ! wait-outside-loop */
  pthread_cleanup_pop(0);
  pthread_mutex_unlock(&mutex);
}

void by_an_if(void)
{
  pthread_mutex_lock(&mutex);
  if (!ready)
    pthread_cond_wait(&changed, &mutex); /* ! wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

void until_broken_off(void)
{
  pthread_mutex_lock(&mutex);
  for (;;) {
    if (ready)
      break;
    pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
  }
  pthread_mutex_unlock(&mutex);
}

void by_goto(void)
{
  pthread_mutex_lock(&mutex);
again:
  if (!ready) {
    pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
    goto again;
  }
  pthread_mutex_unlock(&mutex);
}

/* The loop takes the lock anew in each turn: the question is asked once. */
void takes_after_one_question(void)
{
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (!items)
      pthread_cond_wait(&changed, &mutex); /* ! wait-outside-loop */
    items--;
    pthread_mutex_unlock(&mutex);
  }
}

void asks_in_the_next_turn(void)
{
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (!items)
      pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
    if (items)
      items--;
    pthread_mutex_unlock(&mutex);
  }
}

/* Too early an end takes nothing. */
void takes_all_there_is(void)
{
  pthread_mutex_lock(&mutex);
  if (!items)
    pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
  while (items)
    items--;
  pthread_mutex_unlock(&mutex);
}

/* The question behind the wait comes too late. */
void asks_when_taken(void)
{
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (!items)
      pthread_cond_wait(&changed, &mutex); /* ! wait-outside-loop */
    items--;
    if (!items)
      ready = false;
    pthread_mutex_unlock(&mutex);
  }
}

void only_copies(int *seen)
{
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (!items)
      pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
    *seen = items;
    pthread_mutex_unlock(&mutex);
  }
}

/* It ends by itself: it is used as a sleep that can be interrupted. */
void for_a_time(const struct timespec *until)
{
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&changed, &mutex, until); /* right wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

/* A function that only waits: its callers have the loop, or have not. */
static void wait_for_change(pthread_cond_t *condition)
{
  pthread_cond_wait(condition, &mutex);
}

/* It has no mutex of its own, and is called in a loop. */
static void idle(bool always)
{
  if (always)
    pthread_cond_wait(&changed, &mutex); /* right wait-outside-loop */
}

void idles(void)
{
  pthread_mutex_lock(&mutex);
  while (!ready)
    idle(items > 0);
  pthread_mutex_unlock(&mutex);
}

void calls_in_a_loop(void)
{
  pthread_mutex_lock(&mutex);
  while (!ready)
    wait_for_change(&changed); /* right wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

void calls_once(void)
{
  pthread_mutex_lock(&mutex);
  wait_for_change(&changed); /* ! wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

/* A library of one's own: the wait with or without a timeout, and what hands it on; who calls that has the loop. */
struct signal_flare {
  pthread_cond_t condition;
};

int flare_wait(struct signal_flare *flare, const struct timespec *until)
{
  if (!until)
    return pthread_cond_wait(&flare->condition, &mutex); /* right wait-outside-loop */
  return pthread_cond_timedwait(&flare->condition, &mutex, until);
}

/* Most who call that have a time. */
void flare_seen(struct signal_flare *flare)
{
  pthread_mutex_lock(&mutex);
  flare_wait(flare, NULL); /* right wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

static void flare_until(struct signal_flare *flare)
{
  pthread_cond_wait(&flare->condition, &mutex); /* right wait-outside-loop */
}

void port_wait(struct signal_flare *flare)
{
  flare_until(flare); /* right wait-outside-loop */
}

static void wait_at_port(struct signal_flare *flare)
{
  port_wait(flare);
}

void at_the_port(struct signal_flare *flare)
{
  pthread_mutex_lock(&mutex);
  while (!ready)
    wait_at_port(flare); /* right wait-outside-loop */
  wait_at_port(flare);   /* ! wait-outside-loop */
  pthread_mutex_unlock(&mutex);
}

void after_the_unlock(void)
{
  pthread_mutex_lock(&mutex);
  bool is = ready;
  pthread_mutex_unlock(&mutex);
  while (!is) {
    pthread_cond_wait(&changed, &mutex); /* ! wait-without-mutex */
    is = ready;
  }
}

/* Whoever calls it may hold the mutex. */
void with_the_callers(void)
{
  while (!ready)
    pthread_cond_wait(&changed, &mutex); /* right wait-without-mutex */
}

static void *begins_with_a_wait(void *argument)
{
  while (!ready)
    pthread_cond_wait(&changed, &mutex); /* ! wait-without-mutex */
  return argument;
}

static void *with_another(void *argument)
{
  pthread_mutex_lock(&other);
  while (!ready)
    pthread_cond_wait(&changed, &mutex); /* ! wait-without-mutex */
  pthread_mutex_unlock(&other);
  return argument;
}

static void enter(void)
{
  pthread_mutex_lock(&mutex);
}

static void *by_a_function(void *argument)
{
  enter();
  while (!ready)
    pthread_cond_wait(&changed, &mutex); /* right wait-without-mutex */
  pthread_mutex_unlock(&mutex);
  return argument;
}

void start(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, begins_with_a_wait, NULL);
  pthread_create(&thread, NULL, with_another, NULL);
  pthread_create(&thread, NULL, by_a_function, NULL);
}
