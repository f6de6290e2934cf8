/* SPDX-License-Identifier: Apache-2.0
 *
 * liburcu: readers follow a pointer while a writer replaces what it points to and frees the old one after a grace
 * period; then, with CALL_RCU, once more by call_rcu. FLAVOUR 0 memb, 1 mb, 2 bp, 3 qsbr. With _LGPL_SOURCE the read
 * side is inline, and so instrumented.
 */
#define URCU_API_MAP
#if FLAVOUR == 0
#include <urcu/urcu-memb.h>
#elif FLAVOUR == 1
#include <urcu/urcu-mb.h>
#elif FLAVOUR == 2
#include <urcu/urcu-bp.h>
#else
#include <urcu/urcu-qsbr.h>
#endif
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu/rculist.h>

struct point {
  int x, y;
  struct rcu_head head;
};

static struct point *current;

static struct point *make(int x)
{
  struct point *p = malloc(sizeof *p);
  p->x = x;
  p->y = -x;
  return p;
}

/* rcu_assign_pointer and rcu_dereference as they are from liburcu 0.15 on. Those of 0.13 are volatile accesses with
 * fences in assembly, which the language calls a data race; heddle rightly says so. */
static void publish(struct point *p)
{
  __atomic_store_n(&current, p, __ATOMIC_RELEASE);
}

static struct point *look(void)
{
  return __atomic_load_n(&current, __ATOMIC_CONSUME);
}

static void *reader(void *unused)
{
  (void)unused;
  rcu_register_thread();
  for (int i = 0; i < 2; i++) {
    rcu_read_lock();
    struct point *p = look();
    assert(p->x + p->y == 0);
    rcu_read_unlock();
    rcu_quiescent_state();
  }
  rcu_unregister_thread();
  return NULL;
}

static void release(struct rcu_head *head)
{
  free(caa_container_of(head, struct point, head));
}

int main(void)
{
  rcu_register_thread();
  current = make(1);
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, reader, NULL);
  struct point *old = current;
  publish(make(2));
  synchronize_rcu();
  free(old);
#ifdef CALL_RCU
  old = current;
  publish(make(3));
  call_rcu(&old->head, release);
  rcu_barrier();
#else
  (void)release;
#endif
  rcu_thread_offline();
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  rcu_thread_online();
  printf("x %d\n", current->x);
  free(current);
  rcu_unregister_thread();
  return 0;
}
