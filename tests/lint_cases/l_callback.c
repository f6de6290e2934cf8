/* SPDX-License-Identifier: Apache-2.0
 *
 * What an event loop calls again and again is a loop; a limit in it counts.
 */
#include "creation.h"

struct event_base;
struct event;
struct event *event_new(struct event_base *, int, short, void (*)(int, short, void *), void *);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int l_clients;

static void *serve(void *argument)
{
  pthread_mutex_lock(&mutex);
  l_clients--;
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void on_connect(int fd, short what, void *data) /* = unbounded */
{
  (void)fd, (void)what, (void)data;
  create();
}

static void on_limited(int fd, short what, void *data) /* = live 8 */
{
  pthread_t thread;
  (void)fd, (void)what, (void)data;
  pthread_mutex_lock(&mutex);
  if (l_clients >= 100) {
    pthread_mutex_unlock(&mutex);
    return;
  }
  l_clients++;
  pthread_mutex_unlock(&mutex);
  pthread_create(&thread, NULL, serve, NULL);
}

void listen_all(struct event_base *base)
{
  event_new(base, 3, 2, on_connect, NULL);
  event_new(base, 4, 2, on_limited, NULL);
}
