/* SPDX-License-Identifier: Apache-2.0
 *
 * philosophers N: each takes the left fork, then the right one, and puts them back, the right one first. 2^N - 1
 * classes, one of them the deadlock in which everybody has a left fork.
 */
#include "together.h"

static pthread_mutex_t fork_of[MOST];

static void *philosopher(void *arg)
{
  int left = first(arg), right = (left + 1) % second(arg);

  pthread_mutex_lock(&fork_of[left]);
  pthread_mutex_lock(&fork_of[right]);
  pthread_mutex_unlock(&fork_of[right]);
  pthread_mutex_unlock(&fork_of[left]);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3);

  for (int i = 0; i < n; i++)
    pthread_mutex_init(&fork_of[i], NULL);
  for (int i = 0; i < n; i++)
    start(philosopher, i, n);
  finish();
  printf("\n");
  return 0;
}
