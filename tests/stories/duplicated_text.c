/* SPDX-License-Identifier: Apache-2.0
 *
 * The newest line of a log is handed out, and freed when the log comes round: the block is known by the call of strdup().
 * tell: the block of 6 bytes was allocated at duplicated_text\.c:23 in append and freed by T1 at duplicated_text\.c:22
 * tell: memory is freed while another thread uses it
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LINES 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *line[LINES];
static unsigned head;

static void append(const char *text)
{
  pthread_mutex_lock(&lock);
  unsigned at = head++ % LINES;
  free(line[at]);
  line[at] = strdup(text);
  pthread_mutex_unlock(&lock);
}

static size_t newest_length(void)
{
  pthread_mutex_lock(&lock);
  const char *newest = head ? line[(head - 1) % LINES] : "empty";
#ifdef FIXED
  size_t length = strlen(newest);
  pthread_mutex_unlock(&lock);
  return length;
#else
  pthread_mutex_unlock(&lock);
  return strlen(newest);
#endif
}

static void *writer(void *unused)
{
  for (int i = 0; i < 3; i++)
    append("event");
  return unused;
}

static void *reader(void *unused)
{
  assert(newest_length() == 5);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, writer, NULL);
  pthread_create(&thread[1], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < LINES; i++)
    free(line[i]);
}
