/* SPDX-License-Identifier: Apache-2.0
 *
 * producers N W D: N producers append D digits each to a common number in base N, one digit at a time. The worker that
 * the number stands for after the last of them gets a task; W workers (N of them if none is said) look twice each
 * whether there is one. N 5 2 is a family that has been published: 60, 2958 and 314064 classes for 2, 3 and 4
 * producers.
 */
#include "together.h"

static struct {
  _Alignas(64) pthread_mutex_t mutex;
  int tasks;
} worker[MOST];
static _Alignas(64) pthread_mutex_t number_mutex = PTHREAD_MUTEX_INITIALIZER;
static int common;
static int workers, digits; /* written before the first thread exists */

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
  int mine = 0;
  for (int i = 0; i < digits; i++) {
    pthread_mutex_lock(&number_mutex);
    mine = common = common * second(arg) + first(arg);
    pthread_mutex_unlock(&number_mutex);
  }
  pthread_mutex_lock(&worker[mine % workers].mutex);
  worker[mine % workers].tasks++;
  pthread_mutex_unlock(&worker[mine % workers].mutex);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  workers = number(argc, argv, 2, n);
  digits = number(argc, argv, 3, 1);
  for (int i = 0; i < workers; i++) {
    pthread_mutex_init(&worker[i].mutex, NULL);
    start(work, i, 0);
  }
  for (int i = 0; i < n; i++)
    start(produce, i, n);
  finish();
  for (int i = 0; i < workers; i++)
    printf("%d ", worker[i].tasks);
  printf("common=%d\n", common);
  return 0;
}
