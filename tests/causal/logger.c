/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger has its lock when it looks at its filter and uses it; but whoever sets the filter has not. With -DFIXED it
 * reads the filter once.
 */
#include <pthread.h>
#include <stdatomic.h>

struct filter {
  int level;
};

static struct filter severe = {3};
static struct filter *_Atomic filter = &severe;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *log_record(void *unused)
{
  volatile int passes = 1;
  pthread_mutex_lock(&lock);
#ifdef FIXED
  struct filter *own = atomic_load(&filter);
  if (own)
    passes = own->level > 2;
#else
  if (atomic_load(&filter))
    passes = atomic_load(&filter)->level > 2;
#endif
  pthread_mutex_unlock(&lock);
  (void)passes;
  return unused;
}

static void *set_filter(void *unused)
{
  atomic_store(&filter, NULL);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  pthread_create(&t[0], NULL, log_record, NULL);
  pthread_create(&t[1], NULL, set_filter, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  return 0;
}
