/* SPDX-License-Identifier: Apache-2.0
 *
 * A subscriber that is late sees the last value only; publishes are a sleep apart, and so is the subscriber. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct topic {
    pthread_rwlock_t lock;
    int value;
    int version;
} topic;

static topic *topic_new(void)
{
    topic *t = calloc(1, sizeof(*t));
    pthread_rwlock_init(&t->lock, NULL);
    return t;
}

static void topic_publish(topic *t, int value)
{
    pthread_rwlock_wrlock(&t->lock);
    t->value = value;
#ifndef BUG
    t->version++;
#endif
    pthread_rwlock_unlock(&t->lock);
}

static int topic_read(topic *t, int *version)
{
    pthread_rwlock_rdlock(&t->lock);
    int value = t->value;
    *version = t->version;
    pthread_rwlock_unlock(&t->lock);
    return value;
}

static void *publisher(void *arg)
{
    topic *t = arg;
    topic_publish(t, 10);
    usleep(60000);
    topic_publish(t, 20);
    return NULL;
}

static void *subscriber(void *arg)
{
    topic *t = arg;
    int version;

    usleep(30000);
    int first = topic_read(t, &version);
    if (first != 10 || version != 1) {
        printf("first read %d of version %d\n", first, version);
        exit(1);
    }
    usleep(60000);
    int second = topic_read(t, &version);
    if (second != 20 || version != 2) {
        printf("second read %d of version %d\n", second, version);
        exit(1);
    }
    return NULL;
}

int main(void)
{
    topic *t = topic_new();
    pthread_t p, s;

    pthread_create(&p, NULL, publisher, t);
    pthread_create(&s, NULL, subscriber, t);
    pthread_join(p, NULL);
    pthread_join(s, NULL);
    pthread_rwlock_destroy(&t->lock);
    free(t);
    return 0;
}
