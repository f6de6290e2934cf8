/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and flags by atomic functions are what they are with plain operators.
 */
#include "creation.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- counters ---- */

static atomic_int a_now;

static void *a_leaves(void *argument)
{
  atomic_fetch_sub(&a_now, 1);
  return argument;
}

void by_atomic_load(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8, 'a_now' counts them */
    int fd = accept(listener, NULL, NULL);
    if (atomic_load(&a_now) >= 50)
      continue;
    atomic_fetch_add(&a_now, 1);
    pthread_create(&thread, NULL, a_leaves, &fd);
  }
}

static int b_now;

static void *b_leaves(void *argument)
{
  __atomic_sub_fetch(&b_now, 1, __ATOMIC_SEQ_CST);
  return argument;
}

void by_builtin_load(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8, 'b_now' counts them */
    int fd = accept(listener, NULL, NULL);
    if (__atomic_load_n(&b_now, __ATOMIC_SEQ_CST) >= 50)
      continue;
    __atomic_add_fetch(&b_now, 1, __ATOMIC_SEQ_CST);
    pthread_create(&thread, NULL, b_leaves, &fd);
  }
}

static int c_now;

static void *c_leaves(void *argument)
{
  __sync_fetch_and_add(&c_now, -1);
  return argument;
}

void by_sync_result(int listener)
{
  pthread_t thread;
  for (;;) { /* = live 8, 'c_now' counts them */
    int fd = accept(listener, NULL, NULL);
    if (__sync_add_and_fetch(&c_now, 1) > 10) {
      __sync_sub_and_fetch(&c_now, 1);
      continue;
    }
    pthread_create(&thread, NULL, c_leaves, &fd);
  }
}

static atomic_int d_seen;

static void note_one(void)
{
  atomic_fetch_add(&d_seen, 1);
}

/* It only goes up: how many there have been. */
void by_atomic_statistics(int listener)
{
  pthread_t thread;
  for (;;) { /* = unbounded */
    int fd = accept(listener, NULL, NULL);
    note_one();
    if (atomic_load(&d_seen) == 1000)
      continue;
    pthread_create(&thread, NULL, work, &fd);
  }
}

/* ---- flags ---- */

static atomic_bool a_go = true;

void until_a_flag(void)
{
  while (atomic_load(&a_go)) { /* = bounded 3 */
    create();
    atomic_store(&a_go, false);
  }
}

static int b_go = 1;

void until_a_builtin_flag(void)
{
  while (__atomic_load_n(&b_go, __ATOMIC_ACQUIRE)) { /* = bounded 3 */
    create();
    __atomic_store_n(&b_go, 0, __ATOMIC_RELEASE);
  }
}

extern bool a_asks(void);

void until_asked(void)
{
  while (atomic_load(&a_go)) { /* = possible, is assigned from a call */
    create();
    atomic_store(&a_go, a_asks());
  }
}
