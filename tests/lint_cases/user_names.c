/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that only the user knows: what creates a thread, and a queue of one's own.
 */
struct u_queue;
extern int u_spawn(void (*function)(void));
extern int u_queue_is_empty(struct u_queue *);
extern void *u_queue_take(struct u_queue *);
extern void u_queue_put(struct u_queue *, void *);

static void work(void)
{
}

void start_jobs(struct u_queue *queue)
{
  while (!u_queue_is_empty(queue)) { /* = named bounded 4 */
    u_queue_take(queue);
    u_spawn(work);
  }
}

void start_and_put(struct u_queue *queue)
{
  while (!u_queue_is_empty(queue)) { /* = named possible, also adds to 'queue' */
    u_queue_put(queue, u_queue_take(queue));
    u_spawn(work);
  }
}
