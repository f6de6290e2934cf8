/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rules; texts, and running them.
 */
#include "lint/lint_rules.h"
#include "lint/lint.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ABOUT_LOOPS                                                                                                    \
  "The loop, the calls from it to the creation, and the condition under which the creation is reached are read from "  \
  "the source. The condition must have a part that can hold only so often: a number that runs towards a constant, a "  \
  "flag that the loop turns over, a collection that it empties, a pointer that it sets once; or the loop walks "       \
  "through something finite. Where no such pattern fits, nobody meant a bound. "

#define BUILD "build the program, or a test of that code, with heddle cc, and run "

const struct lint_rule lint_rules[LINT_RULES] = {
    {"unbounded-threads", true, "Threads are created in a loop without a bound.",
     ABOUT_LOOPS
     "A server that starts a thread for each request without a limit becomes slow or dies under load. Two "
     "verdicts are given: of all threads, and of those at the same time, which a semaphore, a counter "
     "with a limit or a join in the same iteration can bound; only if neither has a bound it is a finding. And "
     "only if it is seen that somebody outside decides how many there are: a connection or a message is "
     "taken in each iteration, or an event loop calls the function when one comes. Where that is not seen, or "
     "something looks like a limit though no pattern fits, see unbounded-threads-possible.",
     "Refuse or wait when there are too many: a counter under a lock that is compared with a limit and counted down "
     "when a thread ends, a semaphore with a slot for each thread, or a pool of threads that is made once.",
     NULL, "thread creation in a loop without bound", WORD_THREAD, WORD_JOIN, false, OUTSIDE_SEEN, creation_run},
    {"unbounded-threads-possible", false, "Threads are created in a loop of which no limit is recognised.",
     ABOUT_LOOPS
     "These are the loops that unbounded-threads leaves out: it is not seen that somebody outside decides how "
     "often they create (a walk, a retry, a number that was configured), or something looks like a limit "
     "though no pattern fits. Many have a bound that a person sees.",
     "Look whether somebody outside can make it create as often as he likes; if so, refuse or wait when there are too "
     "many.",
     NULL, "thread creation in a loop: no limit recognised", WORD_THREAD, WORD_JOIN, false, OUTSIDE_UNSEEN,
     creation_run},
    {"unbounded-processes", false, "Processes are created in a loop without a bound.",
     ABOUT_LOOPS "A server that forks for each request without a limit can be brought down by anybody who connects.",
     "Count the children, count down when one is reaped, and refuse or wait at a limit.", NULL,
     "process creation in a loop without bound", WORD_PROCESS, WORD_REAP, false, OUTSIDE_ANY, creation_run},
    {"unbounded-sockets", false, "Sockets are opened in a loop without a bound.",
     ABOUT_LOOPS "Each connection takes a descriptor, of which there are not many.",
     "Stop accepting at a limit, and close connections that are idle.", NULL,
     "sockets are opened in a loop without bound", WORD_SOCKET, WORD_CLOSE, false, OUTSIDE_ANY, creation_run},
    {"unbounded-files", false, "Files are opened in a loop without a bound.",
     ABOUT_LOOPS "Each open file takes a descriptor, of which there are not many.",
     "Close each file in the iteration of the loop that opened it.", NULL, "files are opened in a loop without bound",
     WORD_OPEN, WORD_CLOSE, false, OUTSIDE_ANY, creation_run},
    {"unbounded-memory", false, "Memory is allocated in a loop without a bound.",
     ABOUT_LOOPS "What grows with what others send must have a limit.",
     "Free it in the same iteration, or bound the collection that it is put into.", NULL,
     "memory is allocated in a loop without bound", WORD_MEMORY, WORD_FREE, false, OUTSIDE_ANY, creation_run},
    {"unbounded-queue", false, "A collection grows with what others send, without a bound.",
     ABOUT_LOOPS
     "Only loops are meant that take something from outside in the same iteration: that accept a connection, "
     "receive or read. Whoever sends faster than the other side takes out lets it grow until there is no "
     "memory left.",
     "Compare the number of elements with a limit before adding one, and refuse or wait there.", NULL,
     "a collection grows in a loop that takes from outside, without bound", WORD_ADD, WORD_REMOVE, true, OUTSIDE_ANY,
     creation_run},
    {"wait-outside-loop", false, "A wait for a condition is not in a loop that asks for the condition again.",
     "A wait may end without a signal (POSIX and C++ allow it), and between the signal and the end of the wait another "
     "thread may have made the condition false again. So the condition must be asked for in a loop around the wait; "
     "an `if` checks it only once. A wait with a time limit is not meant: it ends by itself in any case. In C++ a wait "
     "that is "
     "given the condition, wait(lock, predicate), has the loop inside.",
     "while (!condition) pthread_cond_wait(&changed, &mutex);",
     BUILD "heddle check --spurious: waits then end without a signal, too", .run = wait_outside_loop_run},
    {"wait-without-mutex", false, "A thread waits for a condition with a mutex that it does not hold.",
     "The wait releases the mutex and takes it again; with one that is not held this is undefined, and a signal "
     "between the question and the wait is lost. Told where the mutex was released on the way to the wait, or where "
     "the thread has just begun and nobody has taken it.",
     "Take the mutex before the condition is asked for, and keep it until after the wait.",
     BUILD "heddle check: it tells a wait with a mutex that is not held", .run = wait_without_mutex_run},
    {"unlocked-predicate", false, "What a wait asks for is changed without the mutex before the signal.",
     "The other thread may have asked for the condition already and not wait yet: the change comes too late for the "
     "question, the signal too early for the wait, and it waits for ever. Told where a variable that a loop around a "
     "wait asks for is changed and then signalled, and no mutex is taken on the way. An atomic variable does not help.",
     "Change it with the mutex of the wait held; the signal may come after the mutex was released.",
     BUILD "heddle check: it finds the order in which the signal is lost", .run = unlocked_predicate_run},
    {"lock-kept", false, "A function returns with a lock held on one path, and releases it on another.",
     "Mostly a `return` for an error that forgot the lock: the next one who wants it waits for ever. Paths are "
     "followed through branches, loops and goto; a function that always returns with the lock, or whose callers "
     "release it, is meant to.",
     "Release the lock before the return, or go to the clean-up that does.",
     BUILD "heddle check: it tells the deadlock, if a test takes that path", .run = lock_kept_run},
    {"locked-pointer", false, "A pointer into what a lock protects is returned after the lock was released.",
     "Whoever gets it reads or writes what others change, or free, with the lock held. Told where the pointer comes "
     "from a walk or from a global while a lock is held, is not taken out and not counted, and is returned without "
     "the lock.",
     "Return a copy, count a reference under the lock, or let the caller hold the lock.",
     BUILD "heddle check: it tells the race, or the use of what was freed", .run = locked_pointer_run},
    {"double-checked-locking", false, "A variable that is not atomic is read without the lock, then with it, and set.",
     "The first question races with the assignment. It may see the pointer before what it points to is written, or "
     "the flag before what it stands for.",
     "Make the variable atomic (load with acquire, store with release), or use pthread_once(), call_once() or, in "
     "C++, a static local variable.",
     BUILD "heddle check: it tells the race", .run = double_checked_run},
    {"volatile-as-atomic", false, "A volatile variable is used between threads without a lock.",
     "volatile keeps the compiler from leaving out accesses. It makes none of them atomic and orders nothing: it is a "
     "data race, and what was written before may be seen after it. For handlers of signals there is sig_atomic_t, "
     "which is not meant here.",
     "_Atomic or std::atomic, or the accesses under a lock.", BUILD "heddle check: it tells the race",
     .run = volatile_as_atomic_run},
    {"sleep-to-wait", false, "A thread sleeps to wait for another one.",
     "How long the other one takes is not known: too short on a busy machine, too long on all others. Told where a "
     "thread is created and slept for, and where a loop only sleeps until somebody else has changed something.",
     "A condition variable, a semaphore or a join; in a test, heddle migrate puts the order in place of the sleeps.",
     "run heddle migrate, if this is a test: it finds the order that the sleeps stand for, and removes them",
     .run = sleep_to_wait_run},
    {"one-thread-function", false, "A function that returns a buffer that all threads share is called in a thread.",
     "strtok(), localtime(), gethostbyname() and others return what the next call overwrites, by whatever thread.",
     "The variant with _r, or getaddrinfo(); or one lock around all calls and uses.",
     BUILD "heddle check: it tells the race on what the function keeps", .run = one_thread_call_run},
    {"unsafe-in-handler", true, "A handler of a signal calls what must not be called there.",
     "The signal may have interrupted the same function, or malloc(), with its lock held: then it waits for itself, "
     "or what it works on is half changed. POSIX lists what is safe: write(), _exit(), sem_post() and few others.",
     "Set a volatile sig_atomic_t, or write to a pipe, and do the rest where it is asked for; or wait for signals "
     "with signalfd() or sigwait().",
     BUILD "heddle check: signals then come at each step of the program", .run = unsafe_in_handler_run},
    {"local-to-detached", true, "A detached thread is given the address of a local variable.",
     "Nobody waits for the thread, so the function may return, or the next iteration of a loop begin, while it uses "
     "the "
     "variable.",
     "Allocate what the thread gets, which then frees it; or give the value itself.",
     BUILD "heddle check: it tells the race, or the use after the return", .run = local_to_detached_run},
};

_Static_assert(LINT_PATTERN_TEXTS == LINT_PATTERNS, "each pattern has a text");
const char *const lint_pattern_text[LINT_PATTERN_TEXTS + 1] = {
    [1] = "the loop walks through a collection that nobody adds to meanwhile",
    [2] = "it follows a list, an iterator or an array up to its end",
    [3] = "it tests a flag that the loop itself turns over",
    [4] = "it tests whether a collection is empty that it only empties",
    [5] = "a number runs towards a constant",
    [6] = "it tests a pointer that is set once",
    [7] = "each takes a slot of a semaphore, or a free place of a table",
    [8] = "a counter of those that there are is compared with a limit",
    [9] = "a limit that somebody configured is taken for a constant",
    [10] = "each is joined, or ends, in the iteration that created it",
};

const char *lint_rule_name(unsigned rule)
{
  return lint_rules[rule].name;
}

unsigned lint_rule_by_name(const char *name)
{
  for (unsigned i = 0; i < LINT_RULES; i++)
    if (!strcmp(lint_rules[i].name, name))
      return i;
  return UINT_MAX;
}

static void tell_given_up(const struct lint_work *work)
{
  const struct whole_program *p = work->program;
  for (uint32_t i = 0; i < p->functions; i++) {
    const struct program_function *f = &p->function[i];
    if (work->given_up[i])
      findings_notice(work->findings, NOTICE_LARGE, "%s() in %s:%u", p->symbol[f->symbol].name, f->file,
                      p->unit[f->unit].syntax.node[f->node].line);
  }
}

bool lint_run(const struct whole_program *program, const struct lint_choice *choice, struct findings *findings)
{
  struct lock_effects effects;
  struct lint_work work = {.program = program, .choice = choice, .effects = &effects, .findings = findings};
  work.given_up = calloc(program->functions + 1, 1);
  bool good = lock_effects_open(&effects, program) && work.given_up;
  effects.given_up = work.given_up;
  for (unsigned i = 0; good && i < LINT_RULES; i++)
    if (choice->rules >> i & 1)
      good = lint_rules[i].run(&work, i);
  if (good)
    tell_given_up(&work);
  good &= !findings->failed && !effects.failed;
  lock_effects_close(&effects);
  free(work.given_up);
  if (good)
    findings_sort(findings);
  return good;
}
