/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool with one worker runs jobs in the order they came, as the unit tests of event loops check it: the worker is first
 * given time to become idle, and time to finish. Sleeps by a helper of its own. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_JOBS 8

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    char jobs[MAX_JOBS];
    int head, tail;
    bool stop;
    pthread_t thread;
};

static char history[MAX_JOBS + 1];

static void msleep(long ms)
{
    struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};
    nanosleep(&ts, NULL);
}

static void *worker(void *arg)
{
    struct pool *p = arg;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->head == p->tail && !p->stop)
            pthread_cond_wait(&p->wake, &p->lock);
        if (p->head == p->tail)
            break;
        strncat(history, &p->jobs[p->head], 1);
#ifdef BUG
        strncat(history, &p->jobs[p->head], 1); /* a job is run twice */
#endif
        p->head++;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void pool_submit(struct pool *p, char job)
{
    pthread_mutex_lock(&p->lock);
    p->jobs[p->tail++] = job;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void pool_stop(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
}

int main(void)
{
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

    pthread_create(&pool.thread, NULL, worker, &pool);
    msleep(50); /* the worker is idle now */

    pool_submit(&pool, 'a');
    pool_submit(&pool, 'b');
    msleep(50);
    pthread_mutex_lock(&pool.lock);
    assert(strcmp(history, "ab") == 0);
    pthread_mutex_unlock(&pool.lock);

    pool_stop(&pool);
    puts("ok");
    return 0;
}
