/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings: all that a person can choose about a run of heddle, in one list. From it are made the fields of struct
 * settings (and so of the command line's options and of control_config), the options of every subcommand, their help
 * and their defaults, and the fingerprint of a search. An option that is not in this list does not exist.
 *
 * A row is X(kind, field, name, letter, argument, default, scope, why, uses…):
 *
 *   kind      what its value is (HD_SETTING_KINDS); decides the type of the field and how the option is read
 *   field     of struct settings
 *   name      of the option, without dashes
 *   letter    of the short option, 0 for none
 *   argument  what the help calls the value; NULL for flags
 *   default   the value when nobody chose one. 0, NULL and negative times mean "not given":
 *             the subcommand decides then, and its help says how
 *   scope     MEANING: a search with another value is another search. HOW: it is the same search,
 *             done or told in another way. What a search means is hashed into its fingerprint,
 *             and a checkpoint goes on only with the same one
 *   why       the argument for the scope, as a clause
 *   uses      {subcommands that take it, help} each; no subcommand twice
 *
 * HD_EXECUTION_SETTINGS are those that the tested process is told as well (core/config.h).
 */
#ifndef HEDDLE_CORE_SETTINGS_H
#define HEDDLE_CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who takes an option: a set of these. */
enum {
  FOR_CHECK = 1,
  FOR_RUN = 2,
  FOR_REPLAY = 4,
  FOR_SHOW = 8,
  FOR_EXPLORE = 16,
  FOR_ESTIMATE = 32,
  FOR_SUITE = 64,
  FOR_RECORD = 128,
  FOR_PREDICT = 256,
  FOR_TEST = 512,
  FOR_CONVERT = 1024,
  FOR_STRESS = 2048,
  FOR_LOCALISE = 4096,
  FOR_SHRINK = 8192,
  FOR_MINIMISE = 32768,
  FOR_DOCTOR = 65536,
  FOR_INIT = 131072,
  FOR_BUGS = 1048576,
  FOR_SCHEDULE = 2097152,
  FOR_ENFORCE = 4194304,
  FOR_SPEC = 8388608,
  FOR_MIGRATE = 16777216,
  FOR_LINT = 33554432,
  FOR_WORKER = 67108864,
  FOR_CLUSTER = 134217728
};
#define FOR_SAMPLES (FOR_CHECK | FOR_RUN | FOR_TEST)
#define FOR_SEARCHES (FOR_SAMPLES | FOR_EXPLORE)
#define FOR_TESTS (FOR_SEARCHES | FOR_SUITE)
#define FOR_ONE_RUN (FOR_RECORD | FOR_PREDICT)
#define FOR_RECORDED (FOR_REPLAY | FOR_SHOW | FOR_LOCALISE | FOR_SHRINK | FOR_SCHEDULE)
#define FOR_CONTROLLED (FOR_TESTS | FOR_RECORDED | FOR_ONE_RUN | FOR_MINIMISE)
#define FOR_ALL                                                                                                        \
  (FOR_CONTROLLED | FOR_ESTIMATE | FOR_CONVERT | FOR_STRESS | FOR_DOCTOR | FOR_BUGS | FOR_INIT | FOR_ENFORCE |         \
   FOR_SPEC | FOR_MIGRATE | FOR_LINT | FOR_WORKER | FOR_CLUSTER)

/* ---- kinds of values ---- */

/* What an exhaustive search may leave out. */
enum search_bound { BOUND_NONE, BOUND_PREEMPTIONS, BOUND_DELAYS };
struct bound {
  uint32_t kind; /* enum search_bound */
  uint32_t limit;
};

#define SETTING_NAMES_MOST 64
struct setting_names {
  uint32_t count;
  const char *name[SETTING_NAMES_MOST];
};

/* An expected exit status of this value: any status is right. */
#define EXIT_STATUS_ANY UINT64_MAX

/* X(kind, type of the field) */
#define HD_SETTING_KINDS(X)                                                                                            \
  X(FLAG, bool)                                                                                                        \
  X(TEXT, const char *)                                                                                                \
  X(NAMES, struct setting_names) /* the option may be given many times */                                              \
  X(NUMBER, uint64_t)                                                                                                  \
  X(POSITIVE, uint64_t)    /* not 0 */                                                                                 \
  X(DURATION, double)      /* seconds */                                                                               \
  X(SIZE, uint64_t)        /* bytes */                                                                                 \
  X(EXIT_STATUS, uint64_t) /* 0 … 255, or EXIT_STATUS_ANY */                                                         \
  X(STRATEGY, uint32_t)    /* enum strategy_id */                                                                      \
  X(BOUND, struct bound)                                                                                               \
  X(CHOICE, uint32_t) /* one of the names in setting_choices_FIELD, by its value */

enum setting_kind {
#define X(kind, type) SETTING_##kind,
  HD_SETTING_KINDS(X)
#undef X
};

#define X(kind, type) typedef type setting_type_##kind;
HD_SETTING_KINDS(X)
#undef X

/* ---- values that subcommands look up elsewhere, too ---- */

#define USUAL_STEPS 100000
#define STEPS_RAISED 4       /* times the usual ones are doubled, if it is no hang */
#define STRESS_STEPS 1000000 /* stress tests are long */
#define USUAL_MEMORY (UINT64_C(1) << 30)

/* How a bug is told. */
enum told_as { TOLD_AS_STORY, TOLD_AS_GCC };

enum output_mode { OUTPUT_NONE, OUTPUT_FAILING, OUTPUT_ALL };

/* When sleeps and timeouts end: at any moment, or when nothing else can go on. */
enum sleeps { SLEEPS_FREE, SLEEPS_EXACT };

/* Which of the executions that are to be tried comes first: the one that leaves the last one late, or early. */
enum search_order { ORDER_DEPTH, ORDER_BREADTH };

/* Which executions an exhaustive search takes for the same: those in which all that depends on each other comes in the
 * same order, in which every read comes after the same writes, or in which it finds the same write (explore/sources.h).
 */
enum equivalence { EQUIVALENCE_ORDER, EQUIVALENCE_OBSERVED, EQUIVALENCE_READS_FROM, EQUIVALENCE_COUNT };
extern const char *const equivalence_name[EQUIVALENCE_COUNT];

/* What becomes of files that the program changes: kept apart for each execution, or really changed. */
enum files { FILES_OVERLAY, FILES_REAL };

/* How jobs get to who does them (session/executor.h).  X(constant, name) */
#define HD_EXECUTORS(X)                                                                                                \
  X(MEMORY, memory) /* the tested process shares the memory they are in */                                             \
  X(SOCKET, socket) /* another process of heddle has it */

enum executor_id {
#define X(id, name) EXECUTOR_##id,
  HD_EXECUTORS(X)
#undef X
      EXECUTOR_COUNT
};

/* How heddle minimise runs what it tries. */
enum minimise_how { MINIMISE_GUIDED, MINIMISE_UNCONTROLLED, MINIMISE_RANDOM };

#define SETTING_TEXT_OF(number) SETTING_TEXT_OF_(number)
#define SETTING_TEXT_OF_(number) #number

/* ---- the list ---- */

/* clang-format off */
#define HD_EXECUTION_SETTINGS(X)                                                                             \
  X(STRATEGY, strategy, "strategy", 0, "NAME", STRATEGY_COUNT, MEANING, "it decides which executions there are", \
    {FOR_SAMPLES, "how to choose schedules: rr, random, pct, pos, abreast, extremes,\n"                      \
                  "reversals, near, history, rff, surw, period, novel, or portfolio: rr, then\n"             \
                  "reversals and surw, pos, rff and pct in turns, later novel\n"                             \
                  "(check and test: portfolio, run: random)"},                                               \
    {FOR_RECORD, "the schedule of the run: rr, random, pct or pos (default rr)"},                            \
    {FOR_PREDICT, "the schedule of the only run: rr, random, pct or pos (default: one by rr\n"               \
                  "and, if that is short, a few random ones)"},                                              \
    {FOR_EXPLORE, "dpor: one execution of each class of equivalent ones, none twice; causal: one for each\n" \
                  "way in which steps see what others did, which are fewer; auto: dpor and causal in\n"     \
                  "turns, until one of them comes to its end; dfs: every interleaving\n"                    \
                  "(default dpor; dfs with --order bfs)"},                                                   \
    {FOR_SUITE, "dpor: one execution of each class of equivalent ones, none twice;\n"                        \
                "dfs: every interleaving (default dpor; dfs with --order bfs)"})                             \
  X(BOUND, bound, "bound", 0, "WHAT=K", (struct bound){0}, MEANING, "executions beyond it are left out",     \
    {FOR_EXPLORE, "only executions with at most K preemptions (preemptions=K) or K\n"                        \
                  "deviations from round robin (delays=K)"})                                                 \
  X(CHOICE, order, "order", 0, "HOW", ORDER_DEPTH, HOW, "it decides what comes first, not what there is",    \
    {FOR_EXPLORE, "dfs: executions that are like the last one for long come first;\n"                        \
                  "bfs: those that differ early, of every interleaving (--strategy dfs)"})                    \
  X(CHOICE, equivalence, "equivalence", 0, "WHAT", EQUIVALENCE_ORDER, MEANING, "it decides which executions are taken for the same", \
    {FOR_EXPLORE, "which executions are taken for the same: those of one order;\n"                          \
                  "(observed) in which each read comes after the same writes and finds\n"                   \
                  "the same one; (reads-from) in which each finds the same write. The last\n"               \
                  "two may be far fewer, but say nothing of races, leaks and final memory"})                 \
  X(FLAG, symmetric, "symmetric", 0, NULL, false, MEANING, "it decides which executions are taken for the same",   \
    {FOR_EXPLORE, "take executions for the same in which threads that do the same, with\n"                  \
                  "the same argument, have exchanged their parts"})                                          \
  X(CHOICE, heuristic, "heuristic", 0, "NAME", HEURISTIC_DEFAULT, MEANING, "it decides what comes first, and which executions are drawn", \
    {FOR_SEARCHES | FOR_SUITE, "with --changed, what comes first: C (unit), M (function), L (line) or F\n" \
                               "(field) of the change, or CO, MO, LO: with calls from there; then A:\n" \
                               "where all threads are there, or S: where one is; or BASIC"})               \
  X(NUMBER, seed, "seed", 0, "S", 1, MEANING, "random choices follow from it",                               \
    {FOR_SAMPLES | FOR_ONE_RUN | FOR_LOCALISE | FOR_MINIMISE, "the same seed gives the same executions"})    \
  X(FLAG, keep_going, "keep-going", 'k', NULL, false, HOW,                                                   \
    "it decides where to stop, not what to try; what was found stays in the checkpoint",                     \
    {FOR_SEARCHES, "do not stop at the first bug (run never does)"})                                         \
  X(CHOICE, reset, "reset", 0, "HOW", RESET_AUTO, HOW, "every way leads back to the same start",             \
    {FOR_CONTROLLED, "how the program is put back to its start: snapshot (memory is\n"                       \
                     "restored), fork, exec (a fresh process); auto is the fastest\n"                        \
                     "that is right for the program"})                                                       \
  X(CHOICE, races, "races", 0, "WHAT", RACES_REPORT, MEANING, "it decides what is a bug",                    \
    {FOR_TESTS, "data races: ignore, report, or fail: end the search at one"})                               \
  X(CHOICE, detectors, "race-detector", 0, "HOW", RACE_BY_CLOCKS, MEANING, "it decides what is a data race", \
    {FOR_TESTS, "clocks: accesses that nothing orders; pending: only those that both\n"                      \
                "stand before the memory at the same time; or both, told apart"})                            \
  X(CHOICE, leaks, "leaks", 0, "WHAT", RACES_REPORT, MEANING, "it decides what is a bug",                    \
    {FOR_TESTS, "memory leaks, in the same way"})                                                            \
  X(EXIT_STATUS, exit_status, "exit-status", 0, "N|any", 0, MEANING, "it decides what is a bug",             \
    {FOR_TESTS | FOR_ONE_RUN | FOR_STRESS | FOR_MINIMISE,                                                    \
     "the exit status that is right; another is a bug"})                                                     \
  X(FLAG, spurious, "spurious", 0, NULL, false, MEANING, "there are more executions with it",                \
    {FOR_TESTS | FOR_ONE_RUN | FOR_MINIMISE, "condition variables may wake up spuriously"})                  \
  X(CHOICE, sleeps, "sleeps", 0, "HOW", SLEEPS_FREE, MEANING, "it decides which executions there are",       \
    {FOR_TESTS | FOR_ONE_RUN, "free: sleeps and timeouts may end at any moment, as on a slow machine;\n"    \
                              "exact: only when nothing else can go on, the earliest first"})                \
  X(CHOICE, files, "files", 0, "HOW", FILES_OVERLAY, MEANING, "it decides what executions find in files",    \
    {FOR_TESTS | FOR_ONE_RUN | FOR_MINIMISE, "overlay: what the program changes in files is kept apart, for one\n" \
                                             "execution; real: the files themselves are changed"})           \
  X(POSITIVE, pct_depth, "pct-depth", 0, "D", 3, MEANING, "it decides which executions pct chooses",         \
    {FOR_SAMPLES, "ordering constraints the bugs sought by pct may have"})                                   \
  X(CHOICE, abstraction, "state", 0, "WHAT", ABSTRACT_PC, MEANING, "history leaves out what it takes for known", \
    {FOR_SAMPLES, "what history takes for the same state: the same places in the code\n"                     \
                  "(pc), and the same objects (pc+object), or the same threads at the\n"                     \
                  "same places (raw)"})                                                                      \
  X(POSITIVE, patience, "patience", 0, "N", 1, MEANING, "it decides when history has seen all",              \
    {FOR_SAMPLES, "history ends after N executions in a row without anything new"})                          \
  X(POSITIVE, max_steps, "max-steps", 0, "N", 0, MEANING, "longer executions are cut",                       \
    {FOR_TESTS | FOR_MINIMISE, "cut longer executions short (default " SETTING_TEXT_OF(USUAL_STEPS)          \
                               "; " SETTING_TEXT_OF(STRESS_STEPS) "\nfor stress tests; raised as long as it is not a hang)"}) \
  X(SIZE, max_memory, "memory", 0, "SIZE", USUAL_MEMORY, MEANING, "malloc fails beyond it",                  \
    {FOR_TESTS | FOR_ONE_RUN | FOR_MINIMISE, "heap of one execution: 64K, 512M, 2G"})                        \
  X(FLAG, coverage, "coverage", 0, NULL, false, HOW, "it counts what is run, from then on",                  \
    {FOR_SEARCHES, "tell which scheduling points were reached and which conflicts were\n"                    \
                   "seen in both orders, and how that grew"})                                                \
  X(NUMBER, lookahead, "lookahead", 0, "K", 5, MEANING, "it decides which parts of a test still fail",       \
    {FOR_MINIMISE, "events that can be skipped at once where a part of the test does\n"                      \
                   "not do what all of it did"})                                                             \
  X(CHOICE, lookahead_whole, "lookahead-scope", 0, "OF", 0, MEANING, "as --lookahead",                       \
    {FOR_MINIMISE, "K counts the events of the thread, or of the whole trace"})                              \
  X(NUMBER, retries, "retries", 0, "N", 20, MEANING, "it decides which parts of a test still fail",          \
    {FOR_MINIMISE, "more schedules of each part that passes, with a random end"})

#define HD_COMMAND_SETTINGS(X)                                                                               \
  X(TEXT, schedule, "schedule", 0, "NAME", NULL, MEANING, "executions that do not keep it are left out",     \
    {FOR_TESTS | FOR_ONE_RUN, "of the schedules that the test names (HD_SCHEDULE), only this one"})          \
  X(TEXT, calls, "calls", 0, "LIST", NULL, MEANING, "calls of these functions are steps",                    \
    {FOR_TESTS | FOR_ONE_RUN, "calls of these functions are scheduling points, each with the object\n"       \
                              "it is given: conn_*,queue_*,conn_open:new (see heddle(1))"},                  \
    {FOR_MINIMISE, "any program with threads: calls of these functions can be left\n"                        \
                   "out, and threads: queue_*,queue_init:not"},                    \
    {FOR_LINT, "most calls from a loop to what it creates (default 3)"})                                              \
  X(TEXT, spec, "spec", 0, "FILE", NULL, MEANING, "it decides what is a bug, and its events are steps",      \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE | FOR_MINIMISE,                                                       \
     "properties that must hold in every execution: orders of calls that\n"                                  \
     "the program allows (see heddle(1))"},                                                                  \
    {FOR_ENFORCE, "properties that are enforced, or watched"})                                               \
  X(TEXT, specs, "specs", 0, "NAME", NULL, MEANING, "as --spec",                                             \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE | FOR_MINIMISE,                                                       \
     "properties that come with heddle: posix, how functions of POSIX\n"                                     \
     "must be used"},                                                                                        \
    {FOR_ENFORCE, "properties that come with heddle, to be watched: posix"})                                 \
  X(FLAG, passive, "passive", 0, NULL, false, HOW, "no search takes it",                                     \
    {FOR_ENFORCE, "hold nobody, only tell of violations"})                                                   \
  X(FLAG, explore, "explore", 0, NULL, false, HOW, "no search takes it",                                     \
    {FOR_ENFORCE, "when a run ends in an enforced deadlock, run the program again and\n"                     \
                  "hold back what was let through, until a run does not"})                                   \
  X(FLAG, without_sleeps, "without-sleeps", 0, NULL, false, HOW, "no search takes it",                       \
    {FOR_ENFORCE, "sleeps end at once: what they were for is said by a property"})                           \
  X(TEXT, changed, "changed", 0, "REV", NULL, MEANING, "it decides what comes first, and which executions are drawn", \
    {FOR_SEARCHES | FOR_SUITE, "look first at what was changed since the revision REV of git"})           \
  X(TEXT, client, "client", 0, "COMMAND", NULL, MEANING, "what it sends decides what the program does",      \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE, "start this (with sh) in each execution, once the program waits for\n" \
                                        "somebody outside; it runs uncontrolled"},                           \
    {FOR_REPLAY | FOR_SHOW, "the client that the search was given, to be started again"})                   \
  X(TEXT, init, "init", 0, "COMMAND", NULL, MEANING, "it decides what the program finds",                    \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE, "run this (with sh) before each execution, to put back files that\n"  \
                                        "the program changes; each is a fresh process then"},                \
    {FOR_REPLAY | FOR_SHOW, "the command that the search was given, to be run before"})                      \
  X(TEXT, build, "build", 0, "COMMAND", NULL, HOW, "what it builds is what the search is about",             \
    {FOR_TESTS | FOR_PREDICT, "run this (with sh) first, to build the program"})                             \
  X(FLAG, iterative, "iterative", 0, NULL, false, HOW, "it decides where to stop; the checkpoint keeps the bound", \
    {FOR_EXPLORE, "bound 0, then 1, and so on until complete: the first bug found has\n"                     \
                  "the fewest preemptions"})                                                                 \
  X(TEXT, checkpoint, "checkpoint", 0, "FILE", NULL, HOW, "it names a file to write",                        \
    {FOR_EXPLORE, "write what is left to explore every few seconds"})                                        \
  X(TEXT, resume, "resume", 0, "FILE", NULL, HOW, "it names the checkpoint",                                 \
    {FOR_EXPLORE, "go on from a checkpoint, and write further ones to it; only with\n"                       \
                  "the same program, input, environment and options"})                                       \
  X(NAMES, env_ignore, "env-ignore", 0, "NAME", (struct setting_names){0}, HOW,                              \
    "the checkpoint keeps which variables were left out",                                                    \
    {FOR_EXPLORE, "a variable of the environment that may differ when a checkpoint is\n"                     \
                  "resumed; may be given many times"})                                                       \
  X(TEXT, record, "record", 0, "FILE", NULL, HOW, "it names a file to write, and needs all of the search",   \
    {FOR_EXPLORE, "write the course of the exploration, for heddle estimate"})                               \
  X(TEXT, hashes, "hashes", 0, "FILE", NULL, HOW, "it names a file to write: executions from then on",       \
    {FOR_EXPLORE, "write a line for each execution: its class, its output, its bug"})                        \
  X(TEXT, into, "into", 'o', "FILE", NULL, HOW, "it names a file to write",                                  \
    {FOR_RECORD, "where the trace goes (default heddle.trace)"},                                             \
    {FOR_SHRINK, "where the schedule goes (default FILE-small.hd)"},                                         \
    {FOR_SPEC, "where the text in C goes"},                                                                  \
    {FOR_SCHEDULE, "write the patch there, instead of printing it"})                                         \
  X(FLAG, plain, "plain", 0, NULL, false, HOW, "it is about how a file is written",                          \
    {FOR_CONVERT, "STD without the comments that carry what it has no words for"},                           \
    {FOR_TESTS | FOR_PREDICT | FOR_MINIMISE, "no live screen, for logs"})                                    \
  X(TEXT, from, "from", 0, "TRACE", NULL, MEANING, "another run predicts other bugs",                        \
    {FOR_PREDICT, "analyse a run that heddle record wrote, instead of a new one"})                           \
  X(TEXT, protocol, "protocol", 0, "FILE", NULL, MEANING, "it decides what is a bug",                        \
    {FOR_PREDICT, "protocols of types of objects (--calls), instead of those that the\nruns teach"})         \
  X(TEXT, write_protocols, "write-protocols", 0, "FILE", NULL, HOW, "it names a file to write",              \
    {FOR_PREDICT, "write the protocols used: as text, for --protocol, as a graph\n(FILE.dot), or as properties for check --spec (FILE.mop)"}) \
  X(FLAG, only_predict, "only-predict", 0, NULL, false, MEANING, "nothing is tried with it",                 \
    {FOR_PREDICT, "do not try to bring about what is predicted"})                                            \
  X(FLAG, all, "all", 0, NULL, false, HOW, "it decides what is told, or done after the answer is known",     \
    {FOR_PREDICT, "also list guesses that were not confirmed"},                                              \
    {FOR_LOCALISE, "try the beginnings for all switches, even if it is decided earlier"},                    \
    {FOR_LINT, "tell also of loops that have a bound"})                                                      \
  X(POSITIVE, runs, "runs", 0, "N", 0, HOW, "it is a limit",                                                 \
    {FOR_PREDICT, "executions that try to confirm each prediction (default 100)"},                           \
    {FOR_RUN, "executions to run (default 1000, or no limit with --time)"},                                  \
    {FOR_STRESS, "runs of each kind (default 1000, or no limit with --time)"},                               \
    {FOR_ENFORCE, "with --explore, at most (default 1000)"},                               \
    {FOR_MINIMISE, "runs of --how random (default 100)"},                                                    \
    {FOR_LOCALISE, "with --first random, for each switch (default 5)"})                                      \
  X(POSITIVE, max_cycle, "max-cycle", 0, "N", 0, MEANING, "longer circles are not looked for",               \
    {FOR_PREDICT, "threads in a circle of locks, at most (default 64)"})                                     \
  X(FLAG, loop_guards, "loop-guards", 0, NULL, false, MEANING, "it decides what is predicted",               \
    {FOR_PREDICT, "a wait whose condition still holds waits again;\nlist the predictions of both ways"})     \
  X(FLAG, start_order, "start-order", 0, NULL, false, MEANING, "it decides what is predicted",               \
    {FOR_PREDICT, "leave out circles that creation and join of threads make impossible"})                    \
  X(CHOICE, naming, "names", 0, "HOW", 0, MEANING, "it decides which threads and locks are held to be the same", \
    {FOR_PREDICT, "what makes a thread or a lock the same in another run: index,\n"                          \
                  "objects, site or trivial"})                                                               \
  X(POSITIVE, depth, "depth", 0, "K", NAMING_DEPTH, MEANING, "as --names",                                   \
    {FOR_PREDICT, "calls or creators that names are made of"})                                               \
  X(FLAG, no_contexts, "no-contexts", 0, NULL, false, MEANING, "as --names",                                 \
    {FOR_PREDICT, "do not ask where the locks that a thread holds were taken"})                              \
  X(FLAG, no_yield, "no-yield", 0, NULL, false, MEANING, "it decides which executions are tried",            \
    {FOR_PREDICT, "do not let others pass before the first lock of a circle"})                               \
  X(FLAG, until_bug, "until-bug", 0, NULL, false, HOW, "it decides where to stop, not what to try",          \
    {FOR_RUN | FOR_STRESS, "stop at the first bug"})                                                         \
  X(DURATION, seconds, "time", 0, "TIME", -1, HOW, "it is a limit; what is left can be resumed",             \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE, "stop searching after this time: 90s, 5m, 1h, 500ms\n"               \
                                        "(check: 10s, run and explore: no limit)"},                          \
    {FOR_PREDICT | FOR_MINIMISE, "for all of it: 90s, 5m, 1h, 500ms (default 60s)"},                         \
    {FOR_INIT, "of the first check of each test: 90s, 5m, 500ms (default 10s)"},                             \
    {FOR_MIGRATE, "for trying all interleavings of the new test: 90s, 5m, 500ms\n(default 10s)"},                             \
    {FOR_RECORD, "give up after this time: 90s, 5m, 1h, 500ms (default: no limit)"},                         \
    {FOR_SUITE, "for all tests together: 90s, 5m, 1h, 500ms (default 60s)"},                                 \
    {FOR_TEST, "for each test: 90s, 5m, 1h, 500ms (default 10s)"},                                           \
    {FOR_STRESS, "start no run after this time: 90s, 5m, 1h, 500ms (default: no limit)"},                    \
    {FOR_SCHEDULE, "stop after this time: 90s, 5m, 500ms (default: no limit)"},                              \
    {FOR_LOCALISE | FOR_SHRINK, "stop after this time: 90s, 5m, 500ms (localise: 60s, shrink: 10s)"},                    \
    {FOR_LINT, "give up after this time: 90s, 5m, 500ms (default: no limit)"})        \
  X(POSITIVE, max_executions, "max-executions", 0, "N", 0, HOW, "it is a limit; what is left can be resumed", \
    {FOR_CHECK | FOR_RUN | FOR_EXPLORE, "stop searching after N executions (default: no limit)"},            \
    {FOR_TEST, "of each test (default 1000, or no limit with --time)"})                                      \
  X(NUMBER, yields, "yield", 0, "PERCENT", 5, MEANING, "it decides what the free runs are like",             \
    {FOR_STRESS, "of the second kind of runs: how many of 100 memory accesses and\n"                         \
                 "calls of the program let other threads go first; 0: no such runs"})                        \
  X(DURATION, hang, "hang", 0, "TIME", 2, MEANING, "it decides what is a bug",                               \
    {FOR_STRESS, "a run that takes longer hangs and is ended"},                                              \
    {FOR_MINIMISE | FOR_MIGRATE, "a free run that takes longer hangs and is ended"})                                       \
  X(CHOICE, how, "how", 0, "HOW", MINIMISE_GUIDED, MEANING, "it decides which runs are made",                \
    {FOR_MINIMISE, "guided: parts of the test follow the schedule that failed; for\n"                        \
                   "comparison: uncontrolled (free runs), random (parts picked at\n"                         \
                   "random, free runs)"})                                                                    \
  X(CHOICE, policy, "policy", 0, "NAME", 1, HOW, "it decides who is next",                                   \
    {FOR_SUITE, "who gets the next slice of time: shortest completes as many tests\n"                        \
                "as possible, coverage brings all equally far, round-robin takes\n"                          \
                "turns"})                                                                                    \
  X(TEXT, filter, "filter", 0, "GLOB", NULL, MEANING, "it decides which tests are run",                      \
    {FOR_TEST, "only tests whose name matches, such as 'Queue.*'"})                                          \
  X(FLAG, list, "list", 0, NULL, false, HOW, "nothing is run",                                               \
    {FOR_TEST, "print the names of the tests and run none"},                                                 \
    {FOR_BUGS, "run none of them: tell what was seen last"})                                                 \
  X(POSITIVE, jobs, "jobs", 'j', "N", 0, HOW, "the search is divided, and the same whoever does a part of it", \
    {FOR_STRESS, "runs at the same time (default 1)"},                                                       \
    {FOR_TESTS | FOR_MINIMISE, "processes that search at the same time (default: one a core)"},                    \
    {FOR_LINT, "sources that are read at the same time (default: one a core)"},  \
    {FOR_WORKER | FOR_CLUSTER, "cores that take part (default: all)"})                                       \
  X(CHOICE, executor, "executor", 0, "HOW", EXECUTOR_MEMORY, HOW, "the same jobs and answers, whichever way they go", \
    {FOR_EXPLORE, "how heddle talks to the processes that search: over memory that\n"                        \
                  "they share, or over a socket to a heddle for each"})                                      \
  X(TEXT, cluster, "cluster", 0, "URL", NULL, HOW, "the same jobs and answers, whoever does them",           \
    {FOR_RUN, "sample on the workers of this NATS server (heddle help worker): the\n"                      \
              "same as here with -j 1"},                                                                     \
    {FOR_CHECK, "after the first samples here, search on the workers of this NATS server\n"                   \
                "(heddle help worker)"},                                                                     \
    {FOR_SUITE, "what a slice here leaves of a test is explored on the workers of this\n"                    \
                "NATS server (heddle help worker)"},                                                         \
    {FOR_MINIMISE, "look for the failure on the workers of this NATS server (heddle help\n"                   \
                   "worker); parts of it are tried here"},                                                   \
    {FOR_EXPLORE, "search on the workers of this NATS server (heddle help worker);\n"                       \
                  "started again after it was killed, it goes on where it was;\n"                            \
                  "a server that is away is waited for, until --time or Ctrl-C"})                            \
  X(NAMES, env_pass, "env-pass", 0, "NAME", (struct setting_names){0}, HOW,                                  \
    "what the program is given is part of what a checkpoint is about",                                       \
    {FOR_EXPLORE | FOR_RUN | FOR_CHECK | FOR_SUITE | FOR_MINIMISE, "with --cluster: a variable of the environment that the program gets\n"                    \
                  "there beside PATH, TZ, those of languages and of libraries;\n"                            \
                  "may be given many times"})                                                                \
  X(DURATION, grace, "grace", 0, "TIME", 5, HOW, "a process that is given up ends the search",               \
    {FOR_CONTROLLED | FOR_BUGS | FOR_MIGRATE, "a program without progress for this long is stuck"})                        \
  X(POSITIVE, times, "times", 0, "N", 1, HOW, "it is a limit",                                               \
    {FOR_REPLAY, "replay N times, each in a fresh process"})                                                 \
  X(FLAG, gdb, "gdb", 0, NULL, false, HOW, "it is the same execution, looked at",                            \
    {FOR_REPLAY, "run it in gdb and stop at the bug; \"help heddle\" there lists\nwhat it can do"})          \
  X(POSITIVE, step, "step", 0, "N", 0, HOW, "as --gdb",                                                      \
    {FOR_REPLAY, "with --gdb: stop before step N instead"})                                                  \
  X(FLAG, trace, "trace", 0, NULL, false, HOW, "it decides what is told",                                    \
    {FOR_REPLAY | FOR_SHOW, "list every step of the execution"})                                             \
  X(TEXT, trace_file, "trace-file", 0, "FILE", NULL, HOW, "it names a file to write",                        \
    {FOR_REPLAY | FOR_SHOW, "write every step of the execution; - is standard output"})                      \
  X(CHOICE, trace_format, "trace-format", 0, "FORMAT", 0, HOW, "it is about how a file is written",          \
    {FOR_REPLAY | FOR_SHOW, "of that file: text, json, or chrome, which chrome://tracing and\n"              \
                            "ui.perfetto.dev open; auto is chrome for a name that ends in\n"                 \
                            ".perfetto.json or .chrome.json, json for .json, else text"})                    \
  X(FLAG, interactive, "interactive", 'i', NULL, false, HOW, "it decides what is told",                      \
    {FOR_SHOW, "go through the steps on the terminal, with the source, the\nthreads and their locks"})       \
  X(FLAG, force, "force", 0, NULL, false, HOW, "it is about a check before the run",                         \
    {FOR_RECORDED | FOR_MINIMISE, "say nothing of a program that was rebuilt since"})                        \
  X(TEXT, program, "program", 0, "PATH", NULL, HOW, "only runs of a given schedule take it",                 \
    {FOR_RECORDED | FOR_MINIMISE, "run this program with the file's arguments: for a schedule file\n"        \
                                  "that was not recorded by you in this place"})                             \
  X(FLAG, run, "run", 0, NULL, false, HOW, "it decides what is told",                                        \
    {FOR_SHOW, "run the program and tell what happens; else only the file is read"})                         \
  X(FLAG, explain, "explain", 0, NULL, false, HOW, "it is about what is done with a bug",                    \
    {FOR_TESTS | FOR_PREDICT, "after the story of a bug, tell which switch is to blame for it; make\n"       \
                              "a stress test of heddle_stress.h as small as it can be before that"},                    \
    {FOR_LINT, "say what a rule means: --explain RULE"})         \
  X(CHOICE, first, "first", 0, "WHO", 0, MEANING, "it decides which executions are tried",                   \
    {FOR_LOCALISE, "who goes on after a beginning of the schedule: variables, the last\n"                    \
                   "ones to access some shared variable, each in a run of its own; or\n"                     \
                   "random"})                                                                                \
  X(FLAG, strict, "strict", 0, NULL, false, MEANING, "it decides which patterns there are",                  \
    {FOR_LOCALISE, "patterns as the method was published: one access of each block"})                        \
  X(FLAG, allocate, "allocate", 0, NULL, false, HOW, "nothing is run",                                       \
    {FOR_ESTIMATE, "compare policies that divide time between the recorded tests"})                          \
  X(TEXT, html, "html", 0, "FILE", NULL, HOW, "it names a file to write",                                    \
    {FOR_SHOW | FOR_LOCALISE, "write a page to look at and step through in a browser; - is\nstandard output"}) \
  X(CHOICE, output, "output", 0, "WHICH", OUTPUT_FAILING, HOW, "it decides what is told",                    \
    {FOR_SEARCHES | FOR_REPLAY | FOR_SHOW, "what the program printed: none, failing (of the execution that\n" \
                                           "fails), all"})                                                   \
  X(TEXT, out, "out", 0, "DIR", "heddle-out", HOW, "it names a folder to write to",                          \
    {FOR_TESTS | FOR_PREDICT | FOR_MINIMISE, "folder for schedule files"},                                   \
    {FOR_RECORDED, "folder whose newest bug is taken when no file is named"},                                \
    {FOR_BUGS, "folder whose bugs are meant"})                                                               \
  X(TEXT, suppressions, "suppressions", 0, "FILE", NULL, HOW, "it decides what is told",                     \
    {FOR_TESTS | FOR_PREDICT, "bugs not to tell, by kind, function, file and variable\n"                     \
                              "(default heddle.supp, if it is there; see heddle(1))"})                       \
  X(TEXT, baseline, "baseline", 0, "FILE", NULL, HOW, "it decides what is told",                             \
    {FOR_TESTS | FOR_PREDICT | FOR_BUGS, "bugs in this file are known: they are told shortly, and are no\n"  \
                                         "reason to fail"},                    \
    {FOR_LINT, "findings in this file are known, and are no reason to fail"})                                                  \
  X(TEXT, write_baseline, "write-baseline", 0, "FILE", NULL, HOW, "it names a file to write",                \
    {FOR_BUGS, "write the bugs that still show, for --baseline"},                    \
    {FOR_LINT, "write what is found there, for --baseline"})                                            \
  X(FLAG, no_page, "no-page", 0, NULL, false, HOW, "it decides what is told",                                \
    {FOR_TESTS | FOR_PREDICT | FOR_MINIMISE, "write no pages (HTML) next to the schedule files"})            \
  X(TEXT, json, "json", 0, "FILE", NULL, HOW, "it names a file to write",                                    \
    {FOR_TESTS | FOR_REPLAY | FOR_LOCALISE | FOR_ESTIMATE | FOR_ONE_RUN | FOR_STRESS | FOR_MINIMISE,         \
     "write the result as JSON; - is standard output"},                    \
    {FOR_LINT, "write the findings as JSON; - is standard output"})                                                      \
  X(CHOICE, format, "format", 0, "HOW", TOLD_AS_STORY, HOW, "it decides what is told",                       \
    {FOR_TESTS | FOR_PREDICT, "how bugs are told: as a story, or as lines of gcc (file:line:\n"             \
                              "error: ...) for editors and CI"})                                             \
  X(TEXT, sarif, "sarif", 0, "FILE", NULL, HOW, "it names a file to write",                                  \
    {FOR_TESTS | FOR_PREDICT, "write the bugs as SARIF 2.1.0, for code scanning; - is standard\noutput"},                    \
    {FOR_LINT, "write the findings as SARIF 2.1.0, for code scanning; - is standard\noutput"})    \
  X(TEXT, junit, "junit", 0, "FILE", NULL, HOW, "it names a file to write",                                  \
    {FOR_SUITE | FOR_TEST, "write the result as JUnit XML"})                                                 \
  X(FLAG, tap, "tap", 0, NULL, false, HOW, "it decides what is told",                                        \
    {FOR_SUITE | FOR_TEST, "print the result as TAP version 13 and nothing else; stories\n"                  \
                           "go to standard error"})                                                          \
  X(CHOICE, color, "color", 0, "WHEN", 0, HOW, "it decides what is told",                                    \
    {FOR_CONTROLLED | FOR_STRESS | FOR_BUGS | FOR_MIGRATE, "colours in what is printed: auto, always or never"},                    \
    {FOR_LINT, "colours in what is printed: auto, always or never"})           \
  X(FLAG, quiet, "quiet", 'q', NULL, false, HOW, "it decides what is told",                                  \
    {FOR_CONTROLLED | FOR_CONVERT | FOR_STRESS | FOR_BUGS | FOR_MIGRATE, "print bugs and errors only"},                    \
    {FOR_LINT, "print findings and errors only"})                    \
  X(FLAG, verbose, "verbose", 'v', NULL, false, HOW, "it decides what is told",                              \
    {FOR_CONTROLLED | FOR_STRESS | FOR_BUGS, "tell where the value of each option comes from, and what rff tried"}, \
    {FOR_ENFORCE, "tell in the end how often threads were held"})              \
  X(FLAG, apply, "apply", 0, NULL, false, HOW, "no search takes it",                                         \
    {FOR_SCHEDULE, "change the sources, instead of showing what would be changed"},                          \
    {FOR_MIGRATE, "change the test, instead of showing what would be changed"})                              \
  X(TEXT, commands, "commands", 'p', "DIR", NULL, HOW, "no search takes it",                                 \
    {FOR_LINT, "folder that has compile_commands.json (default: here, or above,\n"                         \
               "or in build there)"})                                                                        \
  X(POSITIVE, loops, "loops", 0, "N", 2, HOW, "no search takes it",                                          \
    {FOR_LINT, "most loops around what is created"})                                                         \
  X(TEXT, rules, "rules", 0, "LIST", NULL, HOW, "no search takes it",                                        \
    {FOR_LINT, "rules to use, such as unbounded-threads,unbounded-processes, or all\n"                     \
               "(default: those that are on; --explain lists them)"})                                        \
  X(TEXT, patterns, "patterns", 0, "LIST", NULL, HOW, "no search takes it",                                  \
    {FOR_LINT, "patterns that bound a loop, such as 1-6,9 (default 1-10;\n"                                 \
               "heddle lint --explain patterns)"})                                                           \
  X(TEXT, patterns_file, "patterns-file", 0, "FILE", NULL, HOW, "no search takes it",                        \
    {FOR_LINT, "names that mean something in this program: what creates threads,\n"                        \
               "fills and empties collections (heddle lint --explain words)"})                               \
  X(FLAG, direct_only, "direct-only", 0, NULL, false, HOW, "no search takes it",                             \
    {FOR_LINT, "do not follow calls through pointers, or of overridden methods"})                                                      \
  X(TEXT, diff, "diff", 0, "REV", NULL, HOW, "no search takes it",                                           \
    {FOR_LINT, "only findings in functions that were changed since the revision REV\n"                        \
               "of git, or on a path through one"})                                                          \
  X(FLAG, no_cache, "no-cache", 0, NULL, false, HOW, "no search takes it",                                   \
    {FOR_LINT, "read all sources again, and keep nothing"})                                                  \
  X(FLAG, dry_run, "dry-run", 0, NULL, false, HOW, "no search takes it",                                     \
    {FOR_INIT, "show what would be added to the project, and change nothing of it"})                         \
  X(FLAG, help, "help", 'h', NULL, false, HOW, "nothing is run",                                    \
    {FOR_ALL, "this text, with the options that people need first"})                                         \
  X(FLAG, all_options, "all-options", 0, NULL, false, HOW, "nothing is run", {FOR_ALL, "this text, with all options"})
/* clang-format on */

#define HD_SETTINGS(X) HD_EXECUTION_SETTINGS(X) HD_COMMAND_SETTINGS(X)

/* The row as the field of a struct. */
#define SETTING_FIELD(kind, field, ...) setting_type_##kind field;

struct settings {
  HD_SETTINGS(SETTING_FIELD)
};

/* ---- the same as a table ---- */

enum setting_scope { SCOPE_HOW, SCOPE_MEANING };

struct setting_use {
  unsigned who; /* a set of FOR_* */
  const char *help;
};

struct setting_choice {
  const char *name; /* NULL: the end */
  uint32_t value;
};

struct setting {
  const char *name;
  char letter;
  enum setting_kind kind;
  enum setting_scope scope;
  size_t offset; /* in struct settings */
  const char *argument;
  const char *why;
  const struct setting_choice *choices; /* SETTING_CHOICE */
  const struct setting_use *uses;       /* ends with one of nobody */
};

enum {
#define X(kind, field, ...) SETTING_INDEX_##field,
  HD_SETTINGS(X)
#undef X
      SETTINGS
};
extern const struct setting settings_table[SETTINGS];

void settings_set_defaults(struct settings *settings);

/* The use of it by a subcommand, or NULL. */
const struct setting_use *setting_use(const struct setting *setting, unsigned who);

/* The value of one setting, and all that have the scope MEANING: what a search is about, the program and what it is
 * given aside. */
uint64_t setting_hash(const struct setting *setting, const struct settings *settings);
uint64_t settings_fingerprint(const struct settings *settings);

#endif
