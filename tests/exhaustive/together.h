/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder share: threads that start together and hand back a number.
 *
 * The counts in model.py take every access to shared memory for one operation. So nothing may be shared that is not
 * meant to be: a thread gets its parameters packed into its argument and hands back its result as its return value;
 * memory that main writes for the threads, or threads for main, would be one location more.
 *
 * Other tools give main no arguments: for them -DARGUMENTS=3,1 puts the numbers into the program. Some cannot print:
 * -DQUIET.
 */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 24 /* threads of one program */

#ifdef ARGUMENTS
static const int together_given[] = {0, ARGUMENTS};
#endif
#ifdef QUIET
#define printf(...) ((void)0)
#endif

/* On lines of their own: heddle looks at memory in words, and main's must not be in one word with the threads'. */
static _Alignas(64) pthread_t together_thread[MOST];
static _Alignas(64) int together_count;
static _Alignas(64) char together_end[64];

/* Starts body with two small numbers, which it gets back with first() and second(). */
static inline void start(void *(*body)(void *), int first, int second)
{
  assert(together_count < MOST && !together_end[0]);
  pthread_create(&together_thread[together_count++], NULL, body, (void *)((intptr_t)first << 16 | (intptr_t)second));
}

static inline int first(void *arg)
{
  return (int)((intptr_t)arg >> 16);
}

static inline int second(void *arg)
{
  return (int)((intptr_t)arg & 0xffff);
}

static inline void *result(int value)
{
  return (void *)(intptr_t)value;
}

/* Waits for all of them and prints what each of them returned, with no end of line. */
static inline void finish(void)
{
  for (int i = 0; i < together_count; i++) {
    void *value;
    pthread_join(together_thread[i], &value);
    printf("%d ", (int)(intptr_t)value);
  }
}

/* The n-th argument of the program as a number. */
static inline int number(int argc, char **argv, int n, int otherwise)
{
#ifdef ARGUMENTS
  (void)argc, (void)argv;
  return n < (int)(sizeof together_given / sizeof together_given[0]) ? together_given[n] : otherwise;
#else
  return n < argc ? atoi(argv[n]) : otherwise;
#endif
}

#endif
