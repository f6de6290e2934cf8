/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that ends with a jump, as optimised ones do, and gave another thread the address of its variable, which
 * that thread reads when the function may have returned.
 *
 * verdict: found
 * kind: race
 * expect-text: main may have returned from
 * flags: -g -O2
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static int *asked;
static sem_t ready;
static int asks;
int seen;

static void *serve(void *unused)
{
  sem_wait(&ready);
  seen = *asked;
  return unused;
}

static __attribute__((noinline)) void ask(int number)
{
  int request = number;
  asked = &request;
  sem_post(&ready);
  asks++;
}

int main(void)
{
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, serve, NULL);
  ask(21);
  asks++;
  pthread_join(thread, NULL);
  return asks != 2;
}
