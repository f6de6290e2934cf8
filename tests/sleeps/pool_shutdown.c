/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool that is shut down while a task runs still does what is queued. BUG: it drops that.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct task {
  void (*run)(void);
  struct task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static int stopping;
static int done;

static void submit(void (*run)(void))
{
  struct task *t = calloc(1, sizeof *t);
  t->run = run;
  pthread_mutex_lock(&lock);
  *last = t;
  last = &t->next;
  pthread_cond_signal(&work);
  pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
  pthread_mutex_lock(&lock);
  for (;;) {
#ifdef BUG
    if (stopping)
      break;
#endif
    while (!first && !stopping)
      pthread_cond_wait(&work, &lock);
    struct task *t = first;
    if (!t)
      break;
    first = t->next;
    if (!first)
      last = &first;
    pthread_mutex_unlock(&lock);
    t->run();
    free(t);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return arg;
}

static void shut_down(void)
{
  pthread_mutex_lock(&lock);
  stopping = 1;
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&lock);
}

static void count(void)
{
  pthread_mutex_lock(&lock);
  done++;
  pthread_mutex_unlock(&lock);
}

static void slow_task(void)
{
  usleep(80000);
  count();
}

static void quick_task(void)
{
  count();
}

int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  submit(slow_task);
  submit(quick_task);
  usleep(20000); /* the slow one runs */
  shut_down();
  pthread_join(t, NULL);
  assert(done == 2);
  return 0;
}
