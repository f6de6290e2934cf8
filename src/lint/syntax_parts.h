/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that read nodes from cursors share. Of no concern outside of syntax_read*.c.
 */
#ifndef HEDDLE_LINT_SYNTAX_PARTS_H
#define HEDDLE_LINT_SYNTAX_PARTS_H

#include "lint/syntax_cursor.h"

#ifdef HEDDLE_HAS_LIBCLANG

/* Exactly one node with what is below it. */
void read_cursor(struct syntax_reader *r, CXCursor cursor, bool condition);

/* On the stack from there on; *count of them. */
size_t children_of(struct syntax_reader *r, CXCursor cursor, size_t *count);
/* Not the names of types and the like. */
bool is_code(const struct syntax_reader *r, CXCursor cursor);

/* Ends an ASSIGN: `n += -1` is `n -= 1`. */
void end_assignment(struct syntax_reader *r, uint32_t node);

static inline void set_text(struct syntax_reader *r, uint32_t node, uint32_t text)
{
  if (!r->draft->failed)
    r->draft->node[node].text = text;
}

static inline void set_symbol(struct syntax_reader *r, uint32_t node, uint32_t symbol)
{
  if (!r->draft->failed)
    r->draft->node[node].symbol = symbol;
}

static inline void set_operator(struct syntax_reader *r, uint32_t node, enum syntax_operator op)
{
  if (!r->draft->failed)
    r->draft->node[node].op = (uint8_t)op;
}

/* What a unit says of a function, but for its node. */
struct syntax_function function_of_cursor(struct syntax_reader *r, CXCursor cursor, uint32_t symbol);

/* ---- lambdas (syntax_read_lambda.c) ---- */

void read_lambda(struct syntax_reader *r, CXCursor cursor, const struct extent *e);
/* False: it is no conversion of a lambda. */
bool read_lambda_conversion(struct syntax_reader *r, CXCursor callee, size_t first, size_t count);
/* Those that were read since, behind all that is there: a function has ended. */
void put_lambdas(struct syntax_reader *r);

/* ---- atomic functions (syntax_read_atomics.c): false if it is none ---- */

/* A call whose children are on the stack, with the callee first; of an operator that stands behind its object. */
bool read_atomic_call(struct syntax_reader *r, CXCursor callee, const char *name, size_t first, size_t count,
                      uint32_t line);
/* A builtin that is no function for libclang. */
bool read_atomic_builtin(struct syntax_reader *r, const char *name, size_t first, size_t count, uint32_t line);
/* A constructor of an atomic type. */
bool read_atomic_value(struct syntax_reader *r, CXCursor callee, size_t first, size_t count);
/* The use of a macro; its text. */
bool read_atomic_macro(struct syntax_reader *r, CXCursor cursor, const char *text, const struct extent *e);

#endif
#endif
