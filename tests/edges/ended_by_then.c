/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and threads whose variables others use, all of which know when they are used no more: a semaphore, a barrier
 * and a flag on the stack of who waits, a thread-local variable of a thread that waits.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

struct request {
  sem_t done;
  int number;
};

static struct request *asked;
static sem_t ready, looked;
static _Thread_local int own;
static int *told;

static void *serve(void *unused)
{
  for (int i = 0; i < 2; i++) {
    sem_wait(&ready);
    asked->number *= 2;
    sem_post(&asked->done);
  }
  own = 3;
  told = &own;
  sem_post(&ready);
  sem_wait(&looked);
  return unused;
}

static __attribute__((noinline)) int ask(int number)
{
  struct request request = {.number = number};
  sem_init(&request.done, 0, 0);
  asked = &request;
  sem_post(&ready);
  sem_wait(&request.done);
  return request.number;
}

struct meeting {
  pthread_barrier_t barrier;
  atomic_int number;
};

static void *join_meeting(void *arg)
{
  struct meeting *meeting = arg;
  meeting->number++;
  pthread_barrier_wait(&meeting->barrier);
  return NULL;
}

static __attribute__((noinline)) int meet(void)
{
  struct meeting meeting = {.number = 1};
  pthread_barrier_init(&meeting.barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, join_meeting, &meeting);
  pthread_barrier_wait(&meeting.barrier);
  pthread_detach(thread);
  pthread_barrier_destroy(&meeting.barrier);
  return meeting.number;
}

int main(void)
{
  pthread_t server;
  sem_init(&ready, 0, 0);
  sem_init(&looked, 0, 0);
  pthread_create(&server, NULL, serve, NULL);
  int sum = ask(1) + ask(2);
  sem_wait(&ready);
  sum += *told;
  sem_post(&looked);
  pthread_join(server, NULL);
  return sum + meet() != 11;
}
