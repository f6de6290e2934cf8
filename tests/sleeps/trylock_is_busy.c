/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_mutex_trylock() says EBUSY while another thread is inside, and not afterwards. Sleeps by select(), as old
 * portable code does. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void delay(int msec)
{
    struct timeval tv;

    tv.tv_sec = msec / 1000;
    tv.tv_usec = (msec % 1000) * 1000;
    select(0, NULL, NULL, NULL, &tv);
}

#ifdef BUG
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
#define HELD another
#else
#define HELD m
#endif

static void *holder(void *unused)
{
    pthread_mutex_lock(&HELD);
    delay(100);
    pthread_mutex_unlock(&HELD);
    return unused;
}

int main(void)
{
    pthread_t t;
    int r;

    pthread_create(&t, NULL, holder, NULL);
    delay(50);
    r = pthread_mutex_trylock(&m);
    if (r != EBUSY) {
        fprintf(stderr, "trylock while held: %d\n", r);
        return 1;
    }
    delay(100);
    r = pthread_mutex_trylock(&m);
    if (r != 0) {
        fprintf(stderr, "trylock while free: %d\n", r);
        return 1;
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
