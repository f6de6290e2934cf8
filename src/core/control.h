/* SPDX-License-Identifier: Apache-2.0
 *
 * The control block: what the command line and one tested process say to each other.
 *
 * It is the start of a shared mapping (a memfd) that outlives the tested process: the engine keeps in it all that must
 * survive an execution, so the same state serves executions in place, in forked children and in fresh processes, and
 * a process that dies leaves everything behind. The command line fills in `config` before it starts a process and
 * reads the rest at any time; only the tested process writes the rest. No pointers: the command line maps it elsewhere.
 *
 * Behind the block, in the same mapping, follow areas at fixed offsets (CONTROL_*_OFFSET).
 */
#ifndef HEDDLE_CORE_CONTROL_H
#define HEDDLE_CORE_CONTROL_H

#include "core/address_name.h"
#include "core/bug.h"
#include "core/coverage.h"
#include "core/loss.h"
#include "core/operation.h"
#include "core/plan.h"
#include "core/settings.h"
#include "core/strategy.h"
#include "core/subset.h"
#include "core/threadset.h"
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_MAGIC UINT32_C(0x6c644448)
#define CONTROL_SEAL UINT64_C(0x6865646c65736561) /* between its parts: a wild pointer that writes across them breaks it */
#define CONTROL_ENV "HEDDLE_CONTROL" /* "<fd of the control mapping>,<fd of the shadow mapping>" */
#define ROOM_ENV "HEDDLE_ROOM"       /* fills the room above main's stack (cli/launch.h) */
#define STRESS_ENV "HEDDLE_STRESS"   /* without it: of 100 hooks, how many pause (runtime/stress.h) */

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

/* Why the tested process ended, or that it has not. */
enum worker_state {
  WORKER_STARTING, /* set by the command line before each start */
  WORKER_RUNNING,  /* executing */
  WORKER_AGAIN, /* one execution done; start me again (exec mode), or with the new reset, pool_threads or stack_size in `wish` */
  WORKER_DONE,  /* all executions asked for were run, or the strategy has no more, or a bug stopped it */
  WORKER_DIVERGED, /* replay: the program did not follow the schedule; `error` says where */
  WORKER_FAILED,   /* heddle cannot do it; `error` says what and why */
  WORKER_HANDED /* exhaustive search: handed in, waits for the next unit; the command line sets WORKER_RUNNING */
};

/* A function whose calls are operations (OP_CALL): the handle it is given or returns is the object. Numbered from 1, in
 * the order of the list: op->arg. */
enum call_role {
  CALL_METHOD,
  CALL_CREATOR, /* returns a new object: told of when it does */
  CALL_INIT     /* is given memory that is a new object from now on */
};
#define WATCHED_CALLS 256
struct watched_call {
  uint64_t
      sled; /* its first instructions, as the file has them (trace/watch_list.h); 0: it says so by itself */
  uint8_t role;     /* enum call_role; a creator's object is what it returns */
  uint8_t argument; /* which one is the object, 0 to 5 */
  char type[22];    /* objects of a type have a protocol */
  char name[40];
};

struct control_config {
  HD_EXECUTION_SETTINGS(SETTING_FIELD) /* the settings; reset: RESET_AUTO starts as snapshot */
  uint64_t first;                      /* number of the first execution to run */
  uint64_t stride;                     /* distance to the next: the number of workers */
  uint64_t executions;                 /* how many to run, 0 for no limit */
  int64_t began;                       /* the command, in nanoseconds since 1970, as the system dates files */
  uint32_t raises;                     /* how often max_steps may be doubled where it is no hang (written by the runtime) */
  uint32_t trace; /* record every event of the (only) execution into the trace area, with values and stacks */
  uint64_t target_key;  /* shrink, localise, minimise: the bug they are about; 0: that none shows */
  uint32_t target_kind; /* enum bug_kind */
  uint32_t stress_threads, stress_calls; /* minimise: the size of the test (heddle_stress.h) */
  uint32_t output_all;                   /* keep the output of every execution (of the last one otherwise) */
  uint32_t instrumented;                 /* written by the runtime: memory hooks are in the program */
  uint32_t
      replay_hang; /* replay: the schedule is of a hang; its end without the program's end is the bug again (2: a livelock) */
  uint32_t client; /* there is one: the milliseconds that it may leave the program waiting; 0: there is none */
  uint32_t events;           /* record the run (core/record.h) */
  uint32_t hashes;           /* leave a line for each execution (struct execution_line) */
  uint32_t record;           /* leave the branch of each execution (struct recorded_node) */
  uint32_t framework;        /* enum test_framework: the program is of its tests */
  uint32_t list_tests;       /* tell their names instead of running them */
  char test[TEST_NAME_SIZE]; /* the one to run, as it was listed; empty for all */
  uint32_t calls;            /* watched; the runtime adds those that the program names itself (HD_CALL) */
  struct watched_call call[WATCHED_CALLS];
};

/* As nobody chose anything; all else is zero. */
void control_config_init(struct control_config *config);

/* The client of an execution (--client). What follows what is decided by the side in brackets. */
enum client_state {
  CLIENT_NONE,   /* not started in this execution [runtime, or the command line after CLIENT_OVER] */
  CLIENT_WANTED, /* the program waits for the outside [runtime] */
  CLIENT_RUNS,   /* [command line] */
  CLIENT_ENDED,  /* by itself, with `status` [command line] */
  CLIENT_OVER    /* the execution is over, end it [runtime] */
};

/* Why the search ended although there is a client. */
enum client_failure {
  CLIENT_FAILED_NOT,
  CLIENT_NEVER_CAME, /* it ended, and the program still waits for the first sign of it */
  CLIENT_SILENT      /* it runs, and the program waits for it for too long */
};

/* Why the process stands still for a debugger. */
enum debugger_reason {
  STANDS_NOT,
  STANDS_AT_START, /* the execution is about to begin: time to say where to stand next */
  STANDS_AT_STEP,  /* right before a step that was asked for */
  STANDS_AT_BUG,   /* a bug was declared; the thread that shows it has not been left yet */
  STANDS_AT_END    /* the execution is over */
};

/* A traced replay under a debugger (runtime/debugger.c), which sets where to stand and reads where it stands. */
struct debugger {
  uint32_t attached;    /* set by the command line */
  uint32_t reason;      /* enum debugger_reason */
  uint64_t bug_key;     /* a bug to stand at even if it does not end the execution, 0 for none */
  uint64_t stop_step;   /* stand before the first recorded step of this number or more, 0 for none */
  uint64_t stop_switch; /* stand before the first one after so many context switches, 0 for none */
  uint64_t step;        /* it is about to do, or did last */
  uint64_t switches;    /* so far */
  uint64_t switch_step; /* the first step after the last of them, 0 for none */
};

/* The number of a task that is no thread of the program's, the clock, among main's children, which are fewer. */
#define TASK_NUMBER 1000

struct thread_info {
  uint32_t parent; /* index of the thread that created it; itself for main */
  uint32_t nth;    /* it is its parent's nth child, from 1; 0 for main */
  uintptr_t start; /* start routine */
  char name[16];   /* given by the program, or empty */
};

/* One uninterrupted run of a thread: it executes `operations` operations and is then about to do `op` at `pc`. The
 * last segment of a schedule ends with the execution; its count includes the operation during which that happened. */
struct segment {
  uint32_t thread;  /* index into the schedule's own thread table (parents before children, main is 0) */
  uint16_t op;      /* enum op_kind */
  uint16_t enabled; /* 1 if the thread could have gone on: the switch was a preemption */
  uint64_t operations;
  uint64_t pc; /* its name (core/address_name.h), once the schedule is written */
};

struct schedule_thread {
  uint32_t parent;
  uint32_t nth;
};

/* A schedule in the pool: this header, then threads, then segments, then choices (struct data_choice). */
struct schedule_record {
  uint64_t bytes; /* of the whole record */
  uint64_t hash;  /* trace hash */
  uint32_t threads;
  uint32_t segments;
  uint32_t choices;
  uint32_t strategy; /* enum strategy_id that really made it */
  uint64_t execution;
};

struct data_choice {
  uint32_t n;
  uint32_t value;
};

/* What is remarkable about an event. */
enum trace_mark {
  TRACE_RACE = 1,     /* a data race was declared at it */
  TRACE_BLOCKED = 2,  /* left at the end: it cannot be performed now */
  TRACE_DEADLOCK = 4, /* and never can, since no thread can go on */
  TRACE_FRESH =
      8 /* it writes to a stack where nothing was written yet: what was there before means nothing */
};

#define HEAP_FRESH 0xbe /* what memory is filled with when it is allocated */

/* One event of a traced execution. Heap addresses carry the place of their allocation. */
struct trace_event {
  uint64_t step;
  uint32_t thread;
  uint16_t op;
  uint8_t switched;  /* 1: first event after a switch; 2: and the switch was a preemption */
  uint8_t has_value; /* value is known (1, 2, 4, 8 byte accesses) */
  uint32_t length;
  int32_t result; /* of calls: return value or errno */
  uintptr_t addr;
  uintptr_t second; /* address of the second object */
  uintptr_t pc;
  uint64_t arg;    /* thread joined or created, choice made, ... */
  uint64_t value;  /* memory: value read, or value after a write */
  uint64_t before; /* memory: value before a write */
  uintptr_t block_pc;
  uint64_t block_offset;
  uintptr_t local_pc; /* memory on a stack: as in struct bug_party */
  int64_t local_offset;
  uint64_t operations; /* of this thread, this one included */
  uint32_t depth;
  uint16_t readers, writers; /* memory: other threads that stand right before an access of the same bytes */
  uint32_t marks;            /* a set of enum trace_mark */
  int32_t holder;            /* locks: the thread that held it when this was performed, -1 for none */
  uint64_t race_step;        /* of the other side of its race, 0 when that is not known */
  uint64_t
      waited_since;  /* the step at which the thread could not go on for the first time, 0: it always could */
  uint64_t woken_by; /* the step that signalled it, or else that let it go on; 0 for none */
  uintptr_t stack[BUG_STACK];
  char text[24]; /* hd_event's name, cut */
};

/* An execution of an exhaustive search, for comparisons. */
struct execution_line {
  uint64_t class_hash; /* the same for equivalent ones */
  uint64_t output;     /* hash of what it printed */
  uint64_t bug_key;    /* 0 for none */
};

/* A node of the branch that an execution of an exhaustive search took. The first one of a branch has `thread` RECORD_START
 * and the time it took, in nanoseconds, in `step`. */
struct recorded_node {
  uint16_t thread;
  uint16_t able;    /* threads that could go on */
  uint32_t waiting; /* children still to be tried, after the execution */
  uint64_t step;    /* a number for the step taken: thread and data choices */
};
#define RECORD_START UINT16_MAX

#define CONTROL_BUGS 128
#define CONTROL_ASIDES 64 /* of them, at most, end no execution: those that do always have room */
#define CONTROL_HOTSPOTS 64
#define CONTROL_MAPPING_SIZE (UINT64_C(1) << 37) /* sparse */
#define CONTROL_MAPS_OFFSET                                                                                  \
  (UINT64_C(1) << 23) /* the text of the process's memory map, at the start of its first execution */
#define CONTROL_MAPS_MAX (UINT64_C(1) << 22)
#define CONTROL_SCHEDULE_IN_OFFSET (UINT64_C(1) << 24)   /* struct schedule_record to replay or shrink */
#define CONTROL_SCHEDULE_POOL_OFFSET (UINT64_C(1) << 28) /* schedules of found bugs */
#define CONTROL_SCHEDULE_POOL_SIZE (UINT64_C(1) << 32)
#define CONTROL_TRACE_OFFSET (UINT64_C(1) << 33)
#define CONTROL_TRACE_MAX 1000000 /* events; later ones are counted, not kept */
#define CONTROL_OUTPUT_OFFSET (UINT64_C(1) << 34)
#define CONTROL_OUTPUT_MAX (UINT64_C(1) << 26)
#define CONTROL_INPUT_OFFSET (CONTROL_OUTPUT_OFFSET + (UINT64_C(1) << 30)) /* standard input, whole */
#define CONTROL_INPUT_MAX (UINT64_C(1) << 32)
#define CONTROL_LINES_OFFSET                                                                                 \
  (CONTROL_INPUT_OFFSET + CONTROL_INPUT_MAX) /* struct execution_line of every execution */
#define CONTROL_LINES_MAX (UINT64_C(1) << 25)
#define CONTROL_TRIALS_OFFSET (UINT64_C(39) << 30) /* struct trials (trials.h) */
#define CONTROL_UNIT_OFFSET (UINT64_C(40) << 30)   /* struct unit to explore (explore/unit.h) */
#define CONTROL_UNIT_MAX (UINT64_C(1) << 30)
#define CONTROL_HAND_IN_OFFSET (UINT64_C(41) << 30) /* struct hand_in */
#define CONTROL_HAND_IN_MAX (UINT64_C(8) << 30)
#define CONTROL_LOCATIONS_OFFSET (UINT64_C(50) << 30) /* names (uint64_t) of shared memory, as found */
#define CONTROL_LOCATIONS_GIVEN_OFFSET (UINT64_C(51) << 30) /* and as found by others */
#define CONTROL_LOCATIONS_MAX (UINT64_C(1) << 20)
#define CONTROL_RECORD_OFFSET (UINT64_C(52) << 30) /* struct recorded_node, execution after execution */
#define CONTROL_RECORD_MAX (UINT64_C(10) << 30)
#define CONTROL_PLAN_OFFSET (UINT64_C(61) << 30)     /* struct plan (plan.h) */
#define CONTROL_EVENTS_OFFSET (UINT64_C(62) << 30)   /* struct event_ring (record.h) */
#define CONTROL_COVERAGE_OFFSET (UINT64_C(63) << 30) /* struct coverage */
#define CONTROL_ENGINE_OFFSET (UINT64_C(1) << 36)    /* the engine's own; of no concern to the command line */

struct control {
  uint32_t magic;
  uint32_t version; /* sizeof(struct control): command line and library must be of one build */
  struct control_config config;

  /* Progress. */
  volatile uint32_t state;        /* enum worker_state */
  volatile uint32_t stop;         /* set by the command line: end after this execution */
  volatile uint32_t reset;        /* the mode in use, enum reset_mode */
  volatile uint32_t in_execution; /* an execution is under way */
  volatile uint64_t execution;    /* number of the current or last one */
  volatile uint64_t executions;   /* complete executions so far */
  volatile uint64_t cut;          /* executions heddle ended itself */
  volatile uint32_t assumed;      /* one of them because an assumption did not hold (hd_assume) */
  volatile uint64_t blocked;      /* executions that a reduction had to abandon */
  volatile uint64_t restarts;     /* how often an exhaustive search began anew, having learnt more */
  volatile uint32_t finished;     /* exhaustive search: nothing is left to explore */
  volatile uint32_t bounded;      /* but for what lies beyond the bound */
  volatile uint32_t incomplete;   /* but for what the search lost: a set of LOST_* (loss.h) */
  volatile uint32_t losses;       /* what any search loses with this program, likewise */
  volatile uint64_t recorded;     /* with config.record: nodes in their area */
  volatile uint64_t lines;        /* with config.hashes: of the lines area */
  volatile uint64_t steps;        /* over all executions */
  volatile uint64_t heartbeat;  /* grows with every scheduling point: a process that stands still is stuck */
  volatile uint64_t trace_hash; /* of the last execution */
  volatile uint64_t session_hash; /* over the hashes of all executions */
  volatile uint64_t max_steps_seen;
  volatile uint64_t max_threads_seen;

  /* An exhaustive search in units. */
  struct {
    uint32_t shared;         /* set by the command line: units are given and handed in */
    volatile uint32_t given; /* a unit is in its area, not yet begun */
    volatile uint32_t asked; /* hand in after this execution */
    volatile uint32_t
        learnt; /* with WORKER_HANDED: more memory is shared than was known; nothing else is handed in */
    volatile uint32_t locations; /* names in their area */
    uint32_t locations_given;
    uint32_t scattered; /* set by the command line: every process has its parts at other addresses */
    uint64_t layout;    /* of the process before (runtime/names.h) */
  } work;

  struct {
    uint32_t reset;        /* enum reset_mode to go on with */
    uint32_t pool_threads; /* threads to prepare */
    uint64_t stack_size;   /* of each */
    uint32_t no_filter;    /* the program starts other programs: no system call filter */
    char reason[256];      /* one sentence for the user, empty for a silent restart */
  } wish;

  char error[512]; /* one line, with WORKER_FAILED and WORKER_DIVERGED */
  uintptr_t error_pc;

  /* An execution ended where only something outside the program could have let it go on. */
  struct {
    volatile uint32_t known;
    uint32_t likely;  /* not at its end, but at the step limit, and the program may still go on by itself */
    uint32_t process; /* another process, not the world at large */
    uint32_t thread;
    int64_t call; /* the system call it waits in, -1 for none */
    uintptr_t pc;
  } outside;

  struct {
    volatile uint32_t state;  /* enum client_state */
    volatile int32_t status;  /* of its end, as waitpid tells it */
    volatile uint32_t failed; /* enum client_failure */
  } client;

  /* A stuck process, asked by SIGURG, says where it stands. */
  volatile uint32_t stuck_answered;
  struct bug_party stuck;
  int64_t stuck_syscall; /* number of the system call it is in, -1 for none */

  struct debugger debugger;

  uint64_t seal_before_bugs; /* CONTROL_SEAL, set by the command line and looked at before it reads what is there */
  uint32_t bugs;
  uint32_t bugs_left_out; /* there were more than there is room for */
  struct bug bug[CONTROL_BUGS];

  /* Exit statuses: one that no schedule changes says nothing about schedules. */
  struct {
    uint32_t seen;   /* an execution came to its exit */
    uint32_t first;  /* with this status */
    uint32_t differ; /* and another one with another */
  } exits;

  struct plan_outcome plan_outcome; /* of the strategy confirm */

  struct {
    volatile uint32_t failed; /* the test was seen to fail, and kept is the smallest that was */
    struct subset kept;
  } minimised; /* of the strategy minimise */

  uint32_t hotspots;
  struct hotspot hotspot[CONTROL_HOTSPOTS];

  uint64_t seal_before_threads;

  /* The last execution. */
  uint32_t threads;
  struct thread_info thread[MAX_THREADS];
  uint64_t trace_events; /* recorded or counted */
  uint32_t trace_left;   /* behind them: what each thread was about to do when it ended */
  uint64_t output_bytes; /* in the output area: of the last execution, or of all */
  uint64_t input_bytes;
  uint64_t maps_bytes;
  char unseen_assembly[128]; /* "file:line: instruction" that accesses memory heddle does not see; empty for none */
  uint64_t seal_after_threads;
  uint32_t modules; /* of the process whose map it is, and where they are: address less address in the file */
  uint64_t module_bias[NAME_MODULES];
  char opaque[64]; /* a library that synchronises unseen, so that races need more proof; empty for none */
  char unhooked
      [256]; /* names of modules whose accesses to memory are not seen; empty for none (runtime/hooks.h) */

  char unseen_calls[256]; /* functions of the C library whose accesses are not seen (runtime/library_calls.h) */

  uint64_t pool_used; /* bytes of the schedule pool */
  uint64_t
      best_schedule; /* shrink, localise, minimise: offset in the pool of the one that is kept, ~0 for none */
};

/* The shadow mapping: one word for every eight bytes of the program's address space, folded to 44 bits. */
#define SHADOW_MAPPING_SIZE (UINT64_C(1) << 44)

#define CONTROL_AT(control, offset) ((void *)((char *)(control) + (offset)))

static inline struct schedule_thread *schedule_threads(struct schedule_record *r)
{
  return (struct schedule_thread *)(r + 1);
}

static inline struct segment *schedule_segments(struct schedule_record *r)
{
  return (struct segment *)(schedule_threads(r) + r->threads);
}

static inline struct data_choice *schedule_choices(struct schedule_record *r)
{
  return (struct data_choice *)(schedule_segments(r) + r->segments);
}

#endif
