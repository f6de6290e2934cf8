/* SPDX-License-Identifier: Apache-2.0
 *
 * A call through a pointer may call what was put into the same member; told as what may be. Where many were put into it
 * nobody knows which, and a recursion that calls through one walks through a structure.
 */
#include "creation.h"

struct l_handler {
  void (*run)(void);
  void (*stop)(void);
};

static void starts(void)
{
  create();
}

static void stops(void)
{
}

static struct l_handler handler = {.run = starts, .stop = stops};

void serve_all(void)
{
  for (;;) /* = may possible */
    handler.run();
}

void stop_all(void)
{
  for (;;)
    handler.stop();
}

struct l_tree {
  struct l_tree *child;
  void (*claim)(void);
};

void claim_all(struct l_tree *tree)
{
  tree->claim();
  if (tree->child)
    claim_all(tree->child);
}

static void claims(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
}

void make_tree(struct l_tree *tree)
{
  tree->claim = claims;
}

struct l_command {
  int (*perform)(int);
};

static int starts_one(int count)
{
  create();
  return count;
}

static int first(int count)
{
  return count;
}

static int second(int count)
{
  return count;
}

static int third(int count)
{
  return count;
}

static struct l_command commands[] = {{starts_one}, {first}, {second}, {third}};

void dispatch(void)
{
  for (int i = 0;; i = (i + 1) % 4)
    commands[i].perform(i);
}
