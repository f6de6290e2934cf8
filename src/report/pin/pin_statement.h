/* SPDX-License-Identifier: Apache-2.0
 *
 * The statement of a C or C++ source at a place of it, found by its punctuation and keywords alone: no types are known,
 * no macros expanded. Pure.
 */
#ifndef HEDDLE_REPORT_PIN_STATEMENT_H
#define HEDDLE_REPORT_PIN_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum source_statement_kind {
  STATEMENT_SIMPLE,      /* an expression and `;` */
  STATEMENT_DECLARATION, /* the same with a name that is new */
  STATEMENT_JUMP,        /* return, break, …, throw: nothing comes behind it */
  STATEMENT_IF,          /* the condition of an if or a switch */
  STATEMENT_LOOP         /* that of a while, for or do, evaluated time and again */
};

struct source_statement {
  enum source_statement_kind kind;
  size_t from, to;             /* all of it with its `;`; of a condition: from its keyword to behind its parenthesis */
  size_t value_from, value_to; /* the expression: of a for, the part of it that the place is in */
  bool bare;                   /* the body of an if, else or loop, without braces of its own */
};

/* The same length, but with blanks for comments and lines of the preprocessor, and x for what is in quotes; malloc'ed,
 * NULL: no memory. */
char *source_without_comments(const char *text, size_t length);

/* The statement around a place, or the first one behind it on its line. `code` is a text without comments. False: there
 * is none. */
bool statement_at(const char *code, size_t length, size_t place, struct source_statement *out);

/* Behind the last line at the outermost level that includes something, before any function; 0: there is none. */
size_t behind_includes(const char *text, size_t length);

#endif
