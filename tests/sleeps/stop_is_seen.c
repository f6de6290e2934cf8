/* SPDX-License-Identifier: Apache-2.0
 *
 * A background thread polls a flag every few milliseconds; the test lets it run, stops it, and looks that it made
 * progress and stopped. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static atomic_bool should_stop;
static atomic_int ticks;

static void tick(void)
{
#ifndef BUG
    atomic_fetch_add(&ticks, 1);
#endif
}

static void *background(void *arg)
{
    const struct timespec period = {0, 5 * 1000 * 1000};

    while (!atomic_load(&should_stop)) {
        tick();
        nanosleep(&period, NULL);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    const struct timespec a_while = {0, 50 * 1000 * 1000};

    if (pthread_create(&thread, NULL, background, NULL)) {
        perror("pthread_create");
        return 1;
    }
    nanosleep(&a_while, NULL);
    if (atomic_load(&ticks) == 0) {
        fprintf(stderr, "no tick\n");
        return 1;
    }
    atomic_store(&should_stop, true);
    pthread_join(thread, NULL);
    int at_stop = atomic_load(&ticks);
    nanosleep(&a_while, NULL);
    return atomic_load(&ticks) == at_stop ? 0 : 1;
}
