/* SPDX-License-Identifier: Apache-2.0
 *
 * Several tests in one program with a small harness of macros, in the manner of minunit. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#define mu_assert(message, test) do { if (!(test)) return message; } while (0)
#define mu_run_test(test) do { const char *message = test(); tests_run++; if (message) return message; } while (0)
#define SLEEP_MS(n) usleep((n) * 1000)

static int tests_run;
static sem_t sem;
static volatile int passed;

static void *waiter(void *arg)
{
    (void)arg;
#ifndef BUG
    sem_wait(&sem);
#endif
    __sync_fetch_and_add(&passed, 1);
    return NULL;
}

static const char *test_post_before_wait(void)
{
    pthread_t t;

    passed = 0;
    sem_init(&sem, 0, 1);
    pthread_create(&t, NULL, waiter, NULL);
    SLEEP_MS(30);
    mu_assert("not passed", passed == 1);
    pthread_join(t, NULL);
    return NULL;
}

static const char *test_wait_before_post(void)
{
    pthread_t t;

    passed = 0;
    sem_init(&sem, 0, 0);
    pthread_create(&t, NULL, waiter, NULL);
    SLEEP_MS(30);
    mu_assert("passed too early", passed == 0);
    sem_post(&sem);
    pthread_join(t, NULL);
    mu_assert("did not pass", passed == 1);
    return NULL;
}

static const char *all_tests(void)
{
    mu_run_test(test_post_before_wait);
    mu_run_test(test_wait_before_post);
    return NULL;
}

int main(void)
{
    const char *result = all_tests();

    printf("%s, %d tests run\n", result ? result : "ALL TESTS PASSED", tests_run);
    return result != NULL;
}
