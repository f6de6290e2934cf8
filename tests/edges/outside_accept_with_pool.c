/* SPDX-License-Identifier: Apache-2.0
 *
 * A server's main waits in accept, its two workers on a condition for jobs.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t jobs = PTHREAD_COND_INITIALIZER;
static int queued;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!queued)
    pthread_cond_wait(&jobs, &mutex);
  queued--;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  pthread_t thread[2];
  int server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (;;) {
    int client = accept(server, NULL, NULL);
    close(client);
    pthread_mutex_lock(&mutex);
    queued++;
    pthread_cond_signal(&jobs);
    pthread_mutex_unlock(&mutex);
  }
}
