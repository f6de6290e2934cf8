/* SPDX-License-Identifier: Apache-2.0
 *
 * An event loop that waits in poll() is woken by a byte in its pipe, as the wake-up tests of event libraries do it. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static int wakeup[2];
static atomic_int iterations;
static atomic_int stopped;

static void loop_once(void)
{
    struct pollfd fd = {.fd = wakeup[0], .events = POLLIN};
    char byte;

    poll(&fd, 1, -1);
    if (read(wakeup[0], &byte, 1) == 1)
        atomic_fetch_add(&iterations, 1);
}

static void *loop_main(void *arg)
{
    while (!atomic_load(&stopped))
        loop_once();
    return arg;
}

static void loop_wake(void)
{
#ifdef BUG
    assert(write(wakeup[1], "x", 1) == 1); /* wakes twice */
#endif
    assert(write(wakeup[1], "x", 1) == 1);
}

int main(void)
{
    pthread_t loop;

    assert(pipe(wakeup) == 0);
    pthread_create(&loop, NULL, loop_main, NULL);

    usleep(20000);
    assert(atomic_load(&iterations) == 0); // nobody woke it
    loop_wake();
    usleep(20000);
    assert(atomic_load(&iterations) == 1);

    atomic_store(&stopped, 1);
    loop_wake();
    pthread_join(loop, NULL);
    assert(atomic_load(&iterations) == 2);
    printf("PASS\n");
    return 0;
}
