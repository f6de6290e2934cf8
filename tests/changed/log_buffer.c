/* SPDX-License-Identifier: Apache-2.0
 *
 * A server whose requests write to one buffered log. The copy and the new length were one critical section; the change
 * reserves room first and copies later, each under the lock (as in a web server whose log had garbage). Fails if two
 * requests reserve the same room. */
#include "ordinary.h"

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[8], length;

static void append(int entry)
{
#ifdef OLD
  pthread_mutex_lock(&buffer_lock);
  buffer[length] = entry;
  length++;
  pthread_mutex_unlock(&buffer_lock);
#else
  pthread_mutex_lock(&buffer_lock);
  int at = length;
  pthread_mutex_unlock(&buffer_lock);
  pthread_mutex_lock(&buffer_lock);
  buffer[at] = entry;
  length = at + 1;
  pthread_mutex_unlock(&buffer_lock);
#endif
}

static void *request(void *unused)
{
  log_line();
  append(1);
  count_line();
  return unused;
}

int main(void)
{
  RUN(request, request);
  assert(length == 2);
}
