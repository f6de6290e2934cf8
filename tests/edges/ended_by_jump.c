/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that end with a jump, as optimised ones do: their caller goes on, and so do its variables, which another
 * thread uses meanwhile.
 *
 * verdict: complete
 * flags: -O2
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
static sem_t ready;
static int looks;

static void *serve(void *unused)
{
  sem_wait(&ready);
  asked->number *= 2;
  sem_post(&asked->done);
  return unused;
}

static __attribute__((noinline)) void look(int *by)
{
  looks += *by;
}

static void (*volatile look_again)(int *) = look;

static __attribute__((noinline)) int ask(int number)
{
  struct request request = {.number = number};
  int by = number;
  sem_init(&request.done, 0, 0);
  asked = &request;
  sem_post(&ready);
  look(&by);
  look_again(&by);
  sem_wait(&request.done);
  return request.number + by;
}

int main(void)
{
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, serve, NULL);
  int answer = ask(21);
  pthread_join(thread, NULL);
  return answer != 63;
}
