/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of threads that do jobs.
 */
#ifndef POOL_H
#define POOL_H

struct pool;

typedef void job(void *arg);

/* NULL when there is no memory or no thread. */
struct pool *pool_create(int threads);

/* Does what was submitted, then ends the threads. */
void pool_destroy(struct pool *pool);

/* False when there is no memory. */
_Bool pool_submit(struct pool *pool, job *run, void *arg);

/* Returns when all jobs that were submitted are done. */
void pool_wait(struct pool *pool);

#endif
