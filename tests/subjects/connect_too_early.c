/* SPDX-License-Identifier: Apache-2.0
 *
 * A server thread begins to listen, a client connects. Nothing says that the server was first: then the connection
 * is refused. The twin connects when the server says that it listens.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static sem_t listens;

static void *serve(void *arg)
{
  assert(listen(listener, 4) == 0);
  sem_post(&listens);
  return arg;
}

int main(void)
{
  pthread_t t;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;

  sem_init(&listens, 0, 0);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(listener, (struct sockaddr *)&at, size) == 0);
  assert(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
  pthread_create(&t, NULL, serve, NULL);
#ifdef FIXED
  sem_wait(&listens);
#endif
  int client = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr *)&at, size) == 0);
  pthread_join(t, NULL);
  close(client);
  close(listener);
  sem_destroy(&listens);
  return 0;
}
