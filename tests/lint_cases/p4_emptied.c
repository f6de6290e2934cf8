/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 4: a queue that is only emptied; each clause of it: nothing is removed, something is added.
 */
#include "creation.h"
#include <stdlib.h>
#include <sys/queue.h>

struct p4_job {
  TAILQ_ENTRY(p4_job) link;
};
TAILQ_HEAD(p4_jobs, p4_job);

void start_jobs(struct p4_jobs *jobs)
{
  while (!TAILQ_EMPTY(jobs)) { /* = bounded 4 */
    TAILQ_REMOVE(jobs, TAILQ_FIRST(jobs), link);
    create();
  }
}

void start_without_removing(struct p4_jobs *jobs)
{
  while (!TAILQ_EMPTY(jobs)) /* = possible, takes nothing from 'jobs' */
    create();
}

void start_and_add(struct p4_jobs *jobs)
{
  while (!TAILQ_EMPTY(jobs)) { /* = possible, also adds to 'jobs' */
    struct p4_job *job = TAILQ_FIRST(jobs);
    TAILQ_REMOVE(jobs, job, link);
    create();
    TAILQ_INSERT_TAIL(jobs, job, link);
  }
}
