/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on a terminal: escaping, columns, colours, wrapping. Knows nothing of bugs. Of no concern outside the reports.
 *
 * A column is a code point: wide and combining characters are counted as one.
 */
#ifndef HEDDLE_REPORT_TERMINAL_TEXT_H
#define HEDDLE_REPORT_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_BAD, STYLE_GOOD, STYLE_REMARK, STYLE_THREAD };

/* A line under construction: what does not fit into the columns left is cut, with a mark. */
struct line {
  FILE *out;
  unsigned left;   /* columns */
  unsigned blanks; /* owed before the next text, so that no line ends in blanks */
  bool colour;
};

void line_begin(struct line *line, FILE *out, unsigned width, bool colour);

/* Adds text, escaped, and fills it up to pad columns, if not 0 with at least one blank. STYLE_THREAD + n is the colour
 * of thread n. */
void line_put(struct line *line, unsigned style, const char *text, unsigned pad);
void line_end(struct line *line);

/* Columns of a text as line_put would print it, without the fill. */
unsigned text_width(const char *text);

/* A text of at most so many columns: of a longer one the middle is left out, with a mark. */
void leave_out_middle(const char *text, unsigned columns, char *out, size_t n);

/* Prints text as lines of at most width columns, all indented but the first, broken between words. */
void print_wrapped(FILE *out, const char *text, unsigned indent, unsigned width);

/* A path or another word as a shell takes it; cut when it does not fit. */
void shell_word(const char *word, char *out, size_t n);

/* The same, printed whole. */
void print_shell_word(FILE *out, const char *word);

/* Appends to a text of size n (like snprintf, cut when too long). */
__attribute__((format(printf, 3, 4))) void append(char *out, size_t n, const char *format, ...);

#endif
