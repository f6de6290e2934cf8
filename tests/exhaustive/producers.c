/* SPDX-License-Identifier: Apache-2.0
 *
 * producers N: N producers, one after the other, append their digit to a common number in base N. The worker that the
 * number stands for gets a task; N workers look twice each whether there is one.
 */
#include "together.h"

static struct {
  _Alignas(64) pthread_mutex_t mutex;
  int tasks;
} worker[MOST];
static _Alignas(64) pthread_mutex_t number_mutex = PTHREAD_MUTEX_INITIALIZER;
static int common;

static void *work(void *arg)
{
  int i = first(arg), done = 0;
  for (int turn = 0; turn < 2; turn++) {
    pthread_mutex_lock(&worker[i].mutex);
    if (worker[i].tasks > 0) {
      worker[i].tasks--;
      done++;
    }
    pthread_mutex_unlock(&worker[i].mutex);
  }
  return result(done);
}

static void *produce(void *arg)
{
  int n = second(arg);
  pthread_mutex_lock(&number_mutex);
  int mine = common = common * n + first(arg);
  pthread_mutex_unlock(&number_mutex);
  pthread_mutex_lock(&worker[mine % n].mutex);
  worker[mine % n].tasks++;
  pthread_mutex_unlock(&worker[mine % n].mutex);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  for (int i = 0; i < n; i++) {
    pthread_mutex_init(&worker[i].mutex, NULL);
    start(work, i, 0);
  }
  for (int i = 0; i < n; i++)
    start(produce, i, n);
  finish();
  for (int i = 0; i < n; i++)
    printf("%d ", worker[i].tasks);
  printf("common=%d\n", common);
  return 0;
}
