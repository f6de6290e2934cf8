/* SPDX-License-Identifier: Apache-2.0
 *
 * libuv: work for its thread pool, an async handle woken by a thread of our own, a timer; all on one loop (epoll,
 * eventfd).
 */
#include <assert.h>
#include <stdio.h>
#include <uv.h>

#define JOBS 3

struct job {
  uv_work_t request;
  int in, out;
};

static int sum, done, woken, ticked;
static uv_async_t async;
static uv_mutex_t lock;
static int sent;

static void work(uv_work_t *request)
{
  struct job *job = request->data;
  job->out = job->in * job->in;
}

static void after(uv_work_t *request, int status)
{
  struct job *job = request->data;
  assert(status == 0);
  sum += job->out;
  done++;
}

static void wake_up(uv_async_t *handle)
{
  uv_mutex_lock(&lock);
  woken = sent;
  uv_mutex_unlock(&lock);
  if (woken == 2)
    uv_close((uv_handle_t *)handle, NULL);
}

static void send_twice(void *unused)
{
  (void)unused;
  for (int i = 0; i < 2; i++) {
    uv_mutex_lock(&lock);
    sent++;
    uv_mutex_unlock(&lock);
    uv_async_send(&async);
  }
}

static void tick(uv_timer_t *timer)
{
  if (++ticked == 2)
    uv_close((uv_handle_t *)timer, NULL);
}

int main(void)
{
  uv_loop_t loop;
  uv_timer_t timer;
  uv_thread_t sender;
  struct job job[JOBS];
  uv_loop_init(&loop);
  uv_mutex_init(&lock);
  uv_async_init(&loop, &async, wake_up);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, tick, 5, 10);
  for (int i = 0; i < JOBS; i++) {
    job[i] = (struct job){.in = i + 1};
    job[i].request.data = &job[i];
    uv_queue_work(&loop, &job[i].request, work, after);
  }
  uv_thread_create(&sender, send_twice, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_thread_join(&sender);
  int busy = uv_loop_close(&loop);
  uv_mutex_destroy(&lock);
  printf("sum %d done %d woken %d ticked %d busy %d\n", sum, done, woken, ticked, busy);
  return sum == 14 && done == JOBS && woken == 2 && ticked == 2 && !busy ? 0 : 1;
}
