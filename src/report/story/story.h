/* SPDX-License-Identifier: Apache-2.0
 *
 * Stories: a bug and the execution that shows it, told on a terminal.
 *
 * Out of a trace of maybe a million events a story picks those that matter: what touches the memory and the objects
 * the bug is about, the context switches between them, and the last steps before it. It only formats what it is
 * handed: it runs nothing and decides nothing. All text that comes from the tested program is printed with control
 * characters escaped. Printing cannot fail; the caller checks ferror(out).
 */
#ifndef HEDDLE_REPORT_STORY_H
#define HEDDLE_REPORT_STORY_H

#include "core/bug.h"
#include "core/control.h"
#include "core/monitor_trace.h"
#include "debuginfo/symbols.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STORY_WIDTH 110 /* when width is 0 */

/* An event as a story tells it, in words that outlive the trace. */
struct story_step {
  uint64_t step;
  uint32_t thread;
  bool marked;        /* another thread than in the one before */
  bool preempted;     /* and that one could have gone on */
  size_t event, last; /* indices into the trace: two, when it stands for several events alike */
  uintptr_t pc;
  char text[512];   /* "writes balance[1] ← 150: T2's update is lost" */
  char remark[128]; /* "T2's update is lost"; empty for none */
};

struct story {
  const struct bug *bug;            /* NULL: only a trace (trace_log.h) */
  const struct trace_event *events; /* of the replay; may be NULL */
  size_t event_count;               /* kept in events */
  uint64_t event_total;             /* that there were; 0 means event_count */
  const struct trace_event *left;   /* what the threads were about to do at the end; may be NULL */
  size_t left_count;
  const struct monitor_trace *monitors; /* what monitors of properties read; NULL: nothing is known of that */
  const struct story_step *steps;       /* the events that are told, when those of the trace are gone; may be NULL */
  size_t step_count;
  const struct thread_info *threads; /* of the same execution; may be NULL */
  uint32_t thread_count;
  struct symbols *symbols; /* may be NULL: addresses are printed */
  uint64_t executions;     /* "after N executions"; 0: not said */
  const char *schedule;    /* path of the .hd file; NULL: no commands to replay and debug */
  const char *client;      /* the command those need as --client; NULL: none */
  const char *page;        /* path of the HTML page; NULL: none */
  const char *blame;       /* for the page, a JSON object: the switch that is to blame; NULL: not known */
  const char *minimised;   /* for the page, a JSON object: the smallest test that fails; NULL: none */
  const char *tried;       /* what the execution was to show, a line each (tried_text.h); NULL: nothing in particular */
  bool explained;          /* by what is said below the story: it does not name the mistake itself */
  bool warning;            /* what it tells of is reported, but ends no search */
  unsigned width;          /* columns, 0 for STORY_WIDTH; at least 60 are used */
  bool colour;             /* the caller has looked at isatty and NO_COLOR */
};

/* What a bug is, in one line: "assertion failed: total == 200", "deadlock: T1 and T2 wait for each other". */
void bug_message(const struct story *story, char *out, size_t n);

/* Where it shows: "bank.c:41"; empty when nowhere in particular. */
void bug_where(const struct story *story, char *out, size_t n);

/* The whole story: headline, events or sentences, switches; with the commands. */
void story_print(FILE *out, const struct story *story);
void story_tell(FILE *out, const struct story *story); /* without */

/* What one can do with it: commands with its schedule, and its page. */
void story_commands(FILE *out, const struct story *story);

/* One of them: "  debug    heddle replay --gdb FILE". Nothing when there is no schedule. */
void story_command(FILE *out, const struct story *story, const char *what, const char *command);

/* Only the headline, for a list of bugs. */
void story_headline(FILE *out, const struct story *story);

/* Of a race on a variable of which another one was told: the two sides, in one line. */
void story_another_race(FILE *out, const struct story *story);

/* Only what it says of the threads that have a part in the bug, a sentence a line, indented by 4; by 8 the calls that
 * led there. */
void story_sentences(FILE *out, const struct story *story);

/* The events that story_print tells, malloc'ed. NULL: there are none, or there is no memory. */
struct story_step *story_steps(const struct story *story, size_t *count);

/* Context switches of the trace, and how many of them were preemptions. */
struct story_switches {
  uint64_t switches;
  uint64_t preemptions;
};
struct story_switches story_count_switches(const struct trace_event *events, size_t count);

/* Copies text with control characters (and bytes that are not UTF-8) as \n, \t, \x1b. Cuts at n at a whole character.
 * Cannot fail; n must not be 0. */
void escape_text(const char *text, char *out, size_t n);

/* The same, printed whole. Every text that is not heddle's own (names of files, tests, threads and variables, lines of
 * the program) reaches a terminal by one of these two, or by line_put and print_wrapped (terminal_text.h), which use
 * them. */
void print_escaped(FILE *out, const char *text);

#endif
