/* SPDX-License-Identifier: Apache-2.0
 *
 * A flush returns when all that was logged before it is written. BUG: when the queue is empty, though the last line is
 * still on its way.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued, written;
static bool writing, stop;
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER; /* the test holds it to make the disk slow */

static void *writer(void *arg)
{
  pthread_mutex_lock(&m);
  while (!stop || queued) {
    if (!queued) {
      pthread_cond_wait(&changed, &m);
      continue;
    }
    queued--;
    writing = true;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&disk);
    pthread_mutex_unlock(&disk);
    pthread_mutex_lock(&m);
    writing = false;
    written++;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&m);
  return arg;
}

static void log_line(void)
{
  pthread_mutex_lock(&m);
  queued++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&m);
}

static int log_flush(void)
{
  pthread_mutex_lock(&m);
#ifdef BUG
  while (queued)
#else
  while (queued || writing)
#endif
    pthread_cond_wait(&changed, &m);
  int n = written;
  pthread_mutex_unlock(&m);
  return n;
}

static void log_stop(void)
{
  pthread_mutex_lock(&m);
  stop = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&m);
}

static void *flusher(void *arg)
{
  usleep(30000); /* the line is with the writer, the disk is slow */
  *(int *)arg = log_flush();
  return NULL;
}

int main(void)
{
  int seen = 0;
  pthread_t w, f;
  pthread_create(&w, NULL, writer, NULL);
  pthread_mutex_lock(&disk);
  pthread_create(&f, NULL, flusher, &seen);
  log_line();
  usleep(60000);
  pthread_mutex_unlock(&disk);
  pthread_join(f, NULL);
  log_stop();
  pthread_join(w, NULL);
  assert(seen == 1);
  return 0;
}
