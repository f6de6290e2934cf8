/* SPDX-License-Identifier: Apache-2.0
 *
 * The statements of a C or C++ file, as far as one must know them to put calls between them: where each begins and
 * ends, which stand in a list (between braces), what they call. Read from the text as it is written, before the
 * preprocessor: macros are names, lines of the preprocessor are blanks. Pure: nothing is read or written, and nothing
 * is judged: what is no C is found out by the compiler.
 *
 * In C++, bodies of lambdas that threads run, or that have names, are functions of their own. What is in classes is not
 * looked at: a test calls it.
 */
#ifndef HEDDLE_LANGUAGE_C_STATEMENTS_H
#define HEDDLE_LANGUAGE_C_STATEMENTS_H

#include <stdbool.h>
#include <stddef.h>

enum c_statement_kind {
  C_PLAIN,   /* an expression, a declaration */
  C_CONTROL, /* if, for, while, do, switch, and macros that stand for them */
  C_JUMP     /* return, break, continue, goto: nothing comes after it */
};

#define C_NONE ((size_t)-1)
#define C_NAME 64

struct c_statement {
  enum c_statement_kind kind;
  size_t begin, end; /* in the text; the end is behind the ';' or the '}' */
  size_t before;    /* where another may stand before it in all builds: its begin, or before its #if; C_NONE: nowhere */
  size_t function;  /* that it is in */
  bool conditional; /* only some builds have it: it is in an #if that the function is not in as a whole */
  bool in_list;     /* it stands between braces, so that another may stand before and behind it */
  size_t after;     /* the one before it in its list; C_NONE: it is the first */
  bool last;        /* in its list */
  bool loops;       /* it is in a loop */
  bool counts;      /* all loops that it is in are such that count: for (…; …; …) */
  bool alone;       /* nothing else in the innermost loop calls anything */
  bool calls;       /* it calls something: itself, not in braces that it has */
  bool sleeps;      /* it is nothing but a call that sleeps */
  char call[C_NAME]; /* the call that it is about: not what only checks its result */
};

struct c_function {
  char name[C_NAME];
  size_t begin, end; /* of its body */
  unsigned callers;  /* places in the file that call it by its name */
  bool sleeps;       /* it calls something that sleeps */
  bool only_sleeps;  /* and nothing else: a name for a sleep */
  bool creates;      /* it creates threads */
};

struct c_file {
  struct c_statement *statement; /* in the order of their beginnings */
  size_t statements;
  struct c_function *function;
  size_t functions;
  size_t after_includes; /* where a line can stand behind all #include that are not in an #if; 0: there are none */
};

/* Whether a call of that name only checks the result of another. */
bool c_only_checks(const char *name);

/* False: no memory, or what is between braces does not end; nothing is left to free. */
bool c_file_read(struct c_file *file, const char *text, size_t length, bool cxx);
void c_file_free(struct c_file *file);

#endif
