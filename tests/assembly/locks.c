/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks by inline assembly around a counter: LOCK names one, BROKEN leaves it out, ROUNDS is how often each of two threads
 * goes through it. The C compiler sees none of what the locks do to memory.
 */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif
#define XCHG 1    /* exchange */
#define CMPXCHG 2 /* compare and exchange, in a function that only tries */
#define TICKET 3  /* fetch and add; the owner goes on by an increment without a lock */
#define LABELS 4  /* test and test and set, all of it in one piece with labels */
#define BITS 5    /* a bit beyond the word that is named */
#define C11 6     /* the same as XCHG, by the language */
#define QUEUE 7   /* of nodes on the threads' stacks, where each waits for its own */

static int counter;

#if LOCK == XCHG
static int taken;
static void lock(void)
{
  int value;
  do {
    value = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(taken) : : "memory");
  } while (value);
}
static void unlock(void)
{
  __asm__ volatile("movl $0, %0" : "=m"(taken) : : "memory");
}
#elif LOCK == CMPXCHG
static int taken;
static int try_lock(void)
{
  int old = 0;
  unsigned char got;
  __asm__ volatile("lock; cmpxchgl %3, %1\n\tsete %0"
                   : "=q"(got), "+m"(taken), "+a"(old)
                   : "r"(1)
                   : "memory", "cc");
  return got;
}
static void lock(void)
{
  while (!try_lock())
    __asm__ volatile("pause");
}
static void unlock(void)
{
  __asm__ volatile("movl %1, %0" : "=m"(taken) : "r"(0) : "memory");
}
#elif LOCK == TICKET
static struct {
  unsigned next, owner;
} tickets;
static void lock(void)
{
  unsigned mine = 1, owner;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(mine), "+m"(tickets.next) : : "memory", "cc");
  do
    __asm__ volatile("movl %1, %0" : "=r"(owner) : "m"(tickets.owner) : "memory");
  while (owner != mine);
}
static void unlock(void)
{
  __asm__ volatile("incl %0" : "+m"(tickets.owner) : : "memory", "cc");
}
#elif LOCK == LABELS
static int taken;
static void lock(void)
{
  __asm__ volatile("1:\tmovl $1, %%eax\n"
                   "\txchgl %%eax, %0\n"
                   "\ttestl %%eax, %%eax\n"
                   "\tje 3f\n"
                   "2:\trep; nop\n"
                   "\tcmpl $0, %0\n"
                   "\tjne 2b\n"
                   "\tjmp 1b\n"
                   "3:"
                   : "+m"(taken)
                   :
                   : "eax", "memory", "cc");
}
static void unlock(void)
{
  __asm__ volatile("movl $0, %0" : "=m"(taken) : : "memory");
}
#elif LOCK == BITS
static unsigned long words[2];
static void lock(void)
{
  unsigned char was;
  do
    __asm__ volatile("lock btsq %2, %1; setc %0" : "=q"(was), "+m"(words) : "r"(70L) : "memory", "cc");
  while (was);
}
static void unlock(void)
{
  __asm__ volatile("lock btrq %1, %0" : "+m"(words) : "r"(70L) : "memory", "cc");
}
#elif LOCK == QUEUE
struct node {
  int waits;
  struct node *next;
};
static struct node *last;
static int load(const int *p)
{
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*p) : "memory");
  return value;
}
static struct node *load_node(struct node *const *p)
{
  struct node *value;
  __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*p) : "memory");
  return value;
}
static void enter(struct node *mine)
{
  struct node *before = mine;
  mine->waits = 1;
  mine->next = NULL;
  __asm__ volatile("xchgq %0, %1" : "+r"(before), "+m"(last) : : "memory");
  if (!before)
    return;
  __asm__ volatile("movq %1, %0" : "=m"(before->next) : "r"(mine) : "memory");
  while (load(&mine->waits))
    ;
}
static void leave(struct node *mine)
{
  struct node *next = load_node(&mine->next), *seen = mine;
  if (!next) {
    __asm__ volatile("lock cmpxchgq %2, %0" : "+m"(last), "+a"(seen) : "r"(NULL) : "memory", "cc");
    if (seen == mine)
      return;
    while (!(next = load_node(&mine->next)))
      ;
  }
  __asm__ volatile("movl $0, %0" : "=m"(next->waits) : : "memory");
}
#define lock() struct node mine; enter(&mine)
#define unlock() leave(&mine)
#elif LOCK == C11
static int taken;
static void lock(void)
{
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST))
    ;
}
static void unlock(void)
{
  __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}
#endif

static void *work(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
#ifndef BROKEN
    lock();
#endif
    counter++;
    unlock();
  }
  return unused;
}

int main(void)
{
  pthread_t thread[2];
#ifdef BROKEN
  lock();
#endif
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(counter == 2 * ROUNDS);
  return 0;
}
