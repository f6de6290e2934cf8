/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger looks whether it has appenders, and then calls the first, while another thread removes them all. With
 * -DFIXED it reads the pointer once.
 */
#include <pthread.h>
#include <stdatomic.h>

struct appender {
  int events;
};

static struct appender console;
static struct appender *_Atomic appenders = &console;

static void *log_event(void *unused)
{
#ifdef FIXED
  struct appender *first = atomic_load(&appenders);
  if (first)
    first->events++;
#else
  if (atomic_load(&appenders))
    atomic_load(&appenders)->events++;
#endif
  return unused;
}

static void *remove_all(void *unused)
{
  atomic_store(&appenders, NULL);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  pthread_create(&t[0], NULL, log_event, NULL);
  pthread_create(&t[1], NULL, remove_all, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
