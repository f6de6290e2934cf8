/* SPDX-License-Identifier: Apache-2.0
 *
 * What a step costs as there are more of them: operations KIND STEPS THREADS lets THREADS threads perform about STEPS
 * operations of one kind together, all on the same few objects. Correct.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MOST = 250, BLOCK = 256 };

static atomic_long word;
static _Atomic unsigned char byte[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static char block[MOST][BLOCK];
static _Atomic(char *) kept;
static int ends[2], event;

static void load(unsigned me, long i)
{
  (void)me;
  if (i == 0)
    atomic_store(&word, 1);
  (void)atomic_load(&word);
}

static void store(unsigned me, long i)
{
  atomic_store(&word, me + i);
}

static void add(unsigned me, long i)
{
  (void)me, (void)i;
  atomic_fetch_add(&word, 1);
}

static void store_byte(unsigned me, long i)
{
  (void)me;
  atomic_store(&byte[i % 8], (unsigned char)i);
}

static void load_byte(unsigned me, long i)
{
  if (i % 16 == 0)
    atomic_store(&byte[i / 16 % 8], (unsigned char)me);
  (void)atomic_load(&byte[i % 8]);
}

/* From a block that all have written before they came here. */
static void copy(unsigned me, long i)
{
  (void)i;
  memcpy(block[me], block[0], BLOCK);
}

static void copy_back(unsigned me, long i)
{
  (void)i;
  pthread_mutex_lock(&mutex);
  memcpy(block[0], block[me], BLOCK);
  pthread_mutex_unlock(&mutex);
}

/* A block of its own for that of another one, which it writes to and frees. */
static void allocate(unsigned me, long i)
{
  char *p = malloc(BLOCK);
  (void)i;
  if (!p)
    exit(2);
  memset(p, (int)me, BLOCK);
  p = atomic_exchange(&kept, p);
  if (p)
    memset(p, (int)me, BLOCK);
  free(p);
}

static void lock_mutex(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void lock_spin(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
}

static void lock_to_read(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
}

static void lock_to_write(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
}

static void post(unsigned me, long i)
{
  (void)me, (void)i;
  sem_post(&semaphore);
}

static void post_and_wait(unsigned me, long i)
{
  (void)me, (void)i;
  sem_post(&semaphore);
  sem_wait(&semaphore);
}

static void signal_cond(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_cond_signal(&cond);
}

static void meet(unsigned me, long i)
{
  (void)me, (void)i;
  pthread_barrier_wait(&barrier);
}

static void use_pipe(unsigned me, long i)
{
  char c = 0;
  (void)me, (void)i;
  if (write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
    exit(2);
}

static void use_event(unsigned me, long i)
{
  (void)me, (void)i;
  if (eventfd_write(event, 1))
    exit(2);
}

static const struct kind {
  const char *name;
  void (*perform)(unsigned me, long i);
  int steps; /* of one call */
} kinds[] = {
    {"load", load, 1},
    {"store", store, 1},
    {"rmw", add, 1},
    {"byte-store", store_byte, 1},
    {"byte-load", load_byte, 1},
    {"copy-from", copy, 1},
    {"copy-to", copy_back, 3},
    {"malloc-free", allocate, 3},
    {"mutex", lock_mutex, 2},
    {"spin", lock_spin, 2},
    {"rdlock", lock_to_read, 2},
    {"wrlock", lock_to_write, 2},
    {"sem-post", post, 1},
    {"sem-wait", post_and_wait, 2},
    {"cond-signal", signal_cond, 1},
    {"barrier", meet, 2},
    {"pipe", use_pipe, 2},
    {"eventfd", use_event, 1},
};

static const struct kind *kind;
static long rounds;

static void *worker(void *arg)
{
  const struct kind *k = kind;
  long n = rounds;
  pthread_mutex_lock(&mutex);
  memset(block[0], 1, BLOCK);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&barrier);
  for (long i = 0; i < n; i++)
    k->perform((unsigned)(size_t)arg, i);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t t[MOST];
  int threads = argc > 3 ? atoi(argv[3]) : 0;
  for (const struct kind *k = kinds; argc > 3 && k < kinds + sizeof kinds / sizeof *kinds; k++)
    if (!strcmp(k->name, argv[1]))
      kind = k;
  if (!kind || threads < 1 || threads >= MOST || pipe2(ends, O_CLOEXEC) || (event = eventfd(0, EFD_CLOEXEC)) < 0)
    return 2;
  rounds = atol(argv[2]) / threads / kind->steps;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  pthread_spin_init(&spin, 0);
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < threads; i++)
    pthread_create(&t[i], NULL, worker, (void *)(size_t)(i + 1));
  for (int i = 0; i < threads; i++)
    pthread_join(t[i], NULL);
  free(kept);
  close(ends[0]);
  close(ends[1]);
  close(event);
  return 0;
}
