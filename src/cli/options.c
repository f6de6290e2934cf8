/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of options and its parser. Every error is one line that names the option, what was given and what would be
 * right. Must not act on options or look at files.
 */
#include "cli/options.h"
#include "estimate/allocate.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_kind {
  KIND_FLAG,        /* bool */
  KIND_TEXT,        /* const char * */
  KIND_NUMBER,      /* uint64_t */
  KIND_POSITIVE,    /* uint64_t, not 0 */
  KIND_DURATION,    /* double, seconds */
  KIND_SIZE,        /* uint64_t, bytes */
  KIND_EXIT_STATUS, /* uint64_t */
  KIND_STRATEGY,    /* uint32_t */
  KIND_EXHAUSTIVE,  /* uint32_t, a strategy too */
  KIND_BOUND,       /* struct bound_option */
  KIND_CHOICE       /* uint32_t, index into names */
};

struct option {
  const char *name;
  char letter;
  enum option_kind kind;
  size_t offset;
  unsigned who;
  const char *argument;     /* in the help */
  const char *const *names; /* KIND_CHOICE, NULL-terminated */
  const char *help;
};

static const char *const reset_names[] = {"auto", "snapshot", "fork", "exec",
                                          NULL};                            /* order of enum reset_mode */
static const char *const race_names[] = {"ignore", "report", "fail", NULL}; /* order of enum race_mode */
static const char *const abstraction_names[] = {"pc", "pc+object", "raw",
                                                NULL}; /* order of enum abstraction */
static const char *const detector_names[] = {"clocks", "pending", "both",
                                             NULL}; /* sets of RACE_BY_*, from 1 */
static const char *const naming_names[] = {"index", "objects", "site", "trivial",
                                           NULL}; /* order of enum naming */
static const char *const how_names[] = {"guided", "uncontrolled", "random",
                                        NULL}; /* order of enum minimise_how */
static const char *const scope_names[] = {"thread", "trace", NULL};
static const char *const output_names[] = {"none", "failing", "all", NULL};
static const char *const color_names[] = {"auto", "always", "never", NULL};
static const char *const policy_names[] = {"round-robin", "shortest", "coverage",
                                           NULL}; /* order of enum allocation_policy */
static const char *const trace_names[] = {"auto", "text", "json", "chrome",
                                          NULL}; /* order of enum trace_format */

static const char *const first_names[] = {"variables", "random", NULL};

#define SAMPLE (FOR_CHECK | FOR_RUN | FOR_TEST)
#define SEARCH (SAMPLE | FOR_EXPLORE)
#define TEST (SEARCH | FOR_SUITE)
#define ONE_RUN (FOR_RECORD | FOR_PREDICT)
#define RECORDED (FOR_REPLAY | FOR_SHOW | FOR_LOCALISE | FOR_SHRINK)
#define EVERY (TEST | RECORDED | ONE_RUN)
#define AT(field) offsetof(struct options, field)

static const struct option table[] = {
    {"strategy", 0, KIND_STRATEGY, AT(strategy), SAMPLE, "NAME", NULL,
     "how to choose schedules: rr, random, pct, pos, abreast, history,\n"
     "or portfolio: rr once, then pos, pct, abreast and random in turns\n"
     "(check and test: portfolio, run: random)"},
    {"strategy", 0, KIND_STRATEGY, AT(strategy), ONE_RUN, "NAME", NULL,
     "the schedule of the run: rr, random, pct or pos (default rr)"},
    {"into", 'o', KIND_TEXT, AT(into), FOR_RECORD, "FILE", NULL,
     "where the trace goes (default heddle.trace)"},
    {"plain", 0, KIND_FLAG, AT(plain), FOR_CONVERT, NULL, NULL,
     "STD without the comments that carry what it has no words for"},
    {"from", 0, KIND_TEXT, AT(from), FOR_PREDICT, "TRACE", NULL,
     "analyse a run that heddle record wrote, instead of a new one"},
    {"protocol", 0, KIND_TEXT, AT(protocol), FOR_PREDICT, "FILE", NULL,
     "protocols of types of objects (--calls), instead of those that the\nrun teaches"},
    {"write-protocols", 0, KIND_TEXT, AT(write_protocols), FOR_PREDICT, "FILE", NULL,
     "write the protocols used: as text, for --protocol, or as a graph\n(FILE.dot)"},
    {"only-predict", 0, KIND_FLAG, AT(only_predict), FOR_PREDICT, NULL, NULL,
     "do not try to bring about what is predicted"},
    {"all", 0, KIND_FLAG, AT(all), FOR_PREDICT, NULL, NULL, "list guesses that were not confirmed, too"},
    {"runs", 0, KIND_POSITIVE, AT(runs), FOR_PREDICT, "N", NULL,
     "executions that try to confirm each prediction (default 100)"},
    {"max-cycle", 0, KIND_POSITIVE, AT(max_cycle), FOR_PREDICT, "N", NULL,
     "threads in a circle of locks, at most (default 64)"},
    {"loop-guards", 0, KIND_FLAG, AT(loop_guards), FOR_PREDICT, NULL, NULL,
     "a wait whose condition still holds waits again; tells the predictions of both ways"},
    {"start-order", 0, KIND_FLAG, AT(start_order), FOR_PREDICT, NULL, NULL,
     "leave out circles that creation and join of threads make impossible"},
    {"names", 0, KIND_CHOICE, AT(naming), FOR_PREDICT, "HOW", naming_names,
     "what makes a thread or a lock the same in another run: index,\n"
     "objects, site or trivial (default index)"},
    {"depth", 0, KIND_POSITIVE, AT(depth), FOR_PREDICT, "K", NULL,
     "calls or creators that names are made of (default 4)"},
    {"no-contexts", 0, KIND_FLAG, AT(no_contexts), FOR_PREDICT, NULL, NULL,
     "wherever the locks were taken that a thread holds"},
    {"no-yield", 0, KIND_FLAG, AT(no_yield), FOR_PREDICT, NULL, NULL,
     "do not let others pass before the first lock of a circle"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_PREDICT, "TIME", NULL,
     "for all of it, as 90s, 5m, 1h, 500ms (default 60s)"},
    {"strategy", 0, KIND_EXHAUSTIVE, AT(strategy), FOR_EXPLORE | FOR_SUITE, "NAME", NULL,
     "dpor: one execution of each class of equivalent ones, none twice;\n"
     "dfs: every interleaving (default dpor; dfs with --bound)"},
    {"bound", 0, KIND_BOUND, AT(bound), FOR_EXPLORE, "WHAT=K", NULL,
     "only executions with at most K preemptions (preemptions=K) or K\n"
     "deviations from round robin (delays=K)"},
    {"iterative", 0, KIND_FLAG, AT(iterative), FOR_EXPLORE, NULL, NULL,
     "bound 0, then 1, and so on until complete: the first bug found has\n"
     "the fewest preemptions"},
    {"checkpoint", 0, KIND_TEXT, AT(checkpoint), FOR_EXPLORE, "FILE", NULL,
     "write what is left to explore every few seconds"},
    {"resume", 0, KIND_TEXT, AT(resume), FOR_EXPLORE, "FILE", NULL,
     "go on from a checkpoint, and write further ones to it"},
    {"record", 0, KIND_TEXT, AT(record), FOR_EXPLORE, "FILE", NULL,
     "write the course of the exploration, for heddle estimate"},
    {"hashes", 0, KIND_TEXT, AT(hashes), FOR_EXPLORE, "FILE", NULL,
     "write a line for each execution: its class, its output, its bug"},
    {"runs", 0, KIND_POSITIVE, AT(runs), FOR_RUN, "N", NULL,
     "executions to run (default 1000, or no limit with --time)"},
    {"until-bug", 0, KIND_FLAG, AT(until_bug), FOR_RUN | FOR_STRESS, NULL, NULL, "stop at the first bug"},
    {"time", 0, KIND_DURATION, AT(seconds), SEARCH & ~FOR_TEST, "TIME", NULL,
     "stop searching after so long, as 90s, 5m, 1h, 500ms\n(check: 10s, run and explore: no limit)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_RECORD, "TIME", NULL,
     "give up after so long, as 90s, 5m, 1h, 500ms (default: no limit)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_SUITE, "TIME", NULL,
     "for all tests together, as 90s, 5m, 1h, 500ms (default 60s)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_TEST, "TIME", NULL,
     "for each test, as 90s, 5m, 1h, 500ms (default 10s)"},
    {"runs", 0, KIND_POSITIVE, AT(runs), FOR_STRESS, "N", NULL,
     "runs of each kind (default 1000, or no limit with --time)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_STRESS, "TIME", NULL,
     "start no run after so long, as 90s, 5m, 1h, 500ms (default: no limit)"},
    {"yield", 0, KIND_NUMBER, AT(yields), FOR_STRESS, "PERCENT", NULL,
     "of the second kind of runs: how many of 100 memory accesses and\n"
     "calls of the program let other threads go first; 0: no such runs\n(default 5)"},
    {"hang", 0, KIND_DURATION, AT(hang), FOR_STRESS, "TIME", NULL,
     "a run that takes longer hangs and is ended (default 2s)"},
    {"jobs", 'j', KIND_POSITIVE, AT(jobs), FOR_STRESS, "N", NULL, "runs at the same time (default 1)"},
    {"how", 0, KIND_CHOICE, AT(how), FOR_MINIMISE, "HOW", how_names,
     "guided: parts of the test follow the schedule that failed; for\n"
     "comparison: uncontrolled (free runs), random (parts picked at\n"
     "random, free runs); default guided"},
    {"lookahead", 0, KIND_NUMBER, AT(lookahead), FOR_MINIMISE, "K", NULL,
     "events that can be skipped at once where a part of the test does\n"
     "not do what all of it did (default 5)"},
    {"lookahead-scope", 0, KIND_CHOICE, AT(scope), FOR_MINIMISE, "OF", scope_names,
     "K counts the events of the thread, or of the whole trace\n(default thread)"},
    {"retries", 0, KIND_NUMBER, AT(retries), FOR_MINIMISE, "N", NULL,
     "more schedules of each part that passes, with a random end\n(default 20)"},
    {"runs", 0, KIND_POSITIVE, AT(runs), FOR_MINIMISE, "N", NULL, "runs of --how random (default 100)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_MINIMISE, "TIME", NULL,
     "for all of it, as 90s, 5m, 1h, 500ms (default 60s)"},
    {"hang", 0, KIND_DURATION, AT(hang), FOR_MINIMISE, "TIME", NULL,
     "a free run that takes longer hangs and is ended (default 2s)"},
    {"policy", 0, KIND_CHOICE, AT(policy), FOR_SUITE, "NAME", policy_names,
     "who gets the next slice of time: shortest completes as many tests\n"
     "as possible, coverage brings all equally far, round-robin takes\n"
     "turns (default shortest)"},
    {"max-executions", 0, KIND_POSITIVE, AT(max_executions), SEARCH & ~FOR_TEST, "N", NULL,
     "stop searching after N executions (default: no limit)"},
    {"max-executions", 0, KIND_POSITIVE, AT(max_executions), FOR_TEST, "N", NULL,
     "of each test (default 1000, or no limit with --time)"},
    {"filter", 0, KIND_TEXT, AT(filter), FOR_TEST, "GLOB", NULL,
     "only tests whose name matches, as 'Queue.*'"},
    {"list", 0, KIND_FLAG, AT(list), FOR_TEST, NULL, NULL, "print the names of the tests and run none"},
    {"seed", 0, KIND_NUMBER, AT(seed), SAMPLE | ONE_RUN | FOR_LOCALISE | FOR_MINIMISE, "S", NULL,
     "the same seed gives the same executions (default 1)"},
    {"keep-going", 'k', KIND_FLAG, AT(keep_going), SEARCH, NULL, NULL,
     "do not stop at the first bug (run does not)"},
    {"jobs", 'j', KIND_POSITIVE, AT(jobs), TEST | FOR_MINIMISE, "N", NULL,
     "processes that search at the same time (default: one a core)"},
    {"reset", 0, KIND_CHOICE, AT(reset), EVERY | FOR_MINIMISE, "HOW", reset_names,
     "how the program is put back to its start: snapshot (memory is\n"
     "restored), fork, exec (a fresh process); default: the fastest\n"
     "that is right for the program"},
    {"races", 0, KIND_CHOICE, AT(races), TEST, "WHAT", race_names,
     "data races: ignore, report, or fail: end the search at one\n(default report)"},
    {"coverage", 0, KIND_FLAG, AT(coverage), SEARCH, NULL, NULL,
     "tell which scheduling points were reached and which conflicts were\n"
     "seen in both orders, and how that grew"},
    {"race-detector", 0, KIND_CHOICE, AT(detectors), TEST, "HOW", detector_names,
     "clocks: accesses that nothing orders; pending: only those that both\n"
     "stand before the memory at the same time; or both, told apart\n(default clocks)"},
    {"leaks", 0, KIND_CHOICE, AT(leaks), TEST, "WHAT", race_names,
     "memory leaks, in the same way (default report)"},
    {"exit-status", 0, KIND_EXIT_STATUS, AT(exit_status), TEST | ONE_RUN | FOR_STRESS | FOR_MINIMISE, "N|any",
     NULL, "the exit status that is right; another is a bug (default 0)"},
    {"spurious", 0, KIND_FLAG, AT(spurious), TEST | ONE_RUN | FOR_MINIMISE, NULL, NULL,
     "condition variables may wake up spuriously"},
    {"calls", 0, KIND_TEXT, AT(calls), TEST | ONE_RUN, "LIST", NULL,
     "calls of these functions are scheduling points, each with the object\n"
     "it is given: conn_*,queue_*,conn_open:new (see heddle(1))"},
    {"pct-depth", 0, KIND_POSITIVE, AT(pct_depth), SAMPLE, "D", NULL,
     "ordering constraints the bugs sought by pct may have (default 3)"},
    {"state", 0, KIND_CHOICE, AT(abstraction), SAMPLE, "WHAT", abstraction_names,
     "what history takes for the same state: the same places in the code\n"
     "(pc), and the same objects (pc+object), or the same threads at the\n"
     "same places (raw); default pc"},
    {"patience", 0, KIND_POSITIVE, AT(patience), SAMPLE, "N", NULL,
     "history ends after N executions in a row without anything new\n(default 1)"},
    {"max-steps", 0, KIND_POSITIVE, AT(max_steps), TEST | FOR_MINIMISE, "N", NULL,
     "an execution of more steps hangs (default 100000; ten times that\nfor stress tests of "
     "heddle_stress.h)"},
    {"memory", 0, KIND_SIZE, AT(memory), TEST | ONE_RUN | FOR_MINIMISE, "SIZE", NULL,
     "heap of one execution, as 64K, 512M, 2G (default 1G)"},
    {"grace", 0, KIND_DURATION, AT(grace), EVERY | FOR_MINIMISE, "TIME", NULL,
     "a program without progress for so long is stuck (default 5s)"},
    {"times", 0, KIND_POSITIVE, AT(times), FOR_REPLAY, "N", NULL,
     "replay N times, each in a fresh process (default 1)"},
    {"gdb", 0, KIND_FLAG, AT(gdb), FOR_REPLAY, NULL, NULL,
     "run it in gdb and stand at the bug; \"help heddle\" there lists\nwhat it can do"},
    {"step", 0, KIND_POSITIVE, AT(step), FOR_REPLAY, "N", NULL, "with --gdb: stand before step N instead"},
    {"trace", 0, KIND_FLAG, AT(trace), FOR_REPLAY | FOR_SHOW, NULL, NULL, "list every step of the execution"},
    {"trace-file", 0, KIND_TEXT, AT(trace_file), FOR_REPLAY | FOR_SHOW, "FILE", NULL,
     "write every step of the execution; - is standard output"},
    {"trace-format", 0, KIND_CHOICE, AT(trace_format), FOR_REPLAY | FOR_SHOW, "FORMAT", trace_names,
     "of that file: text, json, or chrome, which chrome://tracing and\n"
     "ui.perfetto.dev open (default: chrome for a name that ends in\n"
     ".perfetto.json or .chrome.json, json for .json, else text)"},
    {"interactive", 'i', KIND_FLAG, AT(interactive), FOR_SHOW, NULL, NULL,
     "go through the steps on the terminal, with the source, the\nthreads and their locks"},
    {"force", 0, KIND_FLAG, AT(force), RECORDED | FOR_MINIMISE, NULL, NULL,
     "replay although the program is of another build"},
    {"explain", 0, KIND_FLAG, AT(explain), TEST | FOR_PREDICT, NULL, NULL,
     "after the story of a bug, tell which switch is to blame for it; make\n"
     "a stress test of heddle_stress.h as small as it can be before that"},
    {"first", 0, KIND_CHOICE, AT(first), FOR_LOCALISE, "WHO", first_names,
     "who goes on after a beginning of the schedule: variables, the last\n"
     "ones to access some shared variable, each in a run of its own; or\n"
     "random (default variables)"},
    {"all", 0, KIND_FLAG, AT(all), FOR_LOCALISE, NULL, NULL,
     "try the beginnings for all switches, though it is decided before"},
    {"runs", 0, KIND_POSITIVE, AT(runs), FOR_LOCALISE, "N", NULL,
     "with --first random, for each switch (default 5)"},
    {"strict", 0, KIND_FLAG, AT(strict), FOR_LOCALISE, NULL, NULL,
     "patterns as the method was published: one access of each block"},
    {"into", 'o', KIND_TEXT, AT(into), FOR_SHRINK, "FILE", NULL,
     "where the schedule goes (default FILE-small.hd)"},
    {"time", 0, KIND_DURATION, AT(seconds), FOR_LOCALISE | FOR_SHRINK, "TIME", NULL,
     "stop after so long, as 90s, 5m, 500ms (localise: 60s, shrink: 10s)"},
    {"allocate", 0, KIND_FLAG, AT(allocate), FOR_ESTIMATE, NULL, NULL,
     "compare policies that divide time between the recorded tests"},
    {"html", 0, KIND_TEXT, AT(html), FOR_SHOW | FOR_LOCALISE, "FILE", NULL,
     "write a page to look at and step through in a browser; - is\nstandard output"},
    {"output", 0, KIND_CHOICE, AT(output), EVERY & ~(FOR_SUITE | ONE_RUN | FOR_LOCALISE | FOR_SHRINK),
     "WHICH", output_names,
     "what the program printed: none, failing (of the execution that\nfails), all (default failing)"},
    {"out", 0, KIND_TEXT, AT(out), TEST | FOR_PREDICT | FOR_MINIMISE, "DIR", NULL,
     "folder for schedule files (default heddle-out)"},
    {"no-page", 0, KIND_FLAG, AT(no_page), TEST | FOR_PREDICT | FOR_MINIMISE, NULL, NULL,
     "write no pages (HTML) next to the schedule files"},
    {"json", 0, KIND_TEXT, AT(json),
     TEST | FOR_REPLAY | FOR_LOCALISE | FOR_ESTIMATE | ONE_RUN | FOR_STRESS | FOR_MINIMISE, "FILE", NULL,
     "write the result as JSON; - is standard output"},
    {"sarif", 0, KIND_TEXT, AT(sarif), TEST | FOR_PREDICT, "FILE", NULL,
     "write the bugs as SARIF 2.1.0, for code scanning; - is standard\noutput"},
    {"junit", 0, KIND_TEXT, AT(junit), FOR_SUITE | FOR_TEST, "FILE", NULL, "write the result as JUnit XML"},
    {"tap", 0, KIND_FLAG, AT(tap), FOR_SUITE | FOR_TEST, NULL, NULL,
     "print the result as TAP version 13 and nothing else; stories\ngo to standard error"},
    {"color", 0, KIND_CHOICE, AT(color), EVERY | FOR_STRESS | FOR_MINIMISE, "WHEN", color_names,
     "auto, always or never (default auto)"},
    {"quiet", 'q', KIND_FLAG, AT(quiet), EVERY | FOR_CONVERT | FOR_STRESS | FOR_MINIMISE, NULL, NULL,
     "print bugs and errors only"},
    {"help", 'h', KIND_FLAG, AT(help), EVERY | FOR_ESTIMATE | FOR_CONVERT | FOR_STRESS | FOR_MINIMISE, NULL,
     NULL, "this text"},
};
#define TABLE_SIZE (sizeof table / sizeof table[0])

static void set_defaults(struct options *o)
{
  *o = (struct options){
      .out = "heddle-out",
      .seconds = -1,
      .grace = 5,
      .seed = 1,
      .memory = UINT64_C(1) << 30,
      .pct_depth = 3,
      .patience = 1,
      .depth = NAMING_DEPTH,
      .times = 1,
      .yields = 5,
      .hang = 2,
      .lookahead = 5,
      .retries = 20,
      .strategy = STRATEGY_COUNT,
      .reset = RESET_AUTO,
      .races = RACES_REPORT,
      .leaks = RACES_REPORT,
      .output = OUTPUT_FAILING,
      .color = COLOR_AUTO,
      .policy = POLICY_SHORTEST_REMAINING,
  };
}

/* ---- words ---- */

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Edits (insert, remove, replace, swap neighbours) between two short words; words over 31 characters are far away. */
static size_t distance(const char *a, const char *b)
{
  enum { MOST = 31 };
  size_t n = strlen(a), m = strlen(b);
  if (n > MOST || m > MOST)
    return MOST;
  size_t d[MOST + 1][MOST + 1];
  for (size_t i = 0; i <= n; i++)
    d[i][0] = i;
  for (size_t j = 0; j <= m; j++)
    d[0][j] = j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
  const char *best = NULL;
  size_t least = strlen(word) <= 3 ? 2 : strlen(word) <= 6 ? 3 : 4; /* must be nearer than this */
  for (size_t i = 0; i < count; i++) {
    size_t d = strlen(word) >= 3 && !strncmp(names[i], word, strlen(word)) ? 1 : distance(word, names[i]);
    if (d < least) {
      least = d;
      best = names[i];
    }
  }
  return best;
}

unsigned core_count(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return (unsigned)CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (unsigned)n : 1;
}

/* ---- values ---- */

static bool parse_number(const char *text, uint64_t *out)
{
  if (!isdigit((unsigned char)*text))
    return false;
  char *end;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  errno = 0;
  unsigned long long n = strtoull(text, &end, base);
  if (errno || *end || end == text)
    return false;
  *out = n;
  return true;
}

/* The number in front of a unit; *unit is what follows. */
static bool parse_decimal(const char *text, double *out, const char **unit)
{
  if (!isdigit((unsigned char)*text) && *text != '.')
    return false;
  size_t length = strspn(text, "0123456789.");
  char digits[32];
  if (length >= sizeof digits)
    return false;
  memcpy(digits, text, length);
  digits[length] = 0;
  char *end;
  *out = strtod(digits, &end);
  *unit = text + length;
  return !*end && end != digits && isfinite(*out);
}

static bool parse_duration(const char *text, double *out)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  const char *unit;
  double n;
  if (!parse_decimal(text, &n, &unit))
    return false;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (!strcmp(unit, units[i].unit)) {
      *out = n * units[i].seconds;
      return *out > 0 && *out < 1e9;
    }
  return false;
}

static bool parse_size(const char *text, uint64_t *out)
{
  static const char letters[] = "KMGT";
  const char *unit;
  double n;
  if (!parse_decimal(text, &n, &unit))
    return false;
  if (*unit) {
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (!letter)
      return false;
    n *= (double)(UINT64_C(1) << (10 * (letter - letters + 1)));
    unit++;
    unit += *unit == 'i';
    unit += *unit == 'B';
  }
  if (*unit || n < 1 || n > (double)(UINT64_C(1) << 46))
    return false;
  *out = (uint64_t)n;
  return true;
}

static bool parse_exit_status(const char *text, uint64_t *out)
{
  if (!strcmp(text, "any")) {
    *out = EXIT_STATUS_ANY;
    return true;
  }
  return parse_number(text, out) && *out <= 255;
}

static void join_names(const char *const *names, char *out, size_t n)
{
  size_t used = 0;
  for (size_t i = 0; names[i] && used < n; i++)
    used += (size_t)snprintf(out + used, n - used, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
}

static bool parse_choice(const struct option *option, const char *text, uint32_t *out)
{
  for (uint32_t i = 0; option->names[i]; i++)
    if (!strcmp(option->names[i], text)) {
      *out = i;
      return true;
    }
  char list[128];
  join_names(option->names, list, sizeof list);
  say_error("--%s takes %s, not \"%s\"", option->name, list, text);
  return false;
}

/* Strategies a person may choose; those that follow a given schedule belong to replay and to check's own shrinking. */
static bool parse_strategy(const char *text, uint32_t *out)
{
  static const char *const names[] = {"rr", "random", "pct", "pos", "abreast", "history", "portfolio", NULL};
  uint32_t id = strategy_by_name(text);
  if (id == STRATEGY_replay) {
    say_error("the strategy replay needs a schedule: heddle replay FILE.hd");
    return false;
  }
  if (id == STRATEGY_COUNT || id == STRATEGY_confirm || strategy_table[id]->keeps) {
    char list[128];
    join_names(names, list, sizeof list);
    const char *near = nearest_name(text, names, sizeof names / sizeof names[0] - 1);
    say_error("there is no strategy \"%s\"; %s%s%s there are %s", text, near ? "did you mean " : "",
              near ? near : "", near ? "?" : "", list);
    return false;
  }
  *out = id;
  return true;
}

static bool wrong_value(const struct option *option, const char *text, const char *right);

static bool parse_exhaustive(const struct option *option, const char *text, uint32_t *out)
{
  *out = strategy_by_name(text);
  if (*out == STRATEGY_dfs || *out == STRATEGY_dpor)
    return true;
  return wrong_value(option, text,
                     *out == STRATEGY_COUNT ? "dpor or dfs" : "dpor or dfs here (see heddle run)");
}

static bool parse_bound(const char *text, struct bound_option *out)
{
  static const struct {
    const char *name;
    uint32_t kind;
  } kinds[] = {{"preemptions=", BOUND_PREEMPTIONS}, {"delays=", BOUND_DELAYS}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (!strncmp(text, kinds[i].name, strlen(kinds[i].name))) {
      out->kind = kinds[i].kind;
      return parse_number(text + strlen(kinds[i].name), &out->limit) && out->limit <= UINT32_MAX;
    }
  return false;
}

static bool wrong_value(const struct option *option, const char *text, const char *right)
{
  say_error("--%s takes %s, not \"%s\"", option->name, right, text);
  return false;
}

static bool set_option(struct options *o, const struct option *option, const char *text)
{
  void *field = (char *)o + option->offset;
  switch (option->kind) {
  case KIND_FLAG:
    *(bool *)field = true;
    return true;
  case KIND_TEXT:
    *(const char **)field = text;
    return *text || wrong_value(option, text, "a name");
  case KIND_NUMBER:
    return parse_number(text, field) || wrong_value(option, text, "a number");
  case KIND_POSITIVE:
    return (parse_number(text, field) && *(uint64_t *)field) ||
           wrong_value(option, text, "a number from 1 on");
  case KIND_DURATION:
    return parse_duration(text, field) || wrong_value(option, text, "a time such as 90s, 5m, 1h or 500ms");
  case KIND_SIZE:
    return parse_size(text, field) || wrong_value(option, text, "a size such as 64K, 512M or 2G");
  case KIND_EXIT_STATUS:
    return parse_exit_status(text, field) || wrong_value(option, text, "a status from 0 to 255, or any");
  case KIND_STRATEGY:
    return parse_strategy(text, field);
  case KIND_EXHAUSTIVE:
    return parse_exhaustive(option, text, field);
  case KIND_BOUND:
    return parse_bound(text, field) ||
           wrong_value(option, text, "preemptions=K or delays=K, with a number K");
  case KIND_CHOICE:
    return parse_choice(option, text, field);
  }
  return false;
}

/* ---- the command line ---- */

static const struct option *find_option(unsigned who, const char *name, size_t length)
{
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if ((table[i].who & who) && strlen(table[i].name) == length && !strncmp(table[i].name, name, length))
      return &table[i];
  return NULL;
}

static const struct option *find_letter(unsigned who, char letter)
{
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if ((table[i].who & who) && table[i].letter == letter)
      return &table[i];
  return NULL;
}

static void unknown_option(unsigned who, const char *command, const char *word)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  const char *names[TABLE_SIZE];
  size_t count = 0;
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (table[i].who & who)
      names[count++] = table[i].name;
  const char *near = nearest_name(name + strspn(name, "-"), names, count);
  if (near)
    say_error("%s has no option %s; did you mean --%s? (heddle help %s lists all)", command, name, near,
              command);
  else
    say_error("%s has no option %s (heddle help %s lists all)", command, name, command);
}

/* Takes the option at argv[*i], with its value; moves *i to the last word taken. */
static bool take_option(struct options *o, unsigned who, int argc, char **argv, int *i)
{
  const char *word = argv[*i];
  const char *value = NULL;
  const struct option *option;
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    option = find_option(who, word + 2, length);
    value = word[2 + length] == '=' ? word + 3 + length : NULL;
  } else {
    option = find_letter(who, word[1]);
    value = word[2] ? word + 2 : NULL;
  }
  if (!option) {
    unknown_option(who, argv[0], word);
    return false;
  }
  if (option->kind == KIND_FLAG && value) {
    say_error("--%s takes no value", option->name);
    return false;
  }
  if (option->kind != KIND_FLAG && !value) {
    if (++*i >= argc || !strcmp(argv[*i], "--")) {
      say_error("--%s needs a value: --%s %s", option->name, option->name, option->argument);
      return false;
    }
    value = argv[*i];
  }
  return set_option(o, option, value);
}

static bool parse_operands(struct options *o, unsigned who, int argc, char **argv, int i)
{
  o->operands = argv + i;
  for (; i < argc && strcmp(argv[i], "--"); i++) {
    if (argv[i][0] == '-' && argv[i][1]) {
      say_error("%s stands after %s: options stand before it, the program's own arguments after --", argv[i],
                o->operands[0]);
      return false;
    }
    if (!argv[i][0]) {
      say_error("%s: an empty name", argv[0]);
      return false;
    }
    o->operand_count++;
  }
  if (i < argc) {
    o->args = argv + i + 1;
    o->arg_count = (size_t)(argc - i - 1);
  }
  if (!(who & (SEARCH | ONE_RUN | FOR_STRESS | FOR_MINIMISE)) && i < argc) {
    say_error("%s takes no arguments for the program; they are in the %s file", argv[0],
              who & FOR_SUITE ? "suite" : "schedule");
    return false;
  }
  return true;
}

/* One document at most can go to standard output; then text goes to standard error. */
static bool share_output(const struct options *o)
{
  const struct {
    const char *option, *path;
  } files[] = {
      {"--json", o->json}, {"--sarif", o->sarif}, {"--trace-file", o->trace_file}, {"--html", o->html}};
  const char *taken = NULL;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    if (!files[i].path || strcmp(files[i].path, "-"))
      continue;
    if (taken) {
      say_error("%s - and %s - both need standard output", taken, files[i].option);
      return false;
    }
    taken = files[i].option;
  }
  say_setup(o->quiet, o->color, taken);
  return true;
}

bool options_parse(struct options *o, unsigned who, int argc, char **argv)
{
  set_defaults(o);
  o->words = argv;
  o->word_count = (size_t)argc;
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--"); i++) {
    if (!take_option(o, who, argc, argv, &i))
      return false;
    if (o->help)
      return true;
  }
  if (!parse_operands(o, who, argc, argv, i))
    return false;
  if (o->jobs > 1024) {
    say_error("--jobs takes at most 1024, not %llu", (unsigned long long)o->jobs);
    return false;
  }
  if (o->pct_depth > 100) {
    say_error("--pct-depth takes at most 100, not %llu", (unsigned long long)o->pct_depth);
    return false;
  }
  if (o->yields > 100) {
    say_error("--yield takes at most 100, not %llu", (unsigned long long)o->yields);
    return false;
  }
  return share_output(o);
}

void options_help(FILE *out, unsigned who)
{
  enum { COLUMN = 26 };
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    const struct option *o = &table[i];
    if (!(o->who & who))
      continue;
    char left[64];
    int used =
        o->letter ? snprintf(left, sizeof left, "-%c, ", o->letter) : snprintf(left, sizeof left, "    ");
    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    fprintf(out, "  %-*s", COLUMN - 2, left);
    if (strlen(left) >= COLUMN - 2)
      fprintf(out, "\n%*s", COLUMN, "");
    for (const char *c = o->help; *c; c++) {
      fputc(*c, out);
      if (*c == '\n')
        fprintf(out, "%*s", COLUMN, "");
    }
    fputc('\n', out);
  }
}
