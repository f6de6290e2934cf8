/* SPDX-License-Identifier: Apache-2.0
 *
 * The test of take_with_add.c as it is written without schedules: main sleeps until the first add must be over, the
 * adder until the second take must wait. On a busy machine neither need be true.
 */
#include "queue.h"
#include <heddle_schedule.h>

#define UNIT 100 /* microseconds */

static struct queue queue = QUEUE;

static void *add(void *arg)
{
  queue_add(&queue, 1);
  usleep(150 * UNIT);
  HD_CHECK(queue_add(&queue, 2));
  return arg;
}

int main(void)
{
  pthread_t adder;
  pthread_create(&adder, NULL, add, NULL);
  usleep(50 * UNIT);
  HD_CHECK(!queue_is_empty(&queue));
  HD_CHECK(queue_take(&queue) == 1);
  HD_CHECK(queue_is_empty(&queue));
  HD_CHECK(queue_take(&queue) == 2);
  HD_CHECK(queue_is_empty(&queue));
  pthread_join(adder, NULL);
  return 0;
}
