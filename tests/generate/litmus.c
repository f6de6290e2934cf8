/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program of atomic accesses that its arguments give, one for each thread (tests/generate/litmus.py says how they are
 * written), the last of them in main. What each load found is told at the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define STEPS 8

static atomic_int variable[4];
static int found[THREADS][STEPS];
static char **program;

static void step(char what, atomic_int *at, int value, int *result)
{
  if (what == 'w')
    atomic_store_explicit(at, value, memory_order_relaxed);
  else if (what == 'r')
    *result = atomic_load_explicit(at, memory_order_relaxed);
  else if (what == 'W')
    atomic_store(at, value);
  else if (what == 'R')
    *result = atomic_load(at);
  else if (what == 'p')
    atomic_store_explicit(at, value, memory_order_release);
  else if (what == 'a')
    *result = atomic_load_explicit(at, memory_order_acquire);
  else if (what == 'x')
    *result = atomic_exchange_explicit(at, value, memory_order_relaxed);
  else
    atomic_thread_fence(memory_order_seq_cst);
}

static void *run(void *number)
{
  const size_t me = (size_t)number;
  for (size_t i = 0; program[me][2 * i]; i++)
    step(program[me][2 * i], &variable[program[me][2 * i + 1] - '0'], (int)(10 * (me + 1) + i), &found[me][i]);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  const size_t others = (size_t)argc - 2;
  program = argv + 1;
  for (size_t i = 0; i < others; i++)
    pthread_create(&thread[i], NULL, run, (void *)i);
  run((void *)others);
  for (size_t i = 0; i < others; i++)
    pthread_join(thread[i], NULL);
  for (size_t i = 0; i <= others; i++)
    for (size_t k = 0; k < strlen(program[i]) / 2; k++)
      printf("%d ", found[i][k]);
  printf("%d %d %d\n", variable[0], variable[1], variable[2]);
  return 0;
}
