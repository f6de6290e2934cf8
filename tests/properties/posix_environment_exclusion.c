/* SPDX-License-Identifier: Apache-2.0
 *
 * EnvironmentExclusion: one thread looks at the environment while another one changes it. Fixed: both hold a lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define BEGIN pthread_mutex_lock(&lock)
#define END pthread_mutex_unlock(&lock)
#else
#define BEGIN (void)&lock
#define END (void)0
#endif

static void *reader(void *unused)
{
  BEGIN;
  getenv("LEVEL");
  END;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  BEGIN;
  setenv("LEVEL", "2", 1);
  END;
  pthread_join(thread, NULL);
  return 0;
}
