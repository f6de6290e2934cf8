/* SPDX-License-Identifier: Apache-2.0
 *
 * A downloader whose threads add what they wrote to a total. The helper that adds was made faster by the change: it no
 * longer takes the lock (as in a downloader that never came to its end). Fails if two additions overlap. */
#include "ordinary.h"

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add_to_total(int bytes)
{
#ifdef OLD
  pthread_mutex_lock(&total_lock);
#endif
  total += bytes;
#ifdef OLD
  pthread_mutex_unlock(&total_lock);
#endif
}

static void *download(void *unused)
{
  log_line();
  count_line();
  add_to_total(2);
  return unused;
}

int main(void)
{
  RUN(download, download);
  assert(total == 4);
}
