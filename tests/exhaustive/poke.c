/* SPDX-License-Identifier: Apache-2.0
 *
 * poke N K: N workers say that they are done, each under its own mutex. K times somebody chooses a worker, by a
 * number that another thread counts up meanwhile, and looks whether it is done.
 */
#include "together.h"

static struct {
  _Alignas(64) pthread_mutex_t mutex;
  int done;
} worker[MOST];
static _Alignas(64) pthread_mutex_t choice_mutex = PTHREAD_MUTEX_INITIALIZER;
static int choice;

static void *work(void *arg)
{
  int i = first(arg);
  pthread_mutex_lock(&worker[i].mutex);
  worker[i].done = 1;
  pthread_mutex_unlock(&worker[i].mutex);
  return NULL;
}

static void *choose(void *arg)
{
  for (int i = 1; i < first(arg); i++) {
    pthread_mutex_lock(&choice_mutex);
    choice = i;
    pthread_mutex_unlock(&choice_mutex);
  }
  return NULL;
}

static void *look(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&choice_mutex);
  int i = choice;
  pthread_mutex_unlock(&choice_mutex);
  pthread_mutex_lock(&worker[i].mutex);
  int free = worker[i].done;
  worker[i].done = 0;
  pthread_mutex_unlock(&worker[i].mutex);
  return result(free);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 4), found = 0;

  for (int i = 0; i < n; i++) {
    pthread_mutex_init(&worker[i].mutex, NULL);
    start(work, i, 0);
  }
  for (int i = 0; i < k; i++) {
    pthread_t chooser, looker;
    void *free;
    pthread_create(&chooser, NULL, choose, (void *)((intptr_t)n << 16));
    pthread_create(&looker, NULL, look, NULL);
    pthread_join(chooser, NULL);
    pthread_join(looker, &free);
    found = found * 2 + (int)(intptr_t)free;
  }
  finish();
  printf("%d", found);
  for (int i = 0; i < n; i++)
    printf(" %d", worker[i].done);
  printf("\n");
  return 0;
}
