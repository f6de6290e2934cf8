/* SPDX-License-Identifier: Apache-2.0
 *
 * The client thread waits for the server's word on a condition before it connects, the server in accept before it
 * gives it: inside the program nobody can go on. Natively, with pauses, 5 of 5 runs hung.
 *
 * verdict: noproof
 */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "never.sock"};

static void *client(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(fd, (struct sockaddr *)&address, sizeof address);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink("never.sock");
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  pthread_create(&thread, NULL, client, NULL);
  int peer = accept(server, NULL, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  close(peer);
  return 0;
}
