/* SPDX-License-Identifier: Apache-2.0
 *
 * GLib: two producers and two consumers around a GAsyncQueue, and a bounded buffer of GMutex and GCond. Debian's
 * libglib-2.0 does not call pthread mutexes for GMutex and GCond: they are futexes of its own.
 */
#include <glib.h>
#include <stdio.h>

#define ITEMS 3
#define PRODUCERS 2
#define CONSUMERS 2

static GAsyncQueue *queue;
static GMutex lock;
static GCond changed;
static int buffer[2], used;

static gpointer produce(gpointer base)
{
  for (int i = 0; i < ITEMS; i++) {
    int item = GPOINTER_TO_INT(base) + i;
    g_mutex_lock(&lock);
    while (used == 2)
      g_cond_wait(&changed, &lock);
    buffer[used++] = item;
    g_cond_broadcast(&changed);
    g_mutex_unlock(&lock);
  }
  return NULL;
}

/* From the bounded buffer to the queue. */
static gpointer move(gpointer unused)
{
  (void)unused;
  for (int i = 0; i < ITEMS * PRODUCERS / CONSUMERS; i++) {
    g_mutex_lock(&lock);
    while (used == 0)
      g_cond_wait(&changed, &lock);
    int item = buffer[--used];
    g_cond_broadcast(&changed);
    g_mutex_unlock(&lock);
    int *box = g_new(int, 1);
    *box = item;
    g_async_queue_push(queue, box);
  }
  return NULL;
}

int main(void)
{
  queue = g_async_queue_new_full(g_free);
  GThread *thread[PRODUCERS + CONSUMERS];
  for (int i = 0; i < PRODUCERS; i++)
    thread[i] = g_thread_new("produce", produce, GINT_TO_POINTER(1 + i * 100));
  for (int i = 0; i < CONSUMERS; i++)
    thread[PRODUCERS + i] = g_thread_new("move", move, NULL);
  int sum = 0;
  for (int i = 0; i < ITEMS * PRODUCERS; i++) {
    int *box = g_async_queue_pop(queue);
    sum += *box;
    g_free(box);
  }
  for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
    g_thread_join(thread[i]);
  g_assert_cmpint(g_async_queue_length(queue), ==, 0);
  g_async_queue_unref(queue);
  printf("sum %d\n", sum);
  return sum == 312 ? 0 : 1;
}
