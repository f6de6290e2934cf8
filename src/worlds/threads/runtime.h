/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime: what lives in the tested process. Inner interfaces between its files.
 *
 * Two states. Passive: no session; every interposed function forwards to libc and the memory hooks return at once, so
 * a program built with heddle runs as usual. Active: all threads of the program are fibers of one kernel thread, and
 * every interposed function is a model of it (mutex.c, cond.c, ...). hd_self is NULL exactly when passive, and while
 * the runtime itself runs between executions.
 *
 * Memory. Four kinds, and one must know in which one a datum lives:
 *   - the program's (its data, heap, libc's data, stacks): put back after each execution by the snapshot;
 *   - the runtime's own in each process (struct own, most static variables): private, never put back, must be
 *     re-initialised by execution_begin() or be constant after boot; a fork copies it;
 *   - the system's (struct runtime, objects, observers): shared by all processes of the program (system_memory.h),
 *     re-initialised likewise, without pointers into memory of the first two kinds;
 *   - the control mapping (engine, bugs, schedules): shared, outlives the process.
 * Runtime code that runs while active must not call libc functions that allocate, lock or use errno of the program
 * carelessly; system calls go through sys() because of the filter (filter.c).
 */
#ifndef HEDDLE_RUNTIME_RUNTIME_H
#define HEDDLE_RUNTIME_RUNTIME_H

#include "core/control.h"
#include "core/engine.h"
#include "core/footprint.h"
#include "core/vclock.h"
#include "watch/awaited.h"
#include "worlds/threads/process/stress_pauses.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define RETURN_ADDRESS() ((uintptr_t)__builtin_return_address(0))
#define CALLER() caller_behind(RETURN_ADDRESS()) /* hooks, which nobody watches, do without the question */

/* Fixed places in the address space, the same in every process; below the program and its libraries, distinct in the
 * low 44 bits (shadow). */
#define CONTROL_ADDRESS UINT64_C(0x100000000000)
#define HEAP_ADDRESS UINT64_C(0x201000000000)
#define HEAP_ROOM ((uint64_t)MAX_THREADS << 32)
#define SHADOW_ADDRESS UINT64_C(0x300000000000)
#define STACKS_ADDRESS UINT64_C(0x450000000000) /* of threads, STACK_ROOM for each */
#define STACK_ROOM (UINT64_C(1) << 34)
#define MAPPINGS_ADDRESS UINT64_C(0x4a0000000000) /* that the program makes without saying where */
#define MAPPINGS_ROOM (UINT64_C(1) << 42)
#define SEGMENTS_ADDRESS UINT64_C(0x4e0000000000) /* the same, of memory that processes share */
#define SEGMENTS_ROOM (UINT64_C(1) << 40)
#define SHADOW_MASK (SHADOW_MAPPING_SIZE - 1)

/* ---- threads (thread.c, fiber.c) ---- */

struct fiber {
  void *sp;
  uintptr_t fs;                 /* TLS base: also the thread's pthread_t */
  char *stack_low, *stack_high; /* where it runs: at home, or where the program wants it (attributes.c) */
  char *home_low, *home_high;
  char *used_from; /* of the stack, by the executions so far (fiber.c); NULL: not looked at yet */
  int tid;         /* of the kernel thread it was borrowed from */
};

/* What a signal handler must not do, if it interrupts the same (unsafe_calls.c). */
enum unsafe_family { UNSAFE_HEAP, UNSAFE_STREAM, UNSAFE_FAMILIES };
struct unsafe_use {
  const char *name;
  uintptr_t object; /* the stream */
  uintptr_t pc;
  uint64_t at;      /* of its own clock */
  uint64_t open_to; /* signals whose handlers may interrupt it */
};

/* What the kernel's scheduler would go by (scheduling.c). */
struct scheduling {
  uint8_t policy, priority;
  int8_t nice;
  bool reset; /* threads that it creates get none of it */
};

#define FRAME_SITES 3
struct frame {  /* of the shadow call stack, kept only with rt.calls */
  uintptr_t pc; /* of the call */
  uintptr_t sp;
  uintptr_t own;              /* somewhere in the function called */
  uintptr_t cfa;              /* its canonical frame address */
  uint64_t activation, count; /* with rt.naming: a number for this call, and how often its caller made it (origin.c) */
  /* Likewise, by it: the first few places where it called or made something, and how often each. */
  struct {
    uintptr_t pc;
    uint32_t count;
  } made[FRAME_SITES];
  uint32_t sites;
};
#define FRAMES 1024
#define THREAD_WRITES 16

/* Who wants to know the private state of threads (spinning.c). */
enum local_use { LOCAL_FOR_SEARCH = 1, LOCAL_FOR_HANG = 2, LOCAL_FOR_SPIN = 4 };

/* A virtual thread: what the engine does not need to know. Index as in the engine. What is large comes last, and is
 * empty by a count of its own, so that a thread is made without touching it (thread_renew). */
/* What a thread has done since it took a mutex last (exhaustive search, model/rehearsal.c). */
struct section {
  uint32_t mutex;            /* object; */
  uint32_t condition, looks; /* while it waits: its object; what it will look at, if that counts, + 1 */
  bool told;                 /* others can tell that it has the mutex, or did something */
  uint64_t read;             /* a number for what it read, and in which order */
};

struct thread {
  struct fiber *fiber;
  uint8_t process;
  void *(*start)(void *);
  int (*start_c11)(void *);
  void *arg;
  void *result;
  bool finished, detached, joined, joining;
  bool plain;      /* it was created with nothing said of how it is to be */
  bool told_apart; /* somebody may know which of several like it it is: it asked, or was asked by name */
  bool cancel_pending, cancel_disabled, cancel_async;
  uint32_t frames;
  struct frame *frame;
  uint64_t signal_mask;
  uint64_t pending_signals;
  struct unsafe_use unsafe[UNSAFE_FAMILIES]; /* the last one of each */
  uint64_t handler_knows;                    /* what who sent its signal knew of the thread */
  int handler_signal;                        /* of the handler it is in */
  long call;                                 /* the system call it made last */
  bool at_point;                             /* it is in one that is a cancellation point */
  cpu_set_t processors;                      /* it may run on; none: not said */
  struct scheduling scheduling;
  uint16_t
      bound_to; /* the only processor it may run on, from 1 on, if its priority counts there; 0: none (priorities.c) */
  char *own_stack; /* that the program gave it; NULL: none */
  size_t stack_size, guard_size;
  bool explicit_scheduling;
  uint32_t writes;      /* with rt.keeps_local: elsewhere than on its stack, since its state was last looked at */
  uint64_t began;       /* virtual time */
  uint8_t clock_looks;  /* at the clock, up to two */
  uint64_t looked_from; /* what it held at the step before the last one of them (rt.local) */
  bool system;          /* no thread of the program's but the clock (timers.c) */
  uint32_t futex_bits;
  bool signalled_in_wait; /* a signal that is pending came when it waited for something already */
  bool interrupted;       /* its wait was given up for a signal handler; the model takes note and clears it */
  bool wait_ends;         /* its wait for a condition may time out */
  bool waits;             /* for what its step is for, or for this time (punctual.c) */
  int64_t waits_until;
  bool waits_by_wall_clock; /* which the program may set */
  uint64_t waits_since;     /* step */
  uint32_t in_vain;         /* timeouts of its waits in a row, when nobody could go on (outside.c) */
  uint64_t waited_at;       /* its operation that was a wait already, for certain (punctual.c) */
  uint64_t waited_by;       /* the step by which it was */
  uintptr_t steps_aside;    /* where it takes steps, since it is in a handler on a small stack; 0: where it is */
  uint64_t let_through;     /* signals that it blocks but while it waits (ppoll and its like) */
  bool spawns;              /* it is in posix_spawn() */
  bool asks_serial;         /* somebody reads what the barrier it is at tells it */
  bool serial;              /* the barrier it leaves made it the serial thread */
  int ignores_reads, ignores_writes; /* how often it said that such accesses are no races (annotations.c) */
  const char *fiber_annotated;       /* the one of its own that it is in, as it said; NULL: none */
  struct section section;
  uint32_t sleeps; /* in a row, at that place, with few steps in between (time.c) */
  uintptr_t sleeps_at;
  uint64_t slept_at; /* step */
  /* from here on by counts: */
  struct awaited_returns awaited; /* functions it is in (watch.c); first, since its count is set for each thread */
  struct vclock clock;            /* what it knows */
  struct vclock released;         /* at its last release fence */
  struct vclock acquirable;       /* of relaxed loads, for the next acquire fence */
  struct {
    uintptr_t granule;
    uint64_t before;
  } written[THREAD_WRITES];
  char apart[64]; /* from the next one: else the same parts of all would compete for the same few lines of the cache */
};

/* What each process has for itself; a fork copies it, as it does the program's memory. */
struct own {
  bool cancels;  /* the program may cancel threads: its system calls are where they notice */
  bool session;  /* started by the command line, or inside hd_explore */
  bool embedded; /* inside hd_explore */
  bool filter;   /* the system call filter is on */
  bool fsgsbase; /* the TLS base can be set by an instruction */
  bool main_returned;
  unsigned process;    /* its number */
  unsigned image;      /* which program it is: 0 is the one that was started */
  unsigned goes_on;    /* another one: the thread that it begins as */
  unsigned seat;       /* where it waits: 0 has the loop of executions, and is the first process unless that went on
                          as another program */
  uint32_t generation; /* of shadow words; grows with executions and at the first thread */
  uint64_t handled_signals; /* that have a handler */
  uint32_t fibers;          /* prepared */
  struct fiber fiber[MAX_THREADS];
  void *loop_sp; /* context of the execution loop */
  uintptr_t loop_fs;
  void *main_sp;          /* context of main at the start of an execution */
  uintptr_t main_high;    /* above it: main's frames, and those of whoever calls it, are below this */
  uintptr_t main_strings; /* above it: the text of arguments and environment, where no pointers are; 0: not known */
  char *alt_stack;
  uint32_t elsewhere; /* mappings of shared memory that others have, or it has too, at another address */
};

extern struct own hd_own;

/* ---- objects (object.c): everything a thread can wait for or synchronise by, found by address ---- */

#define OBJECTS_MOST (1u << 19)

struct object {
  uintptr_t addr;
  uint32_t id;
  uint8_t kind;    /* enum object_kind */
  uint8_t space;   /* core/footprint.h: two processes may have one each at the same address */
  uint8_t type;    /* PTHREAD_MUTEX_*, rwlock preference */
  uint8_t ceiling; /* the priority of whoever holds the mutex, at least; 0: it has none */
  bool robust, dead_owner, unrecoverable;
  bool inherits; /* its owner has the priority of whoever waits for the mutex, if that is higher */
  bool destroyed, forgotten;
  bool copied;            /* with its process, and nobody has taken it there since */
  int32_t owner;          /* thread, -1 for none */
  uint32_t count;         /* recursion depth, semaphore value, arrivals, readers */
  uint32_t limit;         /* barrier's count */
  uint32_t phase;         /* barrier's generation, once's state */
  uint32_t waiters_mutex; /* object of the mutex the waiters of a condition variable use */
  uintptr_t owner_pc;     /* where it was taken */
  clockid_t clock_id;     /* of a condition variable */
  struct threadset waiters, signalled, readers;
  struct vclock clock;
  struct vclock readers_clock;     /* read-write locks: what the readers knew when they unlocked */
  uint8_t read_depth[MAX_THREADS]; /* read-write locks only */
};

/* The object at the address, made with `setup` at its first use in this execution. */
struct object *object_at(const void *addr, enum object_kind kind, void (*setup)(struct object *));
/* The object at the address if it is known in this execution. */
struct object *object_find(const void *addr, enum object_kind kind);
struct object *object_by_id(uint32_t id);
/* The object of that number, NULL when there are not so many. */
struct object *object_known(uint32_t id);
/* Whether another thread is blocked on it. */
bool object_awaited(const struct object *object);
/* One of the objects the operation acts on, by its key (core/key.h); NULL if it is not known in this
 * execution. */
const struct object *object_of(const struct operation *op, uint64_t key);
/* What models have in common: locks with an owner, and things that threads are woken from. */
uint64_t lock_is_free(void *self, const struct operation *op, uint64_t key);
int lock_owner(void *self, const struct operation *op, uintptr_t *pc);
uint64_t waiters_number(void *self, const struct operation *op, uint64_t key);
bool is_signalled(void *self, unsigned thread, const struct operation *op);
void object_view(const struct object *object, struct object_view *out);
void object_forget(struct object *object);
/* The program destroyed it. It comes to life again when the program initialises it, by call or by assignment. */
void object_destroyed(struct object *object);
void objects_reset(void);
void objects_boot(void);
/* A process is a copy of another: it has as many locks, as they are. What the thread holds, its copy holds there. */
void objects_fork(unsigned process, unsigned copy, unsigned thread, unsigned its_copy);

/* Variables of the runtime that all processes share (system_memory.h). */
extern char __start_heddle_system[] __attribute__((visibility("hidden")));
extern char __stop_heddle_system[] __attribute__((visibility("hidden")));

/* The space of memory at that address, as this process sees it. */
static inline uint8_t space_of(uintptr_t addr)
{
  bool ours = addr - (uintptr_t)__start_heddle_system < (uintptr_t)(__stop_heddle_system - __start_heddle_system);
  return unlikely(addr - SEGMENTS_ADDRESS < SEGMENTS_ROOM || ours) ? SPACE_SHARED : (uint8_t)hd_own.process;
}

/* The same of what accesses name: the variables among the runtime's own that stand for a state of the C library
 * (hidden_state.c) are each process's. */
static inline uint8_t space_of_access(uintptr_t addr)
{
  return unlikely(addr - SEGMENTS_ADDRESS < SEGMENTS_ROOM) ? SPACE_SHARED : (uint8_t)hd_own.process;
}

/* The address by which all know what is there; mapping_here() is where this process has it (mappings.c). */
uintptr_t mapping_home(uintptr_t addr);
uintptr_t mapping_here(uintptr_t home);
static inline uintptr_t home_of(uintptr_t addr)
{
  return likely(!hd_own.elsewhere) ? addr : mapping_home(addr);
}

/* ---- processes (processes.c) ---- */

/* A process of the program, as the others see it. Its number is an index; its id is that of its first thread. */
struct process {
  bool exists; /* it began in this execution, and nobody has waited for it yet */
  bool ended;  /* nothing of it runs any more */
  uint8_t parent;
  uint8_t first; /* its first thread */
  int group, session_id;
  int status;                        /* as wait() tells it */
  int real;                          /* the kernel's number */
  uint64_t began;                    /* virtual time */
  uint64_t used, by_waited;          /* of it, in all; by children that it waited for */
  uint8_t seat;                      /* where it waits for its turn (turn.h) */
  uint64_t signals;                  /* pending for whoever does not block them */
  uint64_t handled, ignored;         /* those that have a handler; those that are ignored on purpose */
  bool leaves_no_zombies;            /* and so are ended children (SA_NOCLDWAIT) */
  bool changed;                      /* what the kernel keeps of it is not as at the start (system/effects.h) */
  bool borrows;                      /* its parent's thread, which waits until it runs a program (borrowing.c) */
  bool spawned;                      /* by posix_spawn() */
  int spawn_error;                   /* that kept it from running its program; 0: none */
  bool hears_of_ends_only;           /* of children, not that they are stopped (SA_NOCLDSTOP) */
  uint8_t stopping;                  /* the signal that stops its threads, one by one; 0: none (job_control.c) */
  bool stopped;                      /* all of them are */
  bool stop_untold, continue_untold; /* what wait() has not told yet */
  struct vclock clock;               /* what it knew at its end */
};

/* ---- the runtime's state ---- */

struct runtime {
  struct control *control;
  struct engine *engine;
  bool tracing;
  bool recording;     /* this very execution */
  bool naming;        /* threads and objects get names that hold from run to run */
  bool punctual;      /* time passes only when nothing else can go on (punctual.c) */
  bool signalled;     /* a signal was sent in this execution */
  uint32_t sleepers;  /* threads that wait for that */
  bool looked_behind; /* for some wait it counts whether what it is for changes before somebody signals (rehearsal.c) */
  bool armed;         /* a timer was set in this execution: waits that let time pass may let it expire (timers.c) */
  uint8_t keeps_local; /* for whom the private state of threads is of interest: enum local_use */
  bool calls;          /* the shadow call stack is kept: in traced executions, and for strategies that ask for it */
  uint32_t framed;     /* no thread from this one on has room for its calls */
  uint64_t now;        /* virtual time, ns since the start */
  uint64_t random;     /* stream behind getrandom and the like */
  uint64_t input_at;   /* how much of standard input was read */
  bool rerun;          /* the execution only taught us what is shared, and is to be run again */
  bool unmapped;       /* the program took memory away in this execution: not all that it used can be read any more */
  uint32_t locations_before;   /* shared locations known when the execution began */
  uint64_t local[MAX_THREADS]; /* the private state of each thread at its last announcement (exhaustive search) */
  struct thread thread[MAX_THREADS];
  struct process process[PROCESSES];
  uint32_t turn[PROCESSES + 1]; /* enum turn, by seat */
  int first_process;            /* the kernel's number of the one with the loop */
  uint64_t image[IMAGES];       /* a hash of the path of each program that processes went on as; 0: none yet */
};

extern struct runtime rt;

/* A return address as the program put it, where it was replaced to await a result (watch.c). */
uintptr_t watch_caller(void);
static inline uintptr_t caller_behind(uintptr_t pc)
{
  return unlikely(pc == (uintptr_t)watch_return) ? watch_caller() : pc;
}

extern struct thread_state *hd_self; /* NULL: passive, or the runtime itself runs */

static inline unsigned self_index(void)
{
  return rt.engine->current;
}

static inline struct thread *self_thread(void)
{
  return &rt.thread[rt.engine->current];
}

/* ---- steps (step.c): what models are made of ---- */

/* Announce the operation and wait for the turn; on return it is enabled and the caller performs it at once. */
void step(const struct operation *op);
/* An operation on an object, wherever that lives. */
struct operation operation_on(enum op_kind kind, const struct object *object, uint64_t arg, uintptr_t pc);
/* The step of one. */
void step_on(enum op_kind kind, struct object *object, uint64_t arg, uintptr_t pc);
/* The end of this process, or of the program, as a step. */
void step_to_end(void);
/* It is nobody's turn, since the schedule cannot be followed. */
_Noreturn void schedule_left(void);
/* The operation was performed: notes it in trace hash and trace. Returns result, for tail use. */
int performed(int result);
/* Release and acquire edges of happens-before between this thread and an object's clock. */
void acquire_from(const struct vclock *clock);
void release_to(struct vclock *clock);
/* Give the turn away without performing anything: the current thread has ended. Does not return. */
_Noreturn void step_out(void);

/* ---- executions (loop.c) ---- */

/* End the execution from any thread; switches to the loop and never returns. */
_Noreturn void execution_end(void);
_Noreturn void execution_exit(int status);
/* Heddle cannot go on; one line for the user. */
_Noreturn void fail(uintptr_t pc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Go on in another reset mode, told to the user with a reason. Ends the execution and the process. */
_Noreturn void change_reset(enum reset_mode mode, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void worker(void); /* run executions until done; called on main's stack at the snapshot point, returns as main */

/* ---- bugs (program_bugs.c, core/finding.h) ---- */

uintptr_t stable_place(uintptr_t pc); /* the same in every process that loads the same modules */
/* A place in the code of this process, for those who know several programs (core/address_name.h). */
static inline uintptr_t in_image(uintptr_t pc)
{
  return pc ? pc | (uintptr_t)hd_own.image << IMAGE_SHIFT : 0;
}
uintptr_t address_of_place(uintptr_t place); /* and back */
/* The program ends with this status: a wrong one is a bug, but ends the execution only where schedules differ in it. */
void bug_exit(int status);
/* A bug of the current thread at pc that ends the execution. */
_Noreturn void bug_here(enum bug_kind kind, uintptr_t addr, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Misuse of a primitive: a finding of kind property. */
_Noreturn void misuse(const struct object *object, enum op_kind op, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- what the program says of its races (annotations.c) ---- */

/* Races there are not to be reported in this execution; if it was said before main, in none. */
bool race_is_benign(const struct operation *op);
void annotations_reset(void);

/* ---- memory (memory.c, heap.c) ---- */

static inline uint64_t *shadow_word(const volatile void *addr)
{
  return (uint64_t *)(SHADOW_ADDRESS + ((uintptr_t)addr & SHADOW_MASK & ~UINT64_C(7)));
}
/* The number of the shared location a shadow word belongs to, 0 for none (memory.c). */
static inline uint32_t shadow_location(uint64_t word)
{
  return (uint32_t)word >> 4 & 0xfffff;
}
void memory_share(uintptr_t granule); /* others will use it */
/* The same in the shadow of another process, whose word of it that is. */
void memory_share_in(unsigned process, uint64_t *word, uintptr_t granule);
void memory_retag(void); /* a new generation: all ownership of memory is forgotten */
void memory_tag_thread(unsigned thread);
void memory_steps_everywhere(void);              /* every access is a step */
void memory_see_all(void);                       /* no access of this thread is private, until it is tagged again */
void memory_forget(uintptr_t addr, size_t size); /* nobody owns it any more */
void memory_renew(uintptr_t addr, size_t size);  /* and it is other memory than before */
/* The runtime itself wrote for the thread: it is not in the state it was in, if that is not on its own stack. */
void memory_note_write(const volatile void *addr);
/* The same for what is not known: it never was in that state before. */
void memory_note_unknown(void);
/* The thread of another process has read what that shadow word is of. */
struct origin_of_copy;
void memory_was_read(uint64_t *word, uintptr_t granule, const struct origin_of_copy *by);
void memory_settle_writes(void); /* with rt.keeps_local: those of the current thread that changed something count */
void memory_access(const volatile void *addr, size_t size, enum op_kind kind, uint8_t order, uintptr_t pc);
/* The next access of the current thread is a compare-and-swap that looks for this value. */
void memory_seek(size_t size, uint64_t value);
/* Or one that commutes with others of its kind, and so much it changes; UPDATE_NONE: it is neither. */
void memory_update(enum update update, uint64_t value);
/* Whether other threads, or a handler, use some of it too. */
bool memory_is_met(const volatile void *addr, size_t size, bool writes);
void memory_learnt(void);              /* something about it that an execution should know from its beginning */
void memory_stands_on(uintptr_t addr); /* the thread uses an object there */
/* Eight bytes for the runtime's own use; 0 where the program keeps them from being read and handles the fault
 * itself. */
uint64_t memory_content(uintptr_t granule);
bool memory_is_readable(uintptr_t granule);
void memory_range(const volatile void *addr, size_t size, enum op_kind kind, uintptr_t pc);

struct block_info {
  uintptr_t start;
  size_t size;
  uintptr_t alloc_pc, free_pc;
  bool freed;
  uint32_t origin;        /* with rt.naming (origin.c) */
  const uintptr_t *calls; /* BLOCK_CALLS of them, with rt.tracing; of a mapping NULL */
};
static inline bool heap_contains(uintptr_t addr)
{
  return addr - HEAP_ADDRESS < HEAP_ROOM;
}
bool heap_is_readable(uintptr_t addr);                  /* not a large block that was freed */
bool heap_find(uintptr_t addr, struct block_info *out); /* the block at or just before the address */
void heap_boot(void);
void heap_reset(void); /* back to the state at the snapshot */
void heap_snapshot(void);
bool heap_known(uintptr_t addr, size_t size); /* all of it is in the block that was looked at last */
void heap_check_access(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc); /* declares a bug */
bool heap_seals(void); /* some block was freed that cannot be read any more */
void heap_check_leaks(void);
size_t heap_used(uintptr_t *start); /* the part in use at the snapshot, for the tracker of dirty pages */

/* ---- process level ---- */

void program_boot(void);
void program_watch_forks(void);           /* once, before anything of the program runs */
void random_bytes(void *to, size_t size); /* that look random and are the same in every execution */
void program_map(void);                   /* leave the memory map in the control block */
void boot_pool(void);
void fiber_prepare(struct fiber *fiber, void (*entry)(void));
/* What a fiber that is left has on its stack, where its stack pointer was saved. */
struct left_stack {
  uint32_t mxcsr;
  uint16_t x87, unused;
  uintptr_t r15, r14, r13, r12, rbx, rbp, returns_to;
};
void switch_fiber(void **save_sp, void *to_sp); /* switch.S */
void signals_boot(void);
void signals_reset(void);
void filter_boot(void);
void filter_again(void); /* in the copy of a process: it is not copied */
void filter_exec(void);  /* what makes other workers wait is kept by the program that the process goes on as */
bool filter_ends_with_program(void);
void filter_reset(void);

/* A system call past the filter: sys(number, up to six arguments); a result or -errno. */
long sys_array(long number, const long arg[6]);
#define SYS_1(a) (long)(a)
#define SYS_2(a, ...) (long)(a), SYS_1(__VA_ARGS__)
#define SYS_3(a, ...) (long)(a), SYS_2(__VA_ARGS__)
#define SYS_4(a, ...) (long)(a), SYS_3(__VA_ARGS__)
#define SYS_5(a, ...) (long)(a), SYS_4(__VA_ARGS__)
#define SYS_6(a, ...) (long)(a), SYS_5(__VA_ARGS__)
#define SYS_PICK(a, b, c, d, e, f, pick, ...) pick
#define sys(number, ...)                                                                                               \
  sys_array(number, (const long[6]){                                                                                   \
                        __VA_OPT__(SYS_PICK(__VA_ARGS__, SYS_6, SYS_5, SYS_4, SYS_3, SYS_2, SYS_1, )(__VA_ARGS__))})

void output_write(const void *data, size_t size);
void time_reset(void);
void tsd_run_destructors(void);
void thread_begin(void);
void thread_end(void *result) __attribute__((noreturn));
/* By the system call: without its destructors. The last one ends the process. */
void thread_vanish(int status) __attribute__((noreturn));
void cancellation_point(uintptr_t pc); /* a step, and the end if somebody wants it */
void check_cancel(uintptr_t pc);
void check_cancel_in_call(uintptr_t pc); /* the same, if it is in a system call that is a cancellation point */
void check_async_cancel(void);           /* the same, if the thread may be cancelled anywhere */
bool cancel_wanted(unsigned thread);     /* a blocked thread at a cancellation point can go on */
bool cancel_wanted_in_call(unsigned thread);
void cancel_reset_thread(unsigned thread);
/* ---- the world (world.c) ---- */

bool world_enabled(unsigned thread, const struct operation *op);
bool world_permits(unsigned thread, const struct operation *op); /* the same, but for signals */
bool world_waits(unsigned thread, const struct operation *op);   /* it would not be over at once, if it came now */
static inline bool signals_wait_for(unsigned thread)
{
  return unlikely(rt.signalled) &&
         (rt.thread[thread].pending_signals | rt.process[rt.thread[thread].process].signals) &
             ~rt.thread[thread].signal_mask &&
         !rt.thread[thread].system;
}
/* What became of a call by the handlers that ran: none ran, all of them ask for it to be restarted, or not. */
enum interruption { NOT_INTERRUPTED, RESTARTED, INTERRUPTED };
enum interruption run_signals(void);
/* Something the search cannot see happened: LOST_* (core/loss.h). */
static inline void lose(uint64_t loss)
{
  rt.control->losses |= loss;
}

/* The next definition of a symbol, behind ours. Also where calls of a program that runs free may pause. */
void *real_symbol(const char *name); /* fails if there is none */
void *optional_symbol(const char *name);
#define REAL(name)                                                                                                     \
  ({                                                                                                                   \
    stress_point();                                                                                                    \
    static __typeof__(&name) real_;                                                                                    \
    if (unlikely(!real_))                                                                                              \
      real_ = (__typeof__(&name))real_symbol(#name);                                                                   \
    real_;                                                                                                             \
  })

/* Deadlines in virtual time; -1 for a malformed timespec. */
int64_t deadline_of(clockid_t clock, const struct timespec *at);
void time_pass_until(int64_t deadline); /* timers that are due by then expire */

#endif
