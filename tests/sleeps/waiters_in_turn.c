/* SPDX-License-Identifier: Apache-2.0
 *
 * A fair lock serves its waiters in the order they came. They are brought to the lock one after the other by a sleep in
 * the loop that starts them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WAITERS = 3 };

struct fair_lock {
    pthread_mutex_t mutex;
    pthread_cond_t turn;
    unsigned next_ticket, now_serving;
};

static struct fair_lock lock = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static int served[WAITERS], n_served;

static void fair_lock_acquire(struct fair_lock *l)
{
    pthread_mutex_lock(&l->mutex);
    unsigned mine = l->next_ticket++;
#ifdef BUG
    if (mine)
        mine = WAITERS + 1 - mine; /* the last is served first */
#endif
    while (mine != l->now_serving)
        pthread_cond_wait(&l->turn, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

static void fair_lock_release(struct fair_lock *l)
{
    pthread_mutex_lock(&l->mutex);
    l->now_serving++;
    pthread_cond_broadcast(&l->turn);
    pthread_mutex_unlock(&l->mutex);
}

static void *wait_for_lock(void *number)
{
    fair_lock_acquire(&lock);
    served[n_served++] = *(int *)number;
    fair_lock_release(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[WAITERS];
    int numbers[WAITERS];

    fair_lock_acquire(&lock);
    for (int i = 0; i < WAITERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, wait_for_lock, &numbers[i]);
        usleep(20000); /* make sure that thread i waits before thread i + 1 is started */
    }
    fair_lock_release(&lock);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WAITERS; i++) {
        if (served[i] != i) {
            fprintf(stderr, "served %d in place of %d\n", served[i], i);
            exit(1);
        }
    }
    return 0;
}
