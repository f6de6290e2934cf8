/* SPDX-License-Identifier: Apache-2.0
 *
 * The turn among the processes of the program: one runs, the others sleep. Within a process it goes from fiber to fiber
 * (step.c).
 */
#ifndef HEDDLE_RUNTIME_TURN_H
#define HEDDLE_RUNTIME_TURN_H

/* Why a process wakes up. */
enum turn {
  TURN_NONE,
  TURN_YOURS, /* a thread of it goes on: the engine's current one */
  TURN_OVER,  /* the execution is; to the first process, which has the loop */
  TURN_LEAVE  /* so is the whole tested process, as the control block says */
};

/* The thread of another process goes on. Comes back with a thread of this one when that has the turn. */
unsigned turn_hand_over(unsigned thread);
/* The same without coming back: this process has ended. */
_Noreturn void turn_give_away(unsigned thread);
/* Sleep until a thread of this process has the turn: which. */
unsigned turn_await(void);
/* The first process wakes up for that; this one is another, and ends. */
_Noreturn void turn_to_first(enum turn why);

#endif
