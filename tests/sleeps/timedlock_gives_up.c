/* SPDX-License-Identifier: Apache-2.0
 *
 * A timed lock gives up while another thread keeps the lock for longer; from a test of a portability layer. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    pthread_mutex_t *mutex;
    bool locked;
    bool timed_out;
} context_t;

static void *thread_entry(void *data)
{
    context_t *ctx = data;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
#ifdef BUG
    until.tv_sec += 100; /* does not give up */
#endif
    int rc = pthread_mutex_timedlock(ctx->mutex, &until);
    if (rc == 0) {
        ctx->locked = true;
        pthread_mutex_unlock(ctx->mutex);
    } else if (rc == ETIMEDOUT) {
        ctx->timed_out = true;
    }
    return NULL;
}

int main(void)
{
    pthread_mutex_t mutex;
    pthread_t thread;
    context_t ctx = {.mutex = &mutex, .locked = false, .timed_out = false};

    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, thread_entry, &ctx);
    usleep(200 * 1000);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);

    assert(ctx.timed_out && !ctx.locked);
    pthread_mutex_destroy(&mutex);
    return 0;
}
