/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers take two locks in opposite orders while main waits in accept: that deadlock is real. Natively, with
 * pauses, 5 of 5 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
  return NULL;
}

static void *backward(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
  return NULL;
}

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  pthread_t thread[2];
  int server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  pthread_create(&thread[0], NULL, forward, NULL);
  pthread_create(&thread[1], NULL, backward, NULL);
  accept(server, NULL, NULL);
  return 0;
}
