#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs that know of the thread sanitizer: all of its interface is there, and does no harm without heddle. What it says
# orders accesses or silences races, no more: each way has a twin that says too little, in which the race is found.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The older annotations have no header of their own on most systems.
cat >annotations.h <<'EOF_H'
#ifdef __cplusplus
extern "C" {
#endif
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void WTFAnnotateHappensBefore(const char *, int, const volatile void *);
void WTFAnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateCondVarSignal(const char *, int, const volatile void *);
void AnnotateCondVarSignalAll(const char *, int, const volatile void *);
void AnnotateCondVarWait(const char *, int, const volatile void *, const volatile void *);
void AnnotatePCQCreate(const char *, int, const volatile void *);
void AnnotatePCQDestroy(const char *, int, const volatile void *);
void AnnotatePCQPut(const char *, int, const volatile void *);
void AnnotatePCQGet(const char *, int, const volatile void *);
void AnnotateRWLockCreate(const char *, int, const volatile void *);
void AnnotateRWLockCreateStatic(const char *, int, const volatile void *);
void AnnotateRWLockDestroy(const char *, int, const volatile void *);
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long);
void AnnotateRWLockReleased(const char *, int, const volatile void *, long);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
void AnnotateIgnoreSyncBegin(const char *, int);
void AnnotateIgnoreSyncEnd(const char *, int);
void AnnotateBenignRace(const char *, int, const volatile void *, const char *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);
void WTFAnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);
void AnnotateExpectRace(const char *, int, const volatile void *, const char *);
void AnnotateFlushExpectedRaces(const char *, int);
void AnnotateNewMemory(const char *, int, const volatile void *, unsigned long);
void AnnotatePublishMemoryRange(const char *, int, const volatile void *, unsigned long);
void AnnotateUnpublishMemoryRange(const char *, int, const volatile void *, unsigned long);
void AnnotateMemoryIsInitialized(const char *, int, const volatile void *, unsigned long);
void AnnotateMemoryIsUninitialized(const char *, int, const volatile void *, unsigned long);
void AnnotateThreadName(const char *, int, const char *);
void AnnotateEnableRaceDetection(const char *, int, int);
void AnnotateMutexIsUsedAsCondVar(const char *, int, const volatile void *);
void AnnotateMutexIsNotPHB(const char *, int, const volatile void *);
void AnnotateTraceMemory(const char *, int, const volatile void *);
void AnnotateFlushState(const char *, int);
void AnnotateNoOp(const char *, int, const volatile void *);
int RunningOnValgrind(void);
double ValgrindSlowdown(void);
const char *ThreadSanitizerQuery(const char *);
void __tsan_testonly_barrier_init(unsigned long long *, unsigned);
void __tsan_testonly_barrier_wait(unsigned long long *);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
#ifdef __cplusplus
}
#endif
#define HERE __FILE__, __LINE__
EOF_H

cat >every.c <<'EOF_C'
/* Calls all of it, from two threads. */
#include "annotations.h"
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#ifndef __HEDDLE__
#error not under heddle
#endif
#if !defined __SANITIZE_THREAD__ && !(defined __clang__ && __has_feature(thread_sanitizer))
#error the program does not know
#endif
static int x, lock;
static unsigned long long barrier;
static void *all(void *unused)
{
  int here = 0;
  __tsan_acquire(&x), __tsan_release(&x);
  __tsan_mutex_create(&here, __tsan_mutex_not_static);
  __tsan_mutex_pre_lock(&here, __tsan_mutex_try_lock);
  __tsan_mutex_post_lock(&here, __tsan_mutex_try_lock | __tsan_mutex_recursive_lock, 2);
  int times = __tsan_mutex_pre_unlock(&here, __tsan_mutex_recursive_unlock);
  __tsan_mutex_post_unlock(&here, 0);
  __tsan_mutex_pre_lock(&here, __tsan_mutex_try_read_lock_failed);
  __tsan_mutex_post_lock(&here, __tsan_mutex_try_read_lock_failed, 0);
  __tsan_mutex_pre_signal(&here, 0), __tsan_mutex_post_signal(&here, 0);
  __tsan_mutex_pre_lock(&here, 0);
  __tsan_mutex_pre_divert(&here, 0), __tsan_mutex_post_divert(&here, 0);
  __tsan_mutex_post_lock(&here, 0, 0);
  times += 10 * __tsan_mutex_pre_unlock(&here, 0);
  __tsan_mutex_post_unlock(&here, 0);
  __tsan_mutex_destroy(&here, __tsan_mutex_linker_init);
  void *tag = __tsan_external_register_tag("tag");
  __tsan_external_register_header(tag, "header");
  __tsan_external_assign_tag(&here, tag);
  __tsan_external_read(&here, __builtin_return_address(0), tag);
  __tsan_external_write(&here, __builtin_return_address(0), tag);
  void *own = __tsan_get_current_fiber(), *fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "fiber");
  __tsan_switch_to_fiber(fiber, 0);
  int right = __tsan_get_current_fiber() == fiber;
  __tsan_switch_to_fiber(own, __tsan_switch_to_fiber_no_sync);
  right &= __tsan_get_current_fiber() == own;
  __tsan_destroy_fiber(fiber);
  __tsan_flush_memory();
  __tsan_testonly_barrier_init(&barrier, 2), __tsan_testonly_barrier_wait(&barrier);
  __tsan_ignore_thread_begin(), __tsan_ignore_thread_end();
  AnnotateHappensBefore(HERE, &x), AnnotateHappensAfter(HERE, &x);
  WTFAnnotateHappensBefore(HERE, &x), WTFAnnotateHappensAfter(HERE, &x);
  AnnotateCondVarSignal(HERE, &x), AnnotateCondVarSignalAll(HERE, &x), AnnotateCondVarWait(HERE, &x, &lock);
  AnnotatePCQCreate(HERE, &here), AnnotatePCQPut(HERE, &here), AnnotatePCQGet(HERE, &here), AnnotatePCQDestroy(HERE, &here);
  AnnotateRWLockCreate(HERE, &here), AnnotateRWLockAcquired(HERE, &here, 1), AnnotateRWLockReleased(HERE, &here, 1);
  AnnotateRWLockDestroy(HERE, &here), AnnotateRWLockCreateStatic(HERE, &lock);
  AnnotateIgnoreReadsBegin(HERE), AnnotateIgnoreReadsEnd(HERE);
  AnnotateIgnoreWritesBegin(HERE), AnnotateIgnoreWritesEnd(HERE);
  AnnotateIgnoreSyncBegin(HERE), AnnotateIgnoreSyncEnd(HERE);
  AnnotateBenignRace(HERE, &here, ""), AnnotateBenignRaceSized(HERE, &here, sizeof here, "");
  WTFAnnotateBenignRaceSized(HERE, &here, sizeof here, ""), AnnotateExpectRace(HERE, &here, "");
  AnnotateFlushExpectedRaces(HERE), AnnotateNewMemory(HERE, &here, sizeof here);
  AnnotatePublishMemoryRange(HERE, &here, sizeof here), AnnotateUnpublishMemoryRange(HERE, &here, sizeof here);
  AnnotateMemoryIsInitialized(HERE, &here, sizeof here), AnnotateMemoryIsUninitialized(HERE, &here, sizeof here);
  AnnotateThreadName(HERE, "thread"), AnnotateEnableRaceDetection(HERE, 1), AnnotateMutexIsUsedAsCondVar(HERE, &lock);
  AnnotateMutexIsNotPHB(HERE, &lock), AnnotateTraceMemory(HERE, &x), AnnotateFlushState(HERE), AnnotateNoOp(HERE, &x);
  if (RunningOnValgrind() || ValgrindSlowdown() < 1 || !ThreadSanitizerQuery("pure_happens_before"))
    return NULL;
  x = right && times == 12; /* both threads say what orders it */
  __tsan_release(&x);
  return unused;
}
int main(int argc, char **argv)
{
  pthread_t t;
  pthread_create(&t, NULL, all, NULL);
  pthread_join(t, NULL);
  all(NULL);
  (void)argv;
  return x != (argc > 1);
}
EOF_C

cat >says.c <<'EOF_C'
/* says WHAT [less]: what it says of the accesses of `data`, or too little of it. */
#include "annotations.h"
#include <assert.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>
enum what { NOTHING, RELEASE, BEFORE, WTF, MUTEX, RWLOCK, READ_LOCK, IGNORE, BENIGN, BENIGN_BEFORE_MAIN, FIBER, SIGNAL };
static int data, sync[2], flag, taken;
static void *fiber;
static enum what what;
static int less;
#define OTHER(p) ((p) + less)

__attribute__((constructor)) static void before_main(int argc, char **argv)
{
  what = argc > 1 ? (enum what)atoi(argv[1]) : NOTHING;
  less = argc > 2;
  if (what == BENIGN_BEFORE_MAIN)
    AnnotateBenignRaceSized(HERE, OTHER(&data), sizeof data, "");
}
/* A lock whose inner workings order nothing: the annotations do. */
static void lock(void)
{
  if (what == MUTEX)
    __tsan_mutex_pre_lock(sync, 0);
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED))
    ;
  if (what == MUTEX)
    __tsan_mutex_post_lock(OTHER(sync), 0, 0);
  if (what == RWLOCK)
    AnnotateRWLockAcquired(HERE, OTHER(sync), 1);
}
static void unlock(void)
{
  if (what == MUTEX)
    __tsan_mutex_pre_unlock(sync, 0);
  if (what == RWLOCK)
    AnnotateRWLockReleased(HERE, sync, 1);
  __atomic_store_n(&taken, 0, __ATOMIC_RELAXED);
  if (what == MUTEX)
    __tsan_mutex_post_unlock(sync, 0);
}
static void *locks(void *unused)
{
  lock();
  data++;
  unlock();
  return unused;
}
static void *writes(void *unused)
{
  void *own = __tsan_get_current_fiber();
  if (what == FIBER)
    __tsan_switch_to_fiber(fiber, 0);
  if (what == IGNORE && !less)
    AnnotateIgnoreWritesBegin(HERE);
  if (what == READ_LOCK)
    AnnotateRWLockAcquired(HERE, sync, 0);
  data = 1;
  if (what == READ_LOCK)
    AnnotateRWLockReleased(HERE, sync, 0);
  if (what == IGNORE && !less)
    AnnotateIgnoreWritesEnd(HERE);
  if (what == RELEASE)
    __tsan_release(sync);
  if (what == BEFORE)
    AnnotateHappensBefore(HERE, sync);
  if (what == WTF)
    WTFAnnotateHappensBefore(HERE, sync);
  if (what == SIGNAL)
    AnnotateCondVarSignal(HERE, sync);
  if (what == FIBER)
    __tsan_switch_to_fiber(own, 0);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return unused;
}
static void reads(void)
{
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED))
    ;
  if (what == RELEASE)
    __tsan_acquire(OTHER(sync));
  if (what == BEFORE)
    AnnotateHappensAfter(HERE, OTHER(sync));
  if (what == WTF)
    WTFAnnotateHappensAfter(HERE, OTHER(sync));
  if (what == SIGNAL)
    AnnotateCondVarWait(HERE, OTHER(sync), &taken);
  if (what == FIBER && !less)
    __tsan_switch_to_fiber(fiber, 0);
  if (what == READ_LOCK)
    AnnotateRWLockAcquired(HERE, sync, !less); /* writers wait for readers, readers do not */
  assert(data == 1);
}
int main(void)
{
  pthread_t t;
  fiber = __tsan_create_fiber(0);
  if (what == BENIGN)
    AnnotateBenignRaceSized(HERE, OTHER(&data), sizeof data, "");
  if (what == MUTEX || what == RWLOCK) {
    pthread_create(&t, NULL, locks, NULL);
    locks(NULL);
    pthread_join(t, NULL);
    assert(data == 2);
    return 0;
  }
  pthread_create(&t, NULL, writes, NULL);
  reads();
  pthread_join(t, NULL);
  return 0;
}
EOF_C

cat >scheduled.c <<'EOF_C'
/* What is ignored is still scheduled: the update is lost. */
#include "annotations.h"
#include <assert.h>
#include <pthread.h>
static int n;
static void *add(void *unused)
{
  AnnotateIgnoreReadsBegin(HERE), AnnotateIgnoreWritesBegin(HERE);
  n++;
  AnnotateIgnoreWritesEnd(HERE), AnnotateIgnoreReadsEnd(HERE);
  return unused;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, add, NULL);
  add(NULL);
  pthread_join(t, NULL);
  assert(n == 2);
  return 0;
}
EOF_C

for c in gcc clang; do
  export HEDDLE_CC=$c
  check "$c: all of the interface links" "$heddle" cc -Wall -Werror -Wno-unused every.c -o every
  check "$c: and does nothing without heddle" ./every
  expect_status "$c: something with heddle, without an alarm" 0 "$heddle" explore every -- controlled
  "$heddle" cc says.c -o says
  expect_output "$c: nothing said" 'data race' "$heddle" explore says
  number=0
  for what in RELEASE BEFORE WTF MUTEX RWLOCK READ_LOCK IGNORE BENIGN BENIGN_BEFORE_MAIN FIBER SIGNAL; do
    number=$((number + 1))
    expect_output "$c: $what orders or silences" 'no bug in any interleaving \(complete\)' "$heddle" explore says -- $number
    [ $c = gcc ] || continue # the runtime is the same
    expect_output "$c: $what, with less said, does not" 'data race' "$heddle" explore says -- $number less
  done
  "$heddle" cc scheduled.c -o scheduled
  expect_output "$c: ignored accesses are scheduled" "Assertion .n == 2. failed" "$heddle" check scheduled
  if grep -q 'data race' .output; then not_ok "$c: and are no race"; else ok "$c: and are no race"; fi
done
