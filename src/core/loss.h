/* SPDX-License-Identifier: Apache-2.0
 *
 * Losses: why a search that came to its end is no proof. "complete" is a theorem about the program under one input;
 * what the program can do that the search did not see makes it false, and is listed here, with the sentence for the
 * user. Whoever notices one sets its bit in the control block (or in the explorer, if it is about one search); every
 * verdict, in words, in JSON or in a library's result, asks for them all.
 */
#ifndef HEDDLE_CORE_LOSS_H
#define HEDDLE_CORE_LOSS_H

#include <stdint.h>

/*  X(constant, name in JSON, the sentence: what was not seen) */
#define HD_LOSSES(X)                                                                                                   \
  X(TOO_LONG, "too-long", "an execution was too long to be followed to its end (see --max-steps)")                     \
  X(LOOP, "loop", "a loop that seemed to wait for another thread went on by itself")                                   \
  X(WRITERS_FIRST, "writers-first", "not all orders of a lock that prefers writers were tried")                        \
  X(BEFORE_END, "before-end", "not all was tried that can come before a sudden end")                                   \
  X(PROCESSES, "processes", "processes that heddle did not start can end its waits")                                   \
  X(FILES, "files", "it changes files, which stay as one execution left them for the next")                            \
  X(TIMERS, "timers", "a timer may expire at more moments than were tried")                                            \
  X(CLOCK, "clock", "it looks at the clock, and time may pass otherwise than was tried")                               \
  X(ASSEMBLY, "assembly", "it has assembly that uses memory unseen by heddle")                                         \
  X(MODULES, "modules", "parts of it were not built with heddle cc, so their memory accesses were not seen")           \
  X(UNSEEN, "memory", "it was not built with heddle cc, so its memory accesses were not seen")                         \
  X(FUNCTIONS, "functions", "it calls functions of the C or C++ library of which not all was seen")                    \
  X(REUSE, "reuse", "it compares with the address of freed memory, which may be given out again")                      \
  X(CHANCE, "chance", "it draws random numbers, of which only one sequence was tried")                                 \
  X(MACHINE, "machine", "it reads what the system says of the process and the machine (/proc, /sys)")                  \
  X(SHARED, "shared-memory", "it shares memory with other processes")                                                  \
  X(OUTSIDE, "outside", "it waits for the outside world, and what follows was not tried")                              \
  X(CLIENT, "client", "its client ran uncontrolled")                                                                   \
  X(LOCALE, "locale", "it changes the locale while other threads run, and not all was seen that looks at it")          \
  X(CALLS, "calls", "it makes system calls of which heddle knows too little")                                          \
  X(LATE_SIGNALS, "signals", "a signal can interrupt it at more places than were tried")                               \
  X(SLEEPS, "sleeps", "its sleeps and timeouts ended only when nothing else could go on (see --sleeps)")               \
  X(LEFT_OUT, "left-out", "functions of it were left out (HD_UNSEEN)")                                                 \
  X(RINGS, "io-uring", "it asked for io_uring, which heddle has none of, and did without")                             \
  X(EQUIVALENCE, "equivalence", "it does what only --equivalence order covers")                                        \
  X(CAUSALITY, "causality", "it does what only --strategy dpor covers")                                                \
  X(UNANSWERED, "unanswered", "whether a step can see something else was not found out in time")                       \
  X(MONITORS, "monitors",                                                                                              \
    "there were more objects, processes or events than the monitors of its properties can follow")                     \
  X(REUSED, "reused",                                                                                                  \
    "its properties tell objects by their addresses, and so much was freed that these are given out again")            \
  X(UNCHECKED, "unchecked", "a property had no event in any execution, so that it says nothing")                       \
  X(OVERTAKING, "overtaking",                                                                                          \
    "its accesses are weak enough that a load can overtake an earlier store, which was not tried")                     \
  X(EVENTS, "events",                                                                                                  \
    "calls that are events of a property may be unseen: inlined, or left by an exception or a cancellation")           \
  X(UNASKED, "unasked",                                                                                                \
    "it may make a difference that a wait on a condition ends for no reason, and not all of that was tried (see "      \
    "--spurious)")                                                                                                     \
  X(ENDS, "ends", "functions return, or threads end, while others may still use their variables")

enum loss {
#define X(id, name, sentence) LOSS_##id##_BIT,
  HD_LOSSES(X)
#undef X
      LOSS_COUNT
};

/* As members of a set. */
enum {
#define X(id, name, sentence) LOST_##id = UINT64_C(1) << LOSS_##id##_BIT,
  HD_LOSSES(X)
#undef X
};

extern const char *const loss_name[LOSS_COUNT];
extern const char *const loss_sentence[LOSS_COUNT];

#endif
