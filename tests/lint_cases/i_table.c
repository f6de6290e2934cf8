/* SPDX-License-Identifier: Apache-2.0
 *
 * A server with a place in a table for each connection, looked for there or by a function; with a list that grows; with
 * a table in which a connection is looked up; and with threads that ask for the limit themselves.
 */
#include "creation.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACES 64
#define NOBODY (-1)

struct t_client {
  int fd;
  struct t_client *next;
};

static struct t_client *t_client[PLACES];
static struct t_client t_place[PLACES];
static struct t_client *t_list;
static pthread_t t_thread[PLACES];
static int t_running, t_most = 100;

static struct t_client *free_place(void)
{
  for (int i = 0; i < PLACES; i++)
    if (t_place[i].fd == NOBODY)
      return &t_place[i];
  return NULL;
}

static struct t_client *place_of(int fd)
{
  for (int i = 0; i < PLACES; i++)
    if (t_place[i].fd == fd)
      return &t_place[i];
  return NULL;
}

void with_table(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 7, takes a free place */
    int fd = accept(listener, NULL, NULL), i;
    for (i = 0; i < PLACES; i++)
      if (!t_client[i])
        break;
    if (i == PLACES) {
      close(fd);
      continue;
    }
    t_client[i] = malloc(sizeof **t_client);
    pthread_create(&thread, NULL, work, t_client[i]);
  }
}

void with_search(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 7, takes a free place */
    int fd = accept(listener, NULL, NULL);
    struct t_client *client = free_place();
    if (!client)
      continue;
    client->fd = fd;
    pthread_create(&thread, NULL, work, client);
  }
}

void where_it_is_free(int listener)
{
  for (;;) { /* = live 7, takes a free place */
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < t_most; i++) /* = bounded 9 */
      if (fd >= 0 && !t_thread[i]) {
        pthread_create(&t_thread[i], NULL, work, NULL);
        fd = -1;
      }
  }
}

void wherever_it_is(int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < t_most; i++) { /* = bounded 9 */
      if (t_thread[i] == (pthread_t)fd)
        pthread_create(&t_thread[i], NULL, work, NULL);
    }
  }
}

void whatever_came_of_it(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    struct t_client *client = free_place();
    if (fd >= 0)
      pthread_create(&thread, NULL, work, client);
  }
}

void with_lookup(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    struct t_client *client = place_of(accept(listener, NULL, NULL));
    if (client)
      pthread_create(&thread, NULL, work, client);
  }
}

void with_list(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    struct t_client *client;
    for (client = t_list; client; client = client->next)
      if (client->fd == NOBODY)
        break;
    if (!client)
      client = malloc(sizeof *client);
    client->fd = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, work, client);
  }
}

static void *asks(void *argument)
{
  if (__atomic_add_fetch(&t_running, 1, __ATOMIC_SEQ_CST) > 0 && t_most < 0)
    return NULL;
  if (t_running >= t_most)
    return NULL;
  __atomic_sub_fetch(&t_running, 1, __ATOMIC_SEQ_CST);
  return argument;
}

void with_limit_of_threads(int listener)
{
  pthread_t thread;
  while (accept(listener, NULL, NULL) >= 0) /* = live 8, checks the limit itself */
    pthread_create(&thread, NULL, asks, NULL);
}
