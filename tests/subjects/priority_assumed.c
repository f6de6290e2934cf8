/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker takes jobs from a queue; the job to stop has the highest number, in the belief that this puts it behind all
 * others. But the highest priority is received first: if the job to stop is there before the others were taken, they
 * are lost. Fixed: it has the lowest one, and the jobs are all there before it.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>

enum { JOBS = 3 };
#ifdef FIXED
enum { WORK = 1, STOP = 0 };
#else
enum { WORK = 0, STOP = 9 };
#endif

static mqd_t queue;

static void *worker(void *arg)
{
  int *done = arg;
  char job;

  while (mq_receive(queue, &job, 1, NULL) == 1 && job != 's')
    ++*done;
  return NULL;
}

int main(void)
{
  struct mq_attr room = {.mq_maxmsg = JOBS + 1, .mq_msgsize = 1};
  pthread_t thread;
  int done = 0;

  queue = mq_open("/jobs", O_CREAT | O_RDWR, 0600, &room);
  pthread_create(&thread, NULL, worker, &done);
  for (int i = 0; i < JOBS; i++)
    mq_send(queue, "j", 1, WORK);
  mq_send(queue, "s", 1, STOP);
  pthread_join(thread, NULL);
  assert(done == JOBS);
  mq_close(queue);
  mq_unlink("/jobs");
  return 0;
}
