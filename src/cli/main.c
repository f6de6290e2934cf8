/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle: the table of subcommands, their help, and nothing else.
 */
#include "cli/cc.h"
#include "cli/commands.h"
#include "cli/debugger.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/say.h"
#include "trace/setting_text.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  unsigned options; /* FOR_*; 0: it has none of our own */
  const char *summary;
  const char *usage;
  const char *text; /* what it does */
  const char *example;
  const char *status; /* exit status */
};

#define USUAL_STATUS                                                                                         \
  "  0  nothing was found\n"                                                                                 \
  "  1  a bug was found: each one reported was replayed in a fresh process\n"                                \
  "  2  the command or its input is wrong\n"                                                                 \
  "  3  heddle could not do it, or was interrupted with nothing found\n"

static const struct command commands[] = {
    {"check", cmd_check, FOR_CHECK, "find a bug in a program or in source files, replay it, explain it",
     "heddle check [OPTIONS] PROGRAM|FILE.c... [-- ARGUMENTS]",
     "Runs the program under many schedules until a bug shows or the time is up. A bug is replayed in a\n"
     "fresh process, its schedule is freed of context switches it does not need, its story is printed and\n"
     "the schedule is written to heddle-out/. C and C++ source files are compiled first, instrumented, with\n"
     "the options in CFLAGS or CXXFLAGS, CPPFLAGS, LDFLAGS and LDLIBS, but without optimisation.\n",
     "  heddle check examples/bank.c\n"
     "  CXXFLAGS=-std=c++20 heddle check queue.cpp\n"
     "  heddle check --time 5m --keep-going ./server -- --port 0\n"
     "  heddle check --sarif findings.sarif ./server\n",
     USUAL_STATUS},
    {"run", cmd_run, FOR_RUN, "sample schedules with one strategy",
     "heddle run [OPTIONS] PROGRAM [-- ARGUMENTS]",
     "Runs the program under --runs schedules of one strategy and reports every bug that shows. The same\n"
     "seed gives the same executions; the trace hash it prints is the same for two runs that did the same\n"
     "(with the same -j).\n",
     "  heddle run --strategy pct --runs 10000 --seed 7 ./bank\n", USUAL_STATUS},
    {"explore", cmd_explore, FOR_EXPLORE,
     "run all interleavings, up to equivalence, or show the one that fails",
     "heddle explore [OPTIONS] PROGRAM|FILE.c... [-- ARGUMENTS]",
     "Runs every interleaving of the program that can matter, none twice, and stops at the first bug. When "
     "it\n"
     "ends without one it says whether that is a proof for this program and this input (complete), and if "
     "not,\n"
     "what was left out. A loop that only waits for another thread is run again when what it looks at has\n"
     "changed.\n",
     "  heddle explore examples/bank.c\n"
     "  heddle explore --iterative ./queue\n"
     "  heddle explore --checkpoint queue.state --time 8h ./queue\n"
     "  heddle explore --resume queue.state ./queue\n",
     USUAL_STATUS},
    {"replay", cmd_replay, FOR_REPLAY, "run a schedule file again", "heddle replay [OPTIONS] FILE.hd",
     "Runs the program of a schedule file under exactly that schedule, in a fresh process. A file that was "
     "not\n"
     "recorded by you in this place runs nothing unless --program names the program.\n",
     "  heddle replay heddle-out/bank-1.hd\n"
     "  heddle replay --times 100 heddle-out/bank-1.hd\n"
     "  heddle replay --gdb heddle-out/bank-1.hd\n",
     "  0  the run passes: the bug does not show\n"
     "  1  the bug shows again\n"
     "  2  the file or its program is wrong: missing, damaged, not of your own recording\n"
     "  3  the program did not follow the schedule, or heddle could not do it\n"},
    {"show", cmd_show, FOR_SHOW, "tell the story of a schedule file", "heddle show [OPTIONS] FILE.hd",
     "Prints what a schedule file says: its bug, what it would run, its context switches. With --run the "
     "program\n"
     "runs, and the whole story is told: who did what, which context switches matter, and the bug.\n",
     "  heddle show heddle-out/bank-1.hd\n"
     "  heddle show --run heddle-out/bank-1.hd\n"
     "  heddle show --run -i heddle-out/bank-1.hd\n"
     "  heddle show --run --trace heddle-out/bank-1.hd\n"
     "  heddle show --run --trace-file bank.perfetto.json heddle-out/bank-1.hd\n"
     "  heddle show --run --html bank.html heddle-out/bank-1.hd\n",
     "  0  the story was told\n"
     "  2  the file or its program is wrong: missing, damaged, not of your own recording\n"
     "  3  the program did not follow the schedule, or heddle could not do it\n"},
    {"localise", cmd_localise, FOR_LOCALISE, "which context switch of a schedule is to blame for its bug",
     "heddle localise [OPTIONS] FILE.hd",
     "Follows beginnings of the schedule, the longest first, and goes on from each with as few switches as\n"
     "possible. The last switch after which the program can still pass is harmless; the next one is to "
     "blame. "
     "Tells\n"
     "in a sentence which accesses it came between. Every step of the argument is a run of the program.\n",
     "  heddle localise heddle-out/bank-1.hd\n"
     "  heddle localise --all --json blame.json heddle-out/bank-1.hd\n",
     "  0  it is known what is to blame\n"
     "  2  the file or its program is wrong: missing, damaged, not of your own recording\n"
     "  3  the bug does not show, the program does not repeat itself, or the time was too short\n"},
    {"shrink", cmd_shrink, FOR_SHRINK, "write a simpler schedule with the same bug",
     "heddle shrink [OPTIONS] FILE.hd",
     "Removes preemptions and context switches from a schedule as long as the same bug shows, and writes "
     "what "
     "is\n"
     "left to FILE-small.hd. check does the same with what it finds, for a shorter time.\n",
     "  heddle shrink heddle-out/bank-1.hd\n"
     "  heddle shrink -o small.hd --time 1m heddle-out/bank-1.hd\n",
     "  0  it was written, shorter or not\n"
     "  2  the file or its program is wrong: missing, damaged, not of your own recording\n"
     "  3  the bug does not show, or heddle could not do it\n"},
    {"estimate", cmd_estimate, FOR_ESTIMATE, "estimate how large a recorded exploration is",
     "heddle estimate [OPTIONS] FILE\n       heddle estimate --allocate FILE FILE...",
     "Goes through the trace of an exploration (heddle explore --record) and tells what each technique of\n"
     "estimation says of its whole length: strategy (what is expected to be scheduled later), estimator,\n"
     "and fit (the trend of the estimates so far). For a complete exploration it tells how near each came\n"
     "after 1, 5 and 25 % of it: accuracy is 100 * smaller / larger of estimate and truth. With --allocate\n"
     "it simulates policies that divide time between several tests.\n",
     "  heddle estimate bank.trace\n"
     "  heddle estimate --json bank.json bank.trace\n"
     "  heddle estimate --allocate bank.trace queue.trace cache.trace\n",
     "  0  the estimates were made\n"
     "  2  the command or the trace is wrong: missing, cut short, no trace\n"
     "  3  heddle could not do it\n"},
    {"suite", cmd_suite, FOR_SUITE, "explore many tests within one budget of time",
     "heddle suite [OPTIONS] FILE",
     "Explores all interleavings of each test that FILE lists, a slice of time after the other, and tells "
     "of\n"
     "each whether it is complete, shows a bug, or how far it came. A line of FILE is one test,\n"
     "    name: program arguments...\n"
     "or, to compile them first as check does, name: FILE.c... -- arguments. Paths are relative to the "
     "folder of\n"
     "FILE; words with blanks stand in quotes; # begins a comment. The first bug of a test ends it: it is "
     "replayed\n"
     "and told as check does. Tests get an empty standard input.\n",
     "  heddle suite tests/all.suite\n"
     "  heddle suite --time 10m --policy coverage tests/all.suite\n"
     "  heddle suite --tap --junit report.xml tests/all.suite\n",
     "  0  nothing was found\n"
     "  1  a bug was found in a test\n"
     "  2  the command or FILE is wrong\n"
     "  3  a test could not be run, or heddle was interrupted, and nothing was found\n"},
    {"predict", cmd_predict, FOR_PREDICT, "bugs that a passing run could have had, each one tried",
     "heddle predict [OPTIONS] PROGRAM|FILE.c... [-- ARGUMENTS]",
     "Records one run of the program and says what could have gone wrong under another schedule: circles of\n"
     "locks, data races, lost wake-ups, calls in the wrong order. Then steers executions of the program "
     "into\n"
     "each prediction. What really happens is a bug, replayed and told as check does; what does not is\n"
     "listed as a prediction that was not confirmed.\n",
     "  heddle predict ./server\n"
     "  heddle predict --names site --runs 1000 ./server\n"
     "  heddle predict --from server.trace ./server\n",
     USUAL_STATUS},
    {"convert", cmd_convert, FOR_CONVERT, "write a recorded run in another form",
     "heddle convert [OPTIONS] FROM TO",
     "Reads a run that heddle record wrote, or one in the STD form of public predictors, and writes it in "
     "the\n"
     "STD form if the name of TO ends in .std, else in heddle's own. Nothing is lost on the way: what STD "
     "has\n"
     "no words for stands in comments, which --plain leaves out.\n",
     "  heddle convert bank.trace bank.std\n"
     "  heddle convert bank.std bank.trace\n",
     "  0  it was written\n"
     "  2  the command or its input is wrong\n"
     "  3  it could not be written\n"},
    {"record", cmd_record, FOR_RECORD, "record one run of a program, for heddle predict",
     "heddle record [OPTIONS] PROGRAM|FILE.c... [-- ARGUMENTS]",
     "Runs the program once and writes down what its threads did: locks, waits, creation and end, accesses "
     "of\n"
     "memory that two threads use. The file is read by heddle predict.\n",
     "  heddle record -o bank.trace ./bank\n"
     "  heddle predict --from bank.trace ./bank\n",
     "  0  the run was recorded, whether it passed or not\n"
     "  2  the command or its input is wrong\n"
     "  3  heddle could not do it\n"},
    {"test", cmd_test, FOR_TEST, "run each test of a cmocka, Check, Criterion or GoogleTest program",
     "heddle test [OPTIONS] PROGRAM [-- ARGUMENTS]",
     "Finds the tests of a program made with cmocka, Check, Criterion or GoogleTest, and runs each one "
     "alone\n"
     "under many schedules, as check does. A failed check of the framework is told as a failed assertion, "
     "with\n"
     "the place and the text of the framework. The first bug of a test ends it: it is replayed and told, and "
     "the\n"
     "schedule file it leaves runs that one test again. Names are group.test (cmocka), case.test (Check) or\n"
     "suite.test. Tests get an empty standard input.\n",
     "  heddle test ./queue_test\n"
     "  heddle test --filter 'Queue.*' --max-executions 10000 ./queue_test\n"
     "  heddle test --tap --junit report.xml ./queue_test\n",
     "  0  no test shows a bug\n"
     "  1  a bug was found in a test\n"
     "  2  the command is wrong, the program has no such tests, or no test matches the filter\n"
     "  3  a test could not be run, or heddle was interrupted, and nothing was found\n"},
    {"stress", cmd_stress, FOR_STRESS,
     "run a program free, many times, and count the bugs that show by chance",
     "heddle stress [OPTIONS] PROGRAM [-- ARGUMENTS]",
     "Runs the program as a process of its own, with real threads and without heddle's scheduler, over and\n"
     "over: plain, and in turns with it so that threads pause by chance at memory accesses and calls. Tells\n"
     "how often which bug showed, side by side. A run in which all threads wait for each other is ended at\n"
     "once, one that takes too long after --hang. What heddle check finds is found by schedule instead.\n",
     "  heddle stress ./bank\n"
     "  heddle stress --runs 10000 --yield 20 --json bank.json ./bank -- 4\n",
     "  0  no bug was seen\n"
     "  1  a bug was seen\n"
     "  2  the command or its input is wrong\n"
     "  3  heddle could not do it, or was interrupted, and no bug was seen\n"},
    {"minimise", cmd_minimise, FOR_MINIMISE, "find the smallest part of a stress test that still fails",
     "heddle minimise [OPTIONS] PROGRAM|SOURCE…|FILE.hd [-- ARGUMENTS]",
     "The program is a stress test made with heddle_stress.h: threads that call operations of a data\n"
     "structure, picked at random. Finds a schedule that fails, or takes that of a file, and leaves out\n"
     "threads, then calls: each part of the test is run, guided by the last execution that failed, and kept\n"
     "if it fails in the same way. The result is replayed in a fresh process and written as a C file of its\n"
     "own, in which every call is spelled out, with a schedule that makes it fail.\n",
     "  heddle minimise ./stack_stress\n"
     "  heddle minimise --time 5m stack_stress.c -- 100 100\n"
     "  heddle minimise heddle-out/stack_stress-1.hd\n",
     "  0  no failure was found\n"
     "  1  there is one, and the reduced test has it\n"
     "  2  the command or its input is wrong\n"
     "  3  heddle could not do it, or was interrupted\n"},
    {"doctor", cmd_doctor, FOR_DOCTOR, "say what heddle misses on this machine, and what helps",
     "heddle doctor",
     "Tries out what heddle needs of the system, one by one: memory, processes, threads, filters of system "
     "calls,\n"
     "and more. Containers and limits may forbid some of it; what is missing is told with what helps. Any "
     "command\n"
     "that cannot start a program does this by itself.\n",
     "  heddle doctor\n",
     "  0  programs can be run here\n"
     "  2  the command is wrong\n"
     "  3  something is missing without which no program can be run\n"},
    {"cc", cmd_cc, 0, "compile C, with instrumentation", "heddle cc [ARGUMENTS OF THE COMPILER]",
     "A drop-in for gcc or clang: compiles and links as they do, so that heddle sees every access to "
     "memory.\n"
     "The program runs as usual when it is started without heddle. HEDDLE_CC chooses the compiler (gcc).\n",
     "  heddle cc -g -O1 bank.c -o bank -lm\n"
     "  make CC=\"heddle cc\"\n",
     "  that of the compiler\n"},
    {"c++", cmd_cxx, 0, "compile C++, with instrumentation", "heddle c++ [ARGUMENTS OF THE COMPILER]",
     "A drop-in for g++ or clang++, see heddle help cc. HEDDLE_CXX chooses the compiler (g++).\n",
     "  heddle c++ -g -O1 queue.cpp -o queue\n"
     "  cmake -DCMAKE_CXX_COMPILER=\"heddle-c++\" .\n",
     "  that of the compiler\n"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, name))
      return &commands[i];
  return NULL;
}

static int unknown_command(const char *name)
{
  const char *names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i].name;
  const char *near = nearest_name(name, names, COMMANDS);
  const char *kind = name[0] == '-' ? "option" : "command";
  if (near)
    say_error("there is no %s \"%s\"; did you mean %s?", kind, name, near);
  else
    say_error("there is no %s \"%s\" (heddle --help lists all)", kind, name);
  return STATUS_USAGE;
}

static void help_overview(FILE *out)
{
  fputs("heddle takes over the scheduler of C and C++ programs, to find, replay and explain concurrency "
        "bugs.\n\n"
        "usage: heddle COMMAND [OPTIONS] ...\n\n",
        out);
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].summary);
  fputs("\n"
        "  heddle help COMMAND   its options, with examples\n"
        "  heddle help settings  all options, and which of them change what a search means\n"
        "  heddle --version\n\n"
        "start here:\n"
        "  heddle check FILE.c            compile a program and look for bugs in it\n"
        "  heddle cc -g FILE.c -o PROGRAM && heddle check PROGRAM -- ARGUMENTS\n\n"
        "exit status:\n" USUAL_STATUS,
        out);
}

static void list_choices(const struct setting *s)
{
  printf("%s", s->choices ? "" : s->argument ? s->argument : "-");
  for (const struct setting_choice *c = s->choices; c && c->name; c++)
    printf("%s%s", c == s->choices ? "" : "|", c->name);
}

/* All options of all commands, a line each with tabulators between: name, kind of value, values, default, scope, commands,
 * and the argument for the scope. */
static void list_settings(void)
{
  static const char *const kind[] = {
#define X(kind, type) [SETTING_##kind] = #kind,
      HD_SETTING_KINDS(X)
#undef X
  };
  struct settings defaults;
  char text[SETTING_TEXT_SIZE];
  settings_set_defaults(&defaults);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    printf("--%s\t%s\t", s->name, kind[s->kind]);
    list_choices(s);
    setting_text(s, &defaults, text);
    printf("\t%s\t%s\t", *text ? text : "-", s->scope == SCOPE_MEANING ? "meaning" : "how");
    const char *comma = "";
    for (size_t i = 0; i < COMMANDS; i++)
      if (commands[i].options && setting_use(s, commands[i].options)) {
        printf("%s%s", comma, commands[i].name);
        comma = ",";
      }
    printf("\t%s\n", s->why);
  }
}

int help_command(const char *name)
{
  if (!strcmp(name, "settings")) {
    list_settings();
    return STATUS_OK;
  }
  const struct command *command = find_command(name);
  if (!command)
    return unknown_command(name);
  printf("usage: %s\n\n%s", command->usage, command->text);
  if (command->options) {
    puts("\noptions:");
    options_help(stdout, command->options);
  }
  printf("\nexample:\n%s\nexit status:\n%s", command->example, command->status);
  return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
  if (argc < 2) {
    help_overview(stderr);
    return STATUS_USAGE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V") || !strcmp(name, "version")) {
    printf("heddle %s\n", HEDDLE_VERSION);
    return STATUS_OK;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    if (argc > 2)
      return help_command(argv[2]);
    help_overview(stdout);
    return STATUS_OK;
  }
  if (!strcmp(name, DEBUGGER_START))
    return debugger_start();
  const struct command *command = find_command(name);
  if (!command)
    return unknown_command(name);
  if (!command->options && argc == 3 && !strcmp(argv[2], "--help"))
    return help_command(name);
  if (command->options) {     /* but compilers as usual */
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves is no reason to leave files half done */
    limits_raise();
  }
  return command->run(argc - 1, argv + 1);
}

/* Descriptors 0 to 2 must not be given to files of ours. */
static void open_missing(void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      return;
}

/* As with `heddle check … | head`: nobody wants the rest, and that is no error. */
static bool reader_gone(void)
{
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

int main(int argc, char **argv)
{
  open_missing();
  int status = limits_with_stack(dispatch, argc, argv);
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE && !reader_gone()) {
    say_error("standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status == STATUS_OK ? STATUS_FAILED : status;
  }
  return status;
}
