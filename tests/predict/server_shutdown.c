/* SPDX-License-Identifier: Apache-2.0
 *
 * A small web server. Shutting down locks the factory, so that nobody makes new connections, and then the list of
 * clients to close them. A connection that ends, and a reaper that kills an idle one, lock the list and then, in the
 * helper that counts connections, the factory. Two circles on the same two locks: with the end of a connection and with
 * the reaper.
 *
 * The twin counts after it has left the list.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 2
 * real: 2
 */
#include <pthread.h>
#include <unistd.h>

#define CLIENTS 4

static pthread_mutex_t factory_lock = PTHREAD_MUTEX_INITIALIZER, list_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_count, closing; /* factory_lock */
static int connected[CLIENTS];  /* list_lock */

static int accept_connection(int client)
{
  pthread_mutex_lock(&factory_lock);
  int accepted = !closing;
  open_count += accepted;
  pthread_mutex_unlock(&factory_lock);
  if (accepted) {
    pthread_mutex_lock(&list_lock);
    connected[client] = 1;
    pthread_mutex_unlock(&list_lock);
  }
  return accepted;
}

static void count_down(int connections)
{
  pthread_mutex_lock(&factory_lock);
  open_count -= connections;
  pthread_mutex_unlock(&factory_lock);
}

static void connection_ended(int client)
{
  pthread_mutex_lock(&list_lock);
  int was = connected[client];
  connected[client] = 0;
#ifdef FIXED
  pthread_mutex_unlock(&list_lock);
  count_down(was);
#else
  count_down(was);
  pthread_mutex_unlock(&list_lock);
#endif
}

static void kill_idle(void)
{
  int killed = 0;
  pthread_mutex_lock(&list_lock);
  for (int i = 0; i < CLIENTS && !killed; i++) {
    killed = connected[i];
    connected[i] = 0;
  }
#ifdef FIXED
  pthread_mutex_unlock(&list_lock);
  count_down(killed);
#else
  count_down(killed);
  pthread_mutex_unlock(&list_lock);
#endif
}

static void shut_down(void)
{
  pthread_mutex_lock(&factory_lock);
  closing = 1;
  pthread_mutex_lock(&list_lock);
  for (int i = 0; i < CLIENTS; i++) {
    open_count -= connected[i];
    connected[i] = 0;
  }
  pthread_mutex_unlock(&list_lock);
  pthread_mutex_unlock(&factory_lock);
}

static void *worker(void *arg)
{
  for (int client = 0; client < CLIENTS; client += 2)
    if (accept_connection(client))
      connection_ended(client);
  accept_connection(1);
  return arg;
}

static void *reaper(void *arg)
{
  usleep(1000);
  kill_idle();
  return arg;
}

int main(void)
{
  pthread_t serving, reaping;

  pthread_create(&serving, NULL, worker, NULL);
  pthread_create(&reaping, NULL, reaper, NULL);
  usleep(10000);
  shut_down();
  pthread_join(serving, NULL);
  pthread_join(reaping, NULL);
  return open_count < 0;
}
