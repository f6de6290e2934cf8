/* SPDX-License-Identifier: Apache-2.0
 *
 * How executions slow down as they have more threads: threads N starts N of them; each adds one to a counter under a
 * mutex. Correct.
 */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 128 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t t[MOST];
  int n = argc > 1 ? atoi(argv[1]) : 2;
  if (n > MOST)
    return 2;
  for (int i = 0; i < n; i++)
    pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < n; i++)
    pthread_join(t[i], NULL);
  return counter != n;
}
