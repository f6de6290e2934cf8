/* SPDX-License-Identifier: Apache-2.0
 *
 * A client whose event thread uses the session's bandwidth object. It was made before the thread was started; the change
 * makes it after (as in a file-sharing client that crashed at its start). Fails if the thread comes first. */
#include "ordinary.h"

static struct session {
  pthread_mutex_t lock;
  int *bandwidth;
} session = {PTHREAD_MUTEX_INITIALIZER, NULL};
static int limit = 7;

static void set_bandwidth(int *bandwidth)
{
  pthread_mutex_lock(&session.lock);
  session.bandwidth = bandwidth;
  pthread_mutex_unlock(&session.lock);
}

static void *events(void *unused)
{
  log_line();
  count_line();
  log_line();
  pthread_mutex_lock(&session.lock);
  int *bandwidth = session.bandwidth;
  pthread_mutex_unlock(&session.lock);
  assert(bandwidth && *bandwidth == 7);
  return unused;
}

int main(void)
{
  pthread_t thread;
#ifdef OLD
  set_bandwidth(&limit);
  pthread_create(&thread, NULL, events, NULL);
  log_line();
#else
  pthread_create(&thread, NULL, events, NULL);
  log_line();
  set_bandwidth(&limit);
#endif
  pthread_join(thread, NULL);
}
