/* SPDX-License-Identifier: Apache-2.0
 *
 * A server whose workers have something to do from time to time, while main waits for clients and keeps the clock. Nobody
 * comes. It never ends, and it never repeats itself.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 * options: --max-steps 3000
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long rounds, seconds;

static void *maintain(void *unused)
{
  (void)unused;
  for (;;) {
    usleep(1000);
    pthread_mutex_lock(&mutex);
    rounds++;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(address.sun_path + 1, "server_with_timers"); /* of no file system */
  assert(server >= 0 && !bind(server, (struct sockaddr *)&address, sizeof address) && !listen(server, 1));
  pthread_t thread;
  pthread_create(&thread, NULL, maintain, NULL);
  for (;;) {
    struct pollfd one = {.fd = server, .events = POLLIN};
    if (poll(&one, 1, 1000) > 0)
      return close(server);
    pthread_mutex_lock(&mutex);
    seconds++;
    pthread_mutex_unlock(&mutex);
  }
}
