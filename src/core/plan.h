/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: where the strategy confirm tries to bring the threads of a program, and what came of it. Threads and objects
 * are given by names that hold from run to run (core/naming.h), places by numbers that do. A plan is a part of a job
 * (job.h).
 */
#ifndef HEDDLE_CORE_PLAN_H
#define HEDDLE_CORE_PLAN_H

#include "core/naming.h"
#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

#define PLAN_PARTIES 64
#define PLAN_CONTEXT 8
#define PLAN_STEPS 4096
#define PLAN_PAUSES 64
#define PLAN_METHODS 256
#define PLAN_EDGES 32768

/* What is to be shown. */
enum plan_kind {
  PLAN_DEADLOCK,  /* every party stands before its lock at the same time */
  PLAN_RACE,      /* two parties stand before accesses of the same memory */
  PLAN_ATOMICITY, /* party 1 comes between party 0 and party 2, which are one thread */
  PLAN_PROTOCOL,  /* party 0 makes a call for which the protocol of its object has no edge, after party 1's or before */
  PLAN_SEQUENCE, /* the steps are taken in their order, or, if that cannot be, the pauses are kept; then the parties are
                  * blocked */
  PLAN_KINDS
};

struct plan_party {
  uint64_t thread, object; /* names */
  uint64_t place;
  uint16_t op;
  uint16_t context_length;
  uint32_t occurrence;            /* how often the thread must have come there, from 1; 0: any time */
  uint64_t context[PLAN_CONTEXT]; /* where the locks were taken that it holds, outermost first, and its own place */
};

struct plan_step {
  uint64_t thread, object, place;
  uint32_t op, occurrence;
};

/* A thread stops before something until another one has done something. */
struct plan_pause {
  struct plan_step held, until;
};

/* Which calls may follow which on objects of a type: an automaton (predict/protocol/automaton.h) as bytes that mean the
 * same in every process, so of limited size and without names of states; cli/find/prediction_plan.c makes it from one.
 * Functions are known by their names, since a program can name its calls itself while it runs. Objects begin in state
 * 0. */
struct plan_protocol {
  uint32_t states, methods;
  char type[22];
  char method[PLAN_METHODS][40];
  uint16_t next[PLAN_EDGES]; /* states × methods (automaton_table.h) */
};

struct plan {
  uint32_t kind;
  uint32_t naming, depth; /* enum naming, k */
  bool no_contexts;       /* only the last place of a context counts */
  bool no_yield;          /* threads do not wait before the outermost lock of a cycle */
  bool early;             /* protocols: party 0's call is to come before that of party 1, else after it */
  uint32_t party_count, step_count, pause_count;
  struct plan_party party[PLAN_PARTIES];
  struct plan_step step[PLAN_STEPS];
  struct plan_pause pause[PLAN_PAUSES];
  struct plan_protocol protocol;
};

/* Over all executions of a session. */
struct plan_outcome {
  uint64_t target;    /* what was planned did happen */
  uint64_t failed;    /* of these, executions that ended with a bug */
  uint64_t other;     /* another bug */
  uint64_t stalled;   /* nobody could go on, but not as planned */
  uint64_t completed; /* nothing happened */
  uint64_t diverged;  /* executions that left the planned sequence of steps */
  uint64_t thrashes;  /* a thread had to be let go because all were held */
  uint64_t watchdog;  /* or because it was held for too long */
};

#endif
