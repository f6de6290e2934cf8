/* SPDX-License-Identifier: Apache-2.0
 *
 * One test, three schedules, three outcomes: which of two writers comes last, or a reader between them. The test says
 * which outcome belongs to which schedule by what its events allow.
 */
#include <heddle_schedule.h>
#include <stdio.h>

HD_SCHEDULE(first_wins, "written@second -> write@first, written@first && written@second -> read");
HD_SCHEDULE(second_wins, "written@first -> write@second, written@first && written@second -> read");
HD_SCHEDULE(between, "written@first -> read, done -> write@second");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *writer(void *arg)
{
  HD_EVENT(write);
  pthread_mutex_lock(&lock);
  value = *(int *)arg;
  pthread_mutex_unlock(&lock);
  HD_EVENT(written);
  return NULL;
}

int main(void)
{
  int one = 1, two = 2;
  pthread_t first, second;
  HD_CREATE(&first, "first", writer, &one);
  HD_CREATE(&second, "second", writer, &two);
  HD_EVENT(read);
  pthread_mutex_lock(&lock);
  int seen = value;
  pthread_mutex_unlock(&lock);
  HD_EVENT(done);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  printf("saw %d, left %d\n", seen, value);
  return 0;
}
