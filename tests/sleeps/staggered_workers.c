/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers that come one after the other because each sleeps longer than the one before it: the first writes first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 3

struct worker {
    pthread_t thread;
    int id;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrivals[WORKERS];
static int arrived;

static void *run(void *data)
{
    struct worker *self = (struct worker *)data;

    usleep(self->id * 30 * 1000);
    pthread_mutex_lock(&mutex);
#ifdef BUG
    arrivals[WORKERS - 1 - arrived++] = self->id;
#else
    arrivals[arrived++] = self->id;
#endif
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    struct worker workers[WORKERS];
    int i, failures = 0;

    for (i = 0; i < WORKERS; i++) {
        workers[i].id = i;
        if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0)
            return EXIT_FAILURE;
    }
    for (i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    for (i = 0; i < WORKERS; i++)
        if (arrivals[i] != i)
            failures++;
    printf("%d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
