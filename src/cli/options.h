/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of the subcommands: one table, one parser, one source for the help texts.
 *
 * Options stand before the program, the program's own arguments after `--`. A wrong option is told in one line with the
 * nearest right one; nothing here acts on an option.
 */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include "cli/say.h"
#include "core/control.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum output_mode { OUTPUT_NONE, OUTPUT_FAILING, OUTPUT_ALL };

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
  FOR_MINIMISE = 32768
};

/* How heddle minimise runs what it tries. */
enum minimise_how { MINIMISE_GUIDED, MINIMISE_UNCONTROLLED, MINIMISE_RANDOM };

/* An expected exit status of this value: any status is right. */
#define EXIT_STATUS_ANY UINT64_MAX

struct bound_option {
  uint32_t kind; /* enum search_bound */
  uint64_t limit;
};

struct options {
  const char *json; /* NULL: no document; "-": standard output */
  const char *out;
  double seconds; /* --time; negative: not given */
  double grace;
  uint64_t max_executions; /* 0: no limit */
  uint64_t runs;           /* 0: not given */
  uint64_t seed;
  uint64_t jobs;      /* 0: as many as there are cores */
  uint64_t max_steps; /* 0: as many as such programs take */
  uint64_t memory;
  uint64_t pct_depth;
  uint64_t patience;
  uint64_t exit_status; /* 0 … 255 or EXIT_STATUS_ANY */
  uint64_t times;
  uint64_t step;   /* 0: not given */
  uint64_t yields; /* of 100 hooks, how many pause */
  double hang;
  uint32_t strategy;    /* enum strategy_id; STRATEGY_COUNT: not given */
  uint32_t reset;       /* enum reset_mode */
  uint32_t races;       /* enum race_mode */
  uint32_t leaks;       /* enum race_mode */
  uint32_t detectors;   /* RACE_BY_*, less 1 */
  uint32_t output;      /* enum output_mode */
  uint32_t color;       /* enum color_mode */
  uint32_t abstraction; /* enum abstraction */
  uint32_t policy;      /* enum allocation_policy */
  struct bound_option bound;
  const char *hashes; /* NULL: no such file */
  const char *checkpoint;
  const char *resume;
  const char *record;
  const char *into;
  const char *from;
  uint64_t max_cycle;
  uint64_t depth;
  uint32_t naming;  /* enum naming */
  bool loop_guards; /* predict: guarded waits are tried again after a wake-up */
  uint32_t how;     /* enum minimise_how */
  uint32_t scope;   /* of the lookahead; 1: all threads */
  uint64_t lookahead;
  uint64_t retries;
  bool start_order;
  bool no_contexts;
  bool no_yield;
  bool only_predict;
  bool all;
  bool plain;
  const char *junit;
  const char *filter; /* NULL: all tests */
  const char *sarif;
  const char *trace_file;
  uint32_t trace_format; /* enum trace_format */
  const char *calls;     /* NULL: none are watched */
  const char *protocol;
  const char *write_protocols;
  uint32_t first; /* who goes first after a beginning: by the variables, by chance */
  bool strict;
  bool explain;
  bool iterative;
  bool coverage;
  bool keep_going;
  bool until_bug;
  bool quiet;
  bool spurious;
  bool trace;
  bool gdb;
  bool interactive;
  bool force;
  const char *html;
  bool no_page;
  bool allocate;
  bool tap;
  bool list;
  bool help;

  char **words; /* the whole command line, from the subcommand's name on */
  size_t word_count;
  char **operands; /* programs, source files or schedule files, into argv */
  size_t operand_count;
  char **args; /* what stood after `--`, into argv */
  size_t arg_count;
};

/* Parses argv[1 …] (argv[0] is the subcommand's name) for the subcommand `who`, one of FOR_*. False: an error was
 * printed, the status is STATUS_USAGE. When options->help is set the rest was not looked at. */
bool options_parse(struct options *options, unsigned who, int argc, char **argv);

/* The options of a subcommand, with defaults, for its help. */
void options_help(FILE *out, unsigned who);

/* The nearest of `count` names to a word a person typed, or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* The number of cores this process may use. */
unsigned core_count(void);

#endif
