/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatcher S R: main hands R requests to S servers, which look once whether there is one. The server of a request is
 * whatever number another thread has counted to by then.
 */
#include "together.h"

static struct {
  _Alignas(64) pthread_mutex_t mutex;
  int requests;
} server[MOST];
static _Alignas(64) pthread_mutex_t choice_mutex = PTHREAD_MUTEX_INITIALIZER;
static int choice;

static void *serve(void *arg)
{
  int i = first(arg);
  pthread_mutex_lock(&server[i].mutex);
  int got = server[i].requests;
  pthread_mutex_unlock(&server[i].mutex);
  return result(got);
}

static void *choose(void *arg)
{
  for (int i = 0; i < first(arg); i++) {
    pthread_mutex_lock(&choice_mutex);
    choice = i;
    pthread_mutex_unlock(&choice_mutex);
  }
  return NULL;
}

static void request(int servers)
{
  pthread_t chooser;

  pthread_create(&chooser, NULL, choose, (void *)((intptr_t)servers << 16));
  pthread_mutex_lock(&choice_mutex);
  int i = choice;
  pthread_mutex_unlock(&choice_mutex);
  pthread_mutex_lock(&server[i].mutex);
  server[i].requests++;
  pthread_mutex_unlock(&server[i].mutex);
  pthread_join(chooser, NULL);
}

int main(int argc, char **argv)
{
  int s = number(argc, argv, 1, 2), r = number(argc, argv, 2, 2);

  for (int i = 0; i < s; i++) {
    pthread_mutex_init(&server[i].mutex, NULL);
    start(serve, i, 0);
  }
  for (int i = 0; i < r; i++)
    request(s);
  finish();
  for (int i = 0; i < s; i++)
    printf("%d ", server[i].requests);
  printf("\n");
  return 0;
}
