/* SPDX-License-Identifier: Apache-2.0
 *
 * Which locks are held where in a function: a walk along its paths, for all rules that ask.
 *
 * A state is a path's knowledge: of each lock whether it is held, was released, or was not touched (whoever called may
 * hold it); and of each simple condition (a fact) whether it is known to be true, so that `if (threads) lock(); …
 * if (threads) unlock();` has two paths, not four. Paths that hold the same locks are one. Branches divide states,
 * labels and ends of branches join them, loops are walked until nothing new comes. A call of a function of the program
 * does with locks what lock_effects.h says of it.
 *
 * A lock is known by the text of its object (`server.mutex`): two names of one lock are two locks, which is why rules
 * ask for something that was seen to be released, or to be held, by the same name; when `server` is set to another one,
 * it is another lock. Where there is more than there is
 * room for, the walk gives up, and nothing more is said of the function.
 */
#ifndef HEDDLE_LINT_LOCK_WALK_H
#define HEDDLE_LINT_LOCK_WALK_H

#include "lint/whole_program.h"

#define LOCKS_MOST 32
#define FACTS_MOST 64
#define STATES_MOST 32
#define LABELS_MOST 32

struct lock_state {
  uint32_t held, released; /* bits of locks; neither: not touched, or not known any more */
  uint64_t known, value;   /* bits of facts */
};

struct lock_states {
  unsigned count; /* 0: nobody comes here */
  struct lock_state state[STATES_MOST];
};

struct walked_lock {
  char text[OBJECT_TEXT];
  uint32_t root_flags;      /* SYMBOL_* of what its text begins with */
  uint32_t scope;           /* block at whose end it is released; SYNTAX_NONE: by a call */
  uint32_t taken, released; /* where it first is: nodes; SYNTAX_NONE: nowhere */
};

enum walk_moment {
  WALK_CALL,   /* before it does what it does */
  WALK_CHANGE, /* an ASSIGN, a UNARY ++ or --, or a VARIABLE with a value, which has been computed */
  WALK_TEST,   /* a simple condition */
  WALK_GOTO,
  WALK_RETURN, /* a RETURN, a THROW that leaves it, or the FUNCTION: its end */
};

struct lock_effects;
struct lock_walk;
typedef void lock_visit(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                        const struct lock_states *states);

struct lock_walk {
  const struct whole_program *program;
  struct lock_effects *effects;
  uint32_t function;
  lock_visit *visit; /* a place is visited once or more, as states come to it; may be NULL */
  void *data;
  struct walked_lock lock[LOCKS_MOST];
  unsigned locks;
  uint32_t taken, released; /* locks that some path takes, or releases */
  uint32_t released_first;  /* locks that were released though nothing was known of them */
  uint32_t scoped;          /* locks that are released by the end of a block */
  uint32_t unsure;          /* locks that a function was called for that may take or release them, or not */
  bool cleans_up; /* a handler that it registers may release some (pthread_cleanup_push()), or the end of a variable */
  struct lock_states end; /* where it returns */
  bool gave_up;
};

/* False: no memory left. */
bool lock_walk_run(struct lock_walk *walk, const struct whole_program *program, struct lock_effects *effects,
                   uint32_t function, lock_visit *visit, void *data);

/* The lock that an argument of a call is (0: the object that a method is called of), as text; of an element of an array
 * with its index. False: it has no name. */
bool lock_text(const struct whole_program *p, struct code_place call, unsigned argument, char text[OBJECT_TEXT]);

/* The last name of a lock's text: what it is called in other functions, and by other ways to it, too. */
const char *lock_last_name(const char *text);

/* Locks in the object of that text, those that the end of a block releases left out. */
uint32_t lock_walk_inside(const struct lock_walk *walk, const char *object);

/* The lock of that text; LOCKS_MOST: the function has none. */
unsigned lock_walk_find(const struct lock_walk *walk, const char *text);

/* Whether some path, and whether every path, holds one of the locks. */
bool some_hold(const struct lock_states *states, uint32_t locks);
bool all_hold(const struct lock_states *states, uint32_t locks);

#endif
