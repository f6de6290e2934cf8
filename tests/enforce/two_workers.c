/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers share a task, and each should do one part of every round, in either order, alone. Nothing here sees to
 * that, and the program fails (status 1) when one is ahead or both work at once; two_workers.mop does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 10 };

struct task {
  atomic_int working, overlaps, unfair;
  atomic_int done[2];
};

static struct task task;

void do_work(struct task *t, int who, unsigned us)
{
  t->overlaps += t->working++ != 0;
  t->unfair += abs(t->done[who] - t->done[!who]) > 1;
  usleep(us);
  t->done[who]++;
  t->unfair += abs(t->done[who] - t->done[!who]) > 1;
  t->working--;
}

static void *worker(void *arg)
{
  int who = (int)(long)arg;
  unsigned seed = (unsigned)who + 1;
  pthread_setname_np(pthread_self(), who ? "t2" : "t1");
  for (int i = 0; i < ROUNDS; i++)
    do_work(&task, who, (unsigned)rand_r(&seed) % 300);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  if (task.overlaps || task.unfair)
    printf("%d times both worked, %d times one was ahead\n", task.overlaps, task.unfair);
  return task.overlaps || task.unfair;
}
