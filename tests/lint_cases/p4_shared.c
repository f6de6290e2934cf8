/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 4: a queue that other threads use may be filled while it is emptied.
 */
#include "creation.h"
#include <sys/queue.h>

struct p4b_job {
  STAILQ_ENTRY(p4b_job) link;
};
static STAILQ_HEAD(, p4b_job) p4b_jobs = STAILQ_HEAD_INITIALIZER(p4b_jobs);
static STAILQ_HEAD(, p4b_job) p4b_own = STAILQ_HEAD_INITIALIZER(p4b_own);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void p4b_put(struct p4b_job *job)
{
  pthread_mutex_lock(&mutex);
  STAILQ_INSERT_TAIL(&p4b_jobs, job, link);
  pthread_mutex_unlock(&mutex);
}

void start_shared(void)
{
  while (!STAILQ_EMPTY(&p4b_jobs)) { /* = possible, used by several threads */
    STAILQ_REMOVE_HEAD(&p4b_jobs, link);
    create();
  }
}

void start_own(void)
{
  while (!STAILQ_EMPTY(&p4b_own)) { /* = bounded 4 */
    STAILQ_REMOVE_HEAD(&p4b_own, link);
    create();
  }
}
