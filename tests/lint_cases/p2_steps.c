/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 2: walks whose step goes by way of another variable, lists that are taken apart, options of a command; not
 * where the other variable comes from elsewhere.
 */
#include "creation.h"
#include <unistd.h>

struct s_node {
  struct s_node *next, *previous;
};

extern struct s_node *s_any(void);
extern void s_free(struct s_node *node);

void free_all(struct s_node *at)
{
  while (at) { /* = bounded 2 */
    struct s_node *next = at->next;
    create();
    s_free(at);
    at = next;
  }
}

void free_any(struct s_node *at)
{
  while (at) { /* = possible */
    struct s_node *next = s_any();
    create();
    s_free(at);
    at = next;
  }
}

void take_apart(struct s_node *last)
{
  struct s_node *node;
  do { /* = bounded 2 */
    node = last;
    if (node->next)
      node->next->previous = node->previous;
    else
      last = node->previous;
    node->previous = NULL;
    create();
  } while (last);
}

void put_back(struct s_node *last, struct s_node *more)
{
  struct s_node *node;
  do { /* = possible, puts something into the list */
    node = last;
    last = node->previous;
    last->previous = more;
    create();
  } while (last);
}

static void take_option(int option)
{
  if (option == 't')
    create();
}

void take_options(int count, char **words)
{
  for (;;) { /* = bounded 2 */
    int option = getopt(count, words, "t");
    if (option == -1)
      break;
    take_option(option);
  }
}

static struct s_control {
  struct s_node *head;
  int active;
} s_control;

void *s_runs(void *argument)
{
  s_control.active = 1;
  s_control.head = NULL;
  return argument;
}

void start_listed(void)
{
  pthread_t thread;
  struct s_node *at;
  for (at = s_control.head; at; at = at->next) /* = bounded 2 */
    pthread_create(&thread, NULL, s_runs, NULL);
}
