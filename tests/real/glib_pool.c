/* SPDX-License-Identifier: Apache-2.0
 *
 * GLib: a GThreadPool of two workers that answers into a GAsyncQueue, with g_once, GPrivate and GRWLock on the way.
 */
#include <glib.h>
#include <stdio.h>

#define JOBS 4

static GAsyncQueue *answers;
static GRWLock table_lock;
static int table[JOBS + 1];
static GPrivate scratch = G_PRIVATE_INIT(g_free);

static gpointer make_factor(gpointer unused)
{
  (void)unused;
  return GINT_TO_POINTER(10);
}

static void work(gpointer data, gpointer unused)
{
  (void)unused;
  static GOnce once = G_ONCE_INIT;
  int n = GPOINTER_TO_INT(data);
  int *mine = g_private_get(&scratch);
  if (!mine) {
    mine = g_new0(int, 1);
    g_private_set(&scratch, mine);
  }
  *mine = n * GPOINTER_TO_INT(g_once(&once, make_factor, NULL));
  g_rw_lock_writer_lock(&table_lock);
  table[n] = *mine;
  g_rw_lock_writer_unlock(&table_lock);
  g_async_queue_push(answers, data);
}

int main(void)
{
  answers = g_async_queue_new();
  GThreadPool *pool = g_thread_pool_new(work, NULL, 2, TRUE, NULL);
  for (int i = 1; i <= JOBS; i++)
    g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
  int sum = 0;
  for (int i = 0; i < JOBS; i++) {
    int n = GPOINTER_TO_INT(g_async_queue_pop(answers));
    g_rw_lock_reader_lock(&table_lock);
    sum += table[n];
    g_rw_lock_reader_unlock(&table_lock);
  }
  g_thread_pool_free(pool, FALSE, TRUE);
  g_async_queue_unref(answers);
  printf("sum %d\n", sum);
  return sum == 100 ? 0 : 1;
}
