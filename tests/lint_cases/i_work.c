/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that starts all threads is given what each of them does, and for how many: what one of them compares says
 * nothing of another. A limit that is compared with one more than there are.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef void (*work_function)(void *of);

struct work_of_thread {
  work_function function;
  void *of;
};

static struct work_pool {
  pthread_mutex_t lock;
  int sleeping, wanted, fd;
} pool;

static void *do_work(void *given)
{
  struct work_of_thread *work = given;
  work->function(work->of);
  free(work);
  return NULL;
}

static void prepare_work(struct work_of_thread *work, work_function function, void *of)
{
  work->function = function;
  work->of = of;
}

static int start_work(work_function function, void *of)
{
  pthread_t thread;
  struct work_of_thread *work = malloc(sizeof *work);
  if (!work)
    return -1;
  prepare_work(work, function, of);
  return pthread_create(&thread, NULL, do_work, work);
}

static void serve_work(void *fd)
{
  close(*(int *)fd);
}

/* Sleeps, or ends if enough others do. */
static void sleep_in_pool(void *of)
{
  struct work_pool *p = of;
  pthread_mutex_lock(&p->lock);
  p->sleeping++;
  if (p->sleeping > p->wanted)
    close(p->fd);
  p->sleeping--;
  pthread_mutex_unlock(&p->lock);
}

void accept_for_work(int listener)
{
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    start_work(serve_work, &fd);
  }
}

void accept_for_pool(int listener)
{
  for (;;) { /* = possible, 'sleeping' goes up and down and is compared */
    pool.fd = accept(listener, NULL, NULL);
    start_work(sleep_in_pool, &pool);
  }
}

#define WORK_MOST 16
static int serving, greeted;

static void *serve_and_count(void *fd)
{
  serving++;
  close(*(int *)fd);
  serving--;
  return NULL;
}

void accept_one_more(int listener)
{
  pthread_t thread;
  for (;;) { /* = possible, 'serving' goes up and down and is compared */
    int fd = accept(listener, NULL, NULL);
    if (serving + 1 == WORK_MOST) {
      close(fd);
      continue;
    }
    pthread_create(&thread, NULL, serve_and_count, &fd);
  }
}

static void *greet(void *fd)
{
  greeted++;
  close(*(int *)fd);
  return NULL;
}

/* It is never counted down. */
void accept_and_greet(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    if (greeted + 1 == WORK_MOST)
      close(listener);
    pthread_create(&thread, NULL, greet, &fd);
  }
}
