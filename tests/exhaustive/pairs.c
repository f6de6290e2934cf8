/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs K: K pairs of threads, each pair with a mutex of its own; the first of a pair takes a mutex that all pairs
 * share afterwards. 2^K orders at the mutexes of the pairs and K! at the common one: 2^K * K!.
 */
#include "together.h"

static struct {
  _Alignas(64) pthread_mutex_t mutex;
} own[MOST], common;

static void *body(void *arg)
{
  pthread_mutex_lock(&own[first(arg)].mutex);
  pthread_mutex_unlock(&own[first(arg)].mutex);
  if (second(arg) == 0) {
    pthread_mutex_lock(&common.mutex);
    pthread_mutex_unlock(&common.mutex);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int k = number(argc, argv, 1, 2);

  pthread_mutex_init(&common.mutex, NULL);
  for (int i = 0; i < k; i++) {
    pthread_mutex_init(&own[i].mutex, NULL);
    start(body, i, 0);
    start(body, i, 1);
  }
  finish();
  printf("\n");
  return 0;
}
