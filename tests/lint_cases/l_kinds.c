/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of every kind: for, while, do, goto, recursion, and a thread that creates its own kind.
 */
#include "creation.h"

extern int l_accept(void);

void by_do(void)
{
  do { /* = possible, no pattern fits the value of l_accept() */
    create();
  } while (l_accept());
}

void by_goto(void)
{
again: /* = possible; l_accept() > 0 */
  create();
  if (l_accept() > 0)
    goto again;
}

void by_goto_some(int n)
{
again: /* = bounded 5; --n > 0 */
  create();
  if (--n > 0)
    goto again;
}

void by_recursion(int depth) /* = bounded 5; depth > 0 */
{
  create();
  if (depth > 0)
    by_recursion(depth - 1);
}

void by_recursion_for_ever(int depth) /* = possible */
{
  create();
  if (l_accept())
    by_recursion_for_ever(depth);
}

static void *breeds(void *argument) /* = possible */
{
  pthread_t thread;
  if (l_accept())
    pthread_create(&thread, NULL, breeds, argument);
  return NULL;
}

void begin(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, breeds, NULL);
}

/* A clean-up that is jumped to from below is no loop: it ends in a return. */
int clean_up_above(int broken)
{
  if (broken < 0) {
  failed:
    return -1;
  }
  create();
  if (broken)
    goto failed;
  return 0;
}

struct link {
  struct link *next;
};
struct handed_on {
  struct link *at;
};

/* Each thread starts the next one, with the next element of a list. */
static void *hands_on(void *argument) /* = bounded 2 */
{
  const struct handed_on *mine = argument;
  static struct handed_on others;
  pthread_t thread;
  others.at = mine->at->next;
  if (others.at != NULL)
    pthread_create(&thread, NULL, hands_on, &others);
  return NULL;
}

void start_handing_on(struct handed_on *first)
{
  pthread_t thread;
  pthread_create(&thread, NULL, hands_on, first);
}

struct l_chain {
  struct l_chain *next;
};

static void *starts_next(void *argument);

static void start_chain(struct l_chain *chain)
{
  pthread_t thread;
  pthread_create(&thread, NULL, starts_next, chain);
}

/* As long as the list is. */
static void *starts_next(void *argument) /* = bounded 2 */
{
  struct l_chain *chain = argument;
  if (chain->next)
    start_chain(chain->next);
  return NULL;
}

static void calls_back(int depth);

/* Two functions that call each other are a loop as one that calls itself. */
void in_two(int depth) /* = possible; l_accept() */
{
  pthread_t thread;
  pthread_create(&thread, NULL, breeds, NULL);
  if (l_accept())
    calls_back(depth);
}

static void calls_back(int depth)
{
  in_two(depth);
}

static void counts_down(int depth);

void in_two_some(int depth) /* = bounded 5; depth > 0 */
{
  pthread_t thread;
  pthread_create(&thread, NULL, breeds, NULL);
  if (depth > 0)
    counts_down(depth - 1);
}

static void counts_down(int depth)
{
  in_two_some(depth);
}
