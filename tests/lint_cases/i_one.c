/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread at a time: a pointer says that there is one, or a flag of something that is looked up. Not if the pointer
 * is set only sometimes, if it is that of something new, or if there are ever more of what is looked up.
 */
#include "creation.h"
#include <stdlib.h>

extern int o_read(void);

struct o_task {
  struct o_task *next, *owner;
  int number, running;
};
struct o_job {
  struct o_job *next;
  int number, running;
};

static struct o_task *active, *tasks;
static struct o_job *jobs;

static int probe(struct o_task *task)
{
  if (active)
    return 0;
  active = task;
  create();
  return 1;
}

void probe_all(struct o_task *task)
{
  for (;;) /* = live 8, 'active' is set while there is one */
    if (o_read())
      probe(task);
}

void forget_active(void)
{
  active = NULL;
}

static struct o_task *other;

void sometimes_taken(struct o_task *task)
{
  for (;;) /* = possible */
    if (!other) {
      if (o_read())
        other = task;
      create();
    }
}

void own_new(struct o_task *task)
{
  for (;;) { /* = possible, does not set 'owner' to something new */
    struct o_task *fresh = calloc(1, sizeof *fresh);
    if (fresh->owner)
      continue;
    fresh->owner = task;
    create();
  }
}

static struct o_task *task_of(int number)
{
  struct o_task *at = tasks;
  while (at && at->number != number)
    at = at->next;
  return at;
}

static struct o_job *job_of(int number)
{
  struct o_job *at = jobs;
  while (at && at->number != number)
    at = at->next;
  return at;
}

void *o_task_runs(void *argument)
{
  struct o_task *task = argument;
  task->running = 0;
  return NULL;
}

void start_looked_up(void)
{
  pthread_t thread;
  for (;;) { /* = live 8, 'running' is set while there is one */
    struct o_task *task = task_of(o_read());
    if (!task || task->running)
      continue;
    task->running = 1;
    if (pthread_create(&thread, NULL, o_task_runs, task) != 0)
      task->running = 0;
  }
}

void start_ever_more(void)
{
  for (;;) { /* = possible, something new */
    struct o_job *job = job_of(o_read());
    if (!job) {
      struct o_job *fresh = malloc(sizeof *fresh);
      fresh->next = jobs;
      jobs = fresh;
      continue;
    }
    if (job->running)
      continue;
    job->running = 1;
    create();
  }
}
