/* SPDX-License-Identifier: Apache-2.0
 *
 * Which switch of a failing schedule is to blame, and the accesses it came between. Numbers in, numbers out: nothing is
 * run and nothing is printed here. Which beginnings of the schedule pass is found out by the strategy localise; the
 * words are in blame_text.h.
 *
 * Switch i (from 1) is the end of segment i - 1 of the schedule. The beginning of a schedule for switch i contains it
 * and the whole segment behind it. Switches are looked at from the last to the first: the last whose beginning can
 * still be made to pass is harmless, the one after it is to blame. An earlier wrong state may have healed, so neither
 * the first nor a bisection would do.
 */
#ifndef HEDDLE_REPORT_BLAME_H
#define HEDDLE_REPORT_BLAME_H

#include "core/bug.h"
#include "core/control.h"
#include "core/trials.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERNS_MOST 16
#define PATTERN_EVENTS 4

/* Accesses of thread A before the switch, of B behind it, and of A when it goes on. The numbers are those of the
 * literature. Behind EARLY: deadlocks and waits (blame_deadlock.h). X(constant, letters, what became of it) */
#define HD_PATTERNS(X)                                                                                                 \
  X(NONE, "", "")                                                                                                      \
  X(RWR, "R W R", "two reads that should agree do not")                                                                \
  X(WWR, "W W R", "a thread does not read back what it wrote")                                                         \
  X(WRW, "W R W", "a value is seen that was not meant to be")                                                          \
  X(RWW, "R W W", "an update is lost")                                                                                 \
  X(WWW, "W W W", "a write is lost between two others")                                                                \
  X(ORDER, "order", "two accesses come in the wrong order")                                                            \
  X(EARLY, "early", "two threads come in an order that fails")                                                         \
  X(CIRCLE, "circle", "each thread holds the lock that the next one waits for")                                        \
  X(TWICE, "twice", "a thread waits for a lock that it holds itself")                                                  \
  X(KEPT, "kept", "a thread waits and keeps a lock that others need")                                                  \
  X(ABANDONED, "abandoned", "a thread ends with a lock it has not unlocked")                                           \
  X(MISDIRECTED, "misdirected", "a signal wakes a thread that has no use for it")                                      \
  X(UNGUARDED_WAIT, "unguarded-wait", "a wake-up is lost between a check and the wait it decides on")                  \
  X(LOST_SIGNAL, "lost-signal", "a signal comes before the wait, and is not kept for it")                              \
  X(STALE_WAKE, "stale-wake", "what was waited for is gone again when the thread wakes")                               \
  X(UNASKED, "unasked", "a wait that ends for no reason is not repeated")                                              \
  X(SPLIT, "split", "what belongs together is done in two critical sections")                                          \
  X(BROADCAST, "broadcast", "a signal wakes one thread where all must wake")                                           \
  X(UNTOLD, "untold", "a change that nobody is told of")                                                               \
  X(HANDLER, "handler", "a signal handler takes a lock that the interrupted thread holds")                             \
  X(MISSED_SIGNAL, "missed-signal", "a signal comes between the check and the wait for it")                            \
  X(FREED, "freed", "memory is freed while another thread uses it")                                                    \
  X(FREED_LOCK, "freed-lock", "a lock is freed with the memory that it protects")                                      \
  X(FREED_COUNTED, "freed-counted", "a shared_ptr is assigned while another thread copies it")                         \
  X(UNCOUNTED, "uncounted", "the last reference is dropped while another thread still has one that is not counted")    \
  X(UNJOINED, "unjoined", "memory is freed before the thread that uses it has ended")                                  \
  X(DESTROYED, "destroyed", "an object is destroyed while another thread uses it")                                     \
  X(CLOSED, "closed", "a descriptor is closed while another thread uses it")                                           \
  X(ABA, "aba", "a value is changed and changed back, which a compare-exchange does not see")                          \
  X(CHECK_ACT, "check-act", "a check and the act that it decides on are two steps")                                    \
  X(PUBLISHED, "published", "something is made public before it is complete")                                          \
  X(OPEN_END, "open-end", "an end that never comes: the other end is still open")                                      \
  X(NOT_WAITED, "not-waited", "a thread goes on before another one has run")                                           \
  X(TRYLOCK, "trylock", "a lock that could not be taken is used as if it were")                                        \
  X(FORKED, "forked", "a process is forked while a thread holds a lock that the child needs")                          \
  X(TIMED_OUT, "timed-out", "a timeout is taken as proof that nothing has happened")                                   \
  X(HOARDED, "hoarded", "each thread holds a part of what they share and waits for more of it")                        \
  X(FUTURES, "futures", "tasks wait for tasks that no thread is left to run")                                          \
  X(JOINABLE, "joinable", "a std::thread is destroyed that was neither joined nor detached")                           \
  X(OWN_FREE, "own-free", "a loop goes on with an element that was freed inside of it")                                \
  X(COUNTED_TWICE, "counted-twice", "a counter is changed and tested in two steps")                                    \
  X(HAZARD, "hazard", "a hazard pointer is published after others have looked for it")                                 \
  X(HIDDEN_STATE, "hidden-state", "a function that keeps its state in one place is used by two threads at once")       \
  X(PAIR, "pair", "two values that belong together are read apart")                                                    \
  X(CHECK_APART, "check-apart", "a check no longer holds when the thread acts on it")                                  \
  X(GIVEN_EARLY, "given-early", "something is given free before it has been used")                                     \
  X(UPGRADED, "upgraded", "what was seen under a lock for reading is not looked at again under the one for writing")   \
  X(EXPIRED, "expired", "an object goes between the question whether it is there and the use of it")                   \
  X(SAME_PHASE, "same-phase", "a barrier is missing between a write and a read")                                       \
  X(CLEARED_LATE, "cleared-late", "a note that there is something to do is cleared after the last look for it")        \
  X(TWO_WRITES, "two-writes", "a message is written in two calls, and another one comes between them")                 \
  X(DISALLOWED, "disallowed", "events come in an order that a property does not allow")                                \
  X(HELD_BACK, "held-back", "an event came after which a property lets another one never come")

enum pattern_kind {
#define X(id, letters, gloss) PATTERN_##id,
  HD_PATTERNS(X)
#undef X
      PATTERN_KINDS
};

struct pattern {
  enum pattern_kind kind;
  bool confirmed; /* the program was run with these accesses and little else, and failed again */
  /* Indices of events, NO_EVENT behind the last: the three, in order. Of an order the two. Of PATTERN_EARLY the one
   * that came too early and the one that should have been first, both of the passing run. */
  size_t event[PATTERN_EVENTS];
};
#define NO_EVENT SIZE_MAX

/* An execution with what is worked out of it. */
struct blame_trace {
  const struct trace_event *events;
  size_t count;
  struct schedule_record *record; /* as it ran: its threads have the numbers of the events */
  uint32_t *segment;              /* of each event */
  uint32_t *variable; /* of each event: a number of what two threads access, one writing; else NO_VARIABLE */
  uint32_t variables;
};
#define NO_VARIABLE UINT32_MAX

/* False when there is no memory. The events and the record must outlive it. */
bool blame_trace_open(struct blame_trace *trace, const struct trace_event *events, size_t count,
                      struct schedule_record *record);
void blame_trace_close(struct blame_trace *trace);

/* Switches of a schedule. */
static inline uint32_t blame_switches(const struct schedule_record *record)
{
  return record->segments ? record->segments - 1 : 0;
}

/* Threads that should go on first after the beginning for that switch: who was the last to access some variable; the
 * latest first. All threads that did anything when there is no such thread. Returns how many, at most MAX_THREADS. */
uint32_t blame_candidates(const struct blame_trace *trace, uint32_t at, uint32_t out[MAX_THREADS]);

/* What the verdicts of the trials (labelled with their switches, the last one first) say: the switch to blame; 0 when
 * the whole schedule passed, which cannot be if it was followed. */
uint32_t blame_decide(const struct trial *trials, uint32_t count, uint32_t switches);

/* The patterns that a switch made. strict: one access from each block, writes preferred, as the method was published;
 * else those nearest to the switch, then other kinds, then blocks further away. Returns how many. */
size_t blame_patterns(const struct blame_trace *trace, uint32_t at, bool strict, struct pattern out[PATTERNS_MOST]);

/* Trials that bring about just this pattern, for the switch it is of. The second, for when the first one cannot be
 * followed because of a lock that is held at the access: the thread goes on to where it was switched out. Returns how
 * many; 0: it cannot be tried so. */
uint32_t blame_trials(const struct blame_trace *trace, uint32_t at, const struct pattern *pattern, struct trial out[2]);

/* Two accesses, one of them behind the switch, that come in the other order in a run that passed. */
bool blame_flip(const struct blame_trace *failing, const struct blame_trace *passing, uint32_t at,
                const struct bug *bug, struct pattern *out);

#endif
