/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command line says: results on standard output, notes and errors on standard error, and what is drawn live
 * (live.h).
 *
 * All text for the user goes through here or through report/, so that what is drawn is erased first and --quiet and
 * --color hold everywhere. Nothing here decides or keeps results.
 */
#ifndef HEDDLE_SESSION_CONSOLE_H
#define HEDDLE_SESSION_CONSOLE_H

#include "estimate/scaled.h"
#include "session/live.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STATUS_OK 0     /* nothing found */
#define STATUS_BUG 1    /* a bug was found */
#define STATUS_USAGE 2  /* the command or its input is wrong */
#define STATUS_FAILED 3 /* heddle could not do it */

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Call once after the options are known. plain: nothing live is drawn. stdout_taken: standard output carries the JSON
 * document, text goes to stderr. */
void console_setup(bool quiet, bool plain, enum color_mode color, bool stdout_taken);

/* Where results are printed; what is drawn live is erased first. */
FILE *console_out(void);
bool console_quiet(void);
bool console_colour(void);

/* Columns of the terminal results are printed on, 0 when it is none. */
unsigned console_width(void);

/* A result line, not printed with --quiet. */
void console_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "heddle: …" on standard error; notes not with --quiet. */
void console_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void console_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text of the last error that was said; empty for none. */
const char *console_last_error(void);

/* 1234567 as "1,234,567". */
#define COUNT_SIZE 32
const char *format_count(uint64_t n, char out[COUNT_SIZE]);

/* The same of an estimate, and 1.2e+30 as it is. */
const char *format_estimate(struct scaled n, char out[COUNT_SIZE]);

/* "1 of them a preemption", "3 of them preemptions". */
const char *format_preemptions(unsigned n, char out[COUNT_SIZE]);

/* Seconds as a person would say them: "0.02 s", "1.5 s", "75 s". */
const char *format_seconds(double seconds, char out[COUNT_SIZE]);

/* Text of the tested program, one line of ours for each of its own, indented, control characters escaped. When there is
 * too much the middle is left out. */
void print_indented(FILE *out, const char *text, size_t length);

/* Monotonic seconds. */
double now_seconds(void);

#endif
