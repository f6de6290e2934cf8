/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that mean something to the rules: what creates a thread, what removes from a collection, what calls back from a
 * loop. heddle's own are written in the same language as those that a person adds in a file (--patterns-file), one a
 * line:
 *
 *   WORD NAME [ARGUMENT]          # a comment
 *
 * where NAME may have * and ?, and ARGUMENT counts from 1: where the function, the collection, or the semaphore is.
 */
#ifndef HEDDLE_LINT_VOCABULARY_H
#define HEDDLE_LINT_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(constant, word, what it is, which argument matters; 0: none) */
#define HD_LINT_WORDS(X)                                                                                               \
  X(THREAD, "thread", "creates a thread; the function it runs", 0)                                                     \
  X(PROCESS, "process", "creates a process", 0)                                                                        \
  X(SOCKET, "socket", "opens a socket", 0)                                                                             \
  X(OPEN, "file", "opens a file", 0)                                                                                   \
  X(MEMORY, "memory", "allocates memory that stays", 0)                                                                \
  X(JOIN, "join", "waits for the end of a thread", 0)                                                                  \
  X(REAP, "reap", "waits for the end of a process", 0)                                                                 \
  X(CLOSE, "close", "closes a file or a socket", 0)                                                                    \
  X(FREE, "free", "frees memory", 0)                                                                                   \
  X(EMPTY, "empty", "says whether a collection is empty; the collection", 1)                                           \
  X(REMOVE, "remove", "takes from a collection; the collection, 0 for any", 1)                                         \
  X(ADD, "add", "puts into a collection; the collection, 0 for any", 1)                                                \
  X(SIZE, "size", "says how large a collection is; the collection", 1)                                                 \
  X(WALK, "walk", "a macro that walks through a collection that nobody else changes", 0)                               \
  X(WALK_SHARED, "walk-shared", "a macro that walks through one that others may change", 0)                            \
  X(NEXT, "next", "gives one after the other of something finite", 0)                                                  \
  X(CALLBACK, "callback", "lets a library call a function again and again; the function", 1)                           \
  X(LOCK, "lock", "takes a lock, or tries to; the lock", 1)                                                            \
  X(TRYLOCK, "trylock", "of a lock: it has been taken if this returns 0", 0)                                           \
  X(TRYLOCK_TRUE, "trylock-true", "of a lock: it has been taken if this returns true", 0)                              \
  X(SCOPED_LOCK, "scoped-lock", "of a lock: it is held until the end of the block", 0)                                 \
  X(UNLOCK, "unlock", "releases a lock; the lock", 1)                                                                  \
  X(COND_WAIT, "cond-wait", "waits for a condition; the mutex, 0 for none", 2)                                         \
  X(COND_TIMED, "cond-timed", "of a wait for a condition: it ends by itself", 0)                                       \
  X(COND_SIGNAL, "cond-signal", "wakes who waits for a condition; the condition", 1)                                   \
  X(WAIT, "wait", "takes a slot of a semaphore; the semaphore", 1)                                                     \
  X(POST, "post", "gives it back; the semaphore", 1)                                                                   \
  X(CONFIGURED, "configured", "gives a number that somebody chose and that stays", 0)                                  \
  X(EXIT, "exit", "does not return", 0)                                                                                \
  X(INSTANTIATE, "instantiate", "gives something new, not NULL", 0)                                                    \
  X(ADD_ATOMIC, "increment", "adds to a number; the number", 1)                                                        \
  X(SUBTRACT_ATOMIC, "decrement", "subtracts from a number; the number", 1)                                            \
  X(SLEEP, "sleep", "lets time pass", 0)                                                                               \
  X(SLEEP_WITHOUT, "sleep-without", "lets time pass if an argument is 0: there is nothing to wait for", 1)             \
  X(DETACH, "detach", "detaches a thread", 0)                                                                          \
  X(HANDLER, "handler", "sets a handler of a signal; the function, or a member that it is put into", 0)                \
  X(HANDLER_UNSAFE, "handler-unsafe", "must not be called in a handler of a signal", 0)                                \
  X(ONE_THREAD, "one-thread", "keeps its result where the next call puts its own", 0)                                  \
  X(INPUT, "input", "takes what somebody else sends", 0)                                                               \
  X(ACCEPT, "accept", "takes a connection, or a message that anybody may send", 0)                                     \
  X(OUTSIDE, "outside", "of a callback: it is called when something comes from outside", 0)                            \
  X(COUNT, "count", "says how many there are of something", 0)

enum lint_word {
#define X(constant, ...) WORD_##constant,
  HD_LINT_WORDS(X)
#undef X
      LINT_WORDS
};

struct vocabulary_entry {
  enum lint_word word;
  unsigned argument;
  const char *name;
};

/* All zero is an empty one. */
struct vocabulary {
  struct vocabulary_entry *entry; /* exact names first, by name; then those with * and ? */
  size_t count, exact;
  char **text; /* that names are in */
  size_t texts;
};

/* heddle's own. False: no memory left. */
bool vocabulary_open(struct vocabulary *v);
/* And those of a file. False, with one line in error. */
bool vocabulary_read(struct vocabulary *v, const char *path, char *error, size_t error_size);
void vocabulary_close(struct vocabulary *v);

static inline uint64_t word_bit(enum lint_word word)
{
  return UINT64_C(1) << word;
}

/* What a name means: a set of word_bit(). */
uint64_t vocabulary_meaning(const struct vocabulary *v, const char *name, size_t length);
/* The argument that matters of a name that means the word; UINT_MAX: it does not mean it. */
unsigned vocabulary_argument(const struct vocabulary *v, enum lint_word word, const char *name, size_t length);

#endif
