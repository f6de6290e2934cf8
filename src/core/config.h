/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session is told beside the parts of its job (job.h): the settings that a person can choose, and what the
 * command line makes of them. Plain data, the same for the whole session but for what the runtime adds where that is
 * said.
 */
#ifndef HEDDLE_CORE_CONFIG_H
#define HEDDLE_CORE_CONFIG_H

#include "core/ordering.h"
#include "core/settings.h"
#include "core/strategy.h"
#include "core/subset.h"
#include <stdbool.h>
#include <stdint.h>

enum reset_mode { RESET_AUTO, RESET_SNAPSHOT, RESET_FORK, RESET_EXEC, RESET_COUNT };
extern const char *const reset_name[RESET_COUNT];

/* What makes two states of the threads the same to the strategy history (strategy/history.c). */
enum abstraction { ABSTRACT_PC, ABSTRACT_OBJECT, ABSTRACT_RAW };

enum race_mode { RACES_IGNORE, RACES_REPORT, RACES_FAIL };

/* Test frameworks whose programs can run one of their tests alone. */
enum test_framework {
  FRAMEWORK_NONE,
  FRAMEWORK_CMOCKA,
  FRAMEWORK_CHECK,
  FRAMEWORK_CRITERION,
  FRAMEWORK_GOOGLETEST,
  FRAMEWORK_COUNT
};
extern const char *const framework_name[FRAMEWORK_COUNT];

/* In the output of a program that was asked for its tests, a line that begins so names one of them; the second kind is
 * one that cannot be run, its name and the reason with a tabulator between them. */
#define TEST_LISTED '\036'
#define TEST_LEFT_OUT '\037'

#define TEST_NAME_SIZE 512

/* A function whose calls are operations (OP_CALL): the handle it is given or returns is the object. Numbered from 1, in
 * the order of the list: op->arg. */
enum call_role {
  CALL_METHOD,
  CALL_CREATOR, /* returns a new object: told of when it does */
  CALL_INIT     /* is given memory that is a new object from now on */
};
/* What a function gives whoever calls it, if calls of it can be left out (parts.h). */
enum call_gives {
  GIVES_NOTHING,
  GIVES_NUMBER, /* in a register: whether anybody reads it is to be seen where it is called */
  GIVES_MORE    /* or it is not known */
};
#define WATCHED_CALLS 256
#define UNUSED_RESULTS 1024
struct watched_call {
  uint64_t sled;      /* its first instructions, as the file has them (debuginfo/watch_list.h); 0: it says so by itself,
                         or is a library's */
  bool is_step;       /* its calls are operations */
  bool in_library;    /* known by its name */
  bool has_events[2]; /* of properties (property.h): before the call, and after it */
  uint8_t role;       /* enum call_role; a creator's object is what it returns */
  uint8_t argument;   /* which one is the object, 0 to 5 */
  uint8_t gives;      /* enum call_gives */
  uint8_t fills;      /* arguments that lead to what it may write, a bit for each of the first six */
  char type[22];      /* objects of a type have a protocol */
  char name[40];
};

struct control_config {
  HD_EXECUTION_SETTINGS(SETTING_FIELD) /* the settings; reset: RESET_AUTO starts as snapshot */
  uint64_t first;                      /* number of the first execution to run */
  uint64_t stride;                     /* distance to the next: the number of workers */
  uint64_t executions;                 /* how many to run, 0 for no limit */
  int64_t began;                       /* the command, in nanoseconds since 1970, as the system dates files */
  uint32_t raises;                     /* how often max_steps may be doubled where it is no hang */
  uint32_t trace;       /* record every event of the (only) execution into the trace area, with values and stacks */
  uint64_t target_key;  /* shrink, localise, minimise: the bug they are about; 0: that none shows */
  uint32_t target_kind; /* enum bug_kind */
  uint32_t stress_threads, stress_calls; /* minimise: the size of the test (heddle_stress.h) */
  uint32_t output_all;                   /* keep the output of every execution (of the last one otherwise) */
  uint32_t instrumented;                 /* written by the runtime: memory hooks are in the program */
  uint32_t replay_hang;   /* replay: the schedule is of a hang; its end without the program's end is the bug again (2: a
                             livelock) */
  uint32_t client;        /* there is one: the milliseconds that it may leave the program waiting; 0: there is none */
  uint32_t put_back;      /* what the program changes in files is put back before each execution, as the user says */
  uint32_t record_events; /* put the events of the run into the ring (core/event_ring.h) */
  uint32_t keeps_beyond;  /* what a bound leaves out is handed in: a search with a larger one goes on from there */
  uint32_t hashes;        /* leave a line for each execution (struct execution_line) */
  uint32_t record_branches;     /* leave the branch of each execution (struct branch_node) */
  uint32_t framework;           /* enum test_framework: the program is of its tests */
  uint32_t list_tests;          /* tell their names instead of running them */
  char test[TEST_NAME_SIZE];    /* the one to run, as it was listed; empty for all */
  char ordering[ORDERING_NAME]; /* of those that the test names, the one to keep; empty for all, one after the other */
  uint32_t unseen_events;       /* calls of functions that properties are about may be unseen: they were inlined */
  uint32_t calls;               /* watched; the runtime adds those that the program names itself (HD_CALL) */
  struct watched_call call[WATCHED_CALLS];
  uint32_t leaves_out;                    /* watched calls are no operations, but what can be left out (parts.h) */
  uint32_t unused_results;                /* places, as the file has them, where nobody reads the result of a call */
  uint64_t unused_result[UNUSED_RESULTS]; /* of a function that GIVES_NUMBER */
  struct subset kept; /* what of such a test is run, unless the strategy knows better, which must keep this; of no
                         threads: all */
};

/* As nobody chose anything; all else is zero. */
void control_config_init(struct control_config *config);

#endif
