/* SPDX-License-Identifier: Apache-2.0
 *
 * The first take must find an element and not wait, the second must wait for the second add. Only in that order does
 * every check have to hold.
 */
#include "queue.h"
#include <heddle_schedule.h>

HD_SCHEDULE(take_with_add, "afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");

static struct queue queue = QUEUE;

static void *add(void *arg)
{
  queue_add(&queue, 1);
  HD_EVENT(afterAdd1);
  HD_EVENT(beforeAdd2);
  HD_CHECK(queue_add(&queue, 2));
  return arg;
}

int main(void)
{
  pthread_t adder;
  HD_CREATE(&adder, "adder", add, NULL);
  HD_EVENT(beforeTake1);
  HD_CHECK(!queue_is_empty(&queue));
  HD_CHECK(queue_take(&queue) == 1);
  HD_EVENT(beforeTake2);
  HD_CHECK(queue_take(&queue) == 2);
  HD_CHECK(queue_is_empty(&queue));
  pthread_join(adder, NULL);
  return 0;
}
