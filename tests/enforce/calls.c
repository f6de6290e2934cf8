/* SPDX-License-Identifier: Apache-2.0
 *
 * What enforcement costs: threads call a function that does next to nothing, each with an object of its own, for some
 * time. Arguments: threads, milliseconds. Prints calls a second, of all threads, and nanoseconds of processor time for each.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 64 };

struct object {
  long uses;
  char apart[120];
};

static struct object objects[MOST];
static atomic_int stop;

void use(struct object *o)
{
  o->uses++;
}

static void *worker(void *arg)
{
  while (!stop)
    use(arg);
  return NULL;
}

int main(int argc, char **argv)
{
  int threads = argc > 1 ? atoi(argv[1]) : 1, ms = argc > 2 ? atoi(argv[2]) : 200;
  pthread_t thread[MOST];
  long uses = 0;
  for (int i = 0; i < threads && i < MOST; i++)
    pthread_create(&thread[i], NULL, worker, &objects[i]);
  usleep((useconds_t)ms * 1000);
  stop = 1;
  for (int i = 0; i < threads && i < MOST; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < MOST; i++)
    uses += objects[i].uses;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("%.0f %.0f\n", (double)uses * 1000 / ms, seconds * 1e9 / (double)uses);
  return 0;
}
