/* SPDX-License-Identifier: Apache-2.0
 *
 * The facts of one translation unit: its functions as small trees, with the symbols and texts that they name. Plain
 * data that knows no libclang, and the same as bytes in a file.
 *
 * Nodes stand in preorder; `size` counts a node and all below it, so the next sibling of node n is n + size. Casts,
 * parentheses and what the compiler adds are left out. Statements have slots, which are EMPTY where nothing is written:
 *
 *   FUNCTION   its parameters (VARIABLE), body        IF      condition, then, else
 *   FOR        init, condition, step, body            WHILE   condition, body
 *   DO         body, condition                        SWITCH  value, body
 *   RANGE_FOR  what is walked through, body           CASE    value, statement (DEFAULT, LABEL: statement)
 *   BINARY     left, right (ASSIGN, too)              UNARY   what it is of
 *   LAMBDA     what it captures, as a LIST; its symbol is a function with its parameters and body
 *   CALL       what is called, arguments              MACRO   what it expands to (a use of a macro with arguments)
 *
 * A method that has a body, and each that it overrides, directly or not, are a pair of symbols.
 *
 * The text of a condition's parts (its leaves, and both sides of a comparison) is that of the source.
 */
#ifndef HEDDLE_LINT_SYNTAX_H
#define HEDDLE_LINT_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYNTAX_NONE UINT32_MAX

enum syntax_kind {
  SYNTAX_EMPTY,
  SYNTAX_FUNCTION,
  SYNTAX_VARIABLE, /* a declaration, with its initial value below it */
  SYNTAX_BLOCK,
  SYNTAX_IF,
  SYNTAX_FOR,
  SYNTAX_RANGE_FOR,
  SYNTAX_WHILE,
  SYNTAX_DO,
  SYNTAX_SWITCH,
  SYNTAX_CASE,
  SYNTAX_DEFAULT,
  SYNTAX_BREAK,
  SYNTAX_CONTINUE,
  SYNTAX_RETURN,
  SYNTAX_GOTO,
  SYNTAX_LABEL,
  SYNTAX_THROW,
  SYNTAX_NAME,
  SYNTAX_MEMBER, /* of what is below it */
  SYNTAX_CALL,
  SYNTAX_BINARY,
  SYNTAX_ASSIGN,
  SYNTAX_UNARY,
  SYNTAX_CONDITIONAL,
  SYNTAX_NUMBER, /* a literal; its text is as spelled */
  SYNTAX_STRING,
  SYNTAX_INDEX,
  SYNTAX_SIZEOF,
  SYNTAX_NEW,
  SYNTAX_LAMBDA,
  SYNTAX_LIST,
  SYNTAX_MACRO,
  SYNTAX_OTHER,
  SYNTAX_KINDS
};

enum syntax_operator {
  OPERATOR_NONE,
  OPERATOR_LT,
  OPERATOR_GT,
  OPERATOR_LE,
  OPERATOR_GE,
  OPERATOR_EQ,
  OPERATOR_NE,
  OPERATOR_AND,
  OPERATOR_OR,
  OPERATOR_ADD,
  OPERATOR_SUB,
  OPERATOR_MUL,
  OPERATOR_DIV,
  OPERATOR_COMMA,
  OPERATOR_INCREMENT, /* ++, before or after */
  OPERATOR_DECREMENT,
  OPERATOR_NOT,
  OPERATOR_ADDRESS,
  OPERATOR_DEREFERENCE,
  OPERATOR_VIRTUAL,
  OPERATOR_OTHER,
  OPERATORS
};

struct syntax_node {
  uint8_t kind;  /* enum syntax_kind */
  uint8_t op;    /* of BINARY and UNARY; of ASSIGN NONE, ADD, SUB or OTHER; of a CALL VIRTUAL if the object's class
                    decides what overrides the method */
  uint16_t zero; /* 1: a NUMBER that is 0, false or NULL */
  uint32_t line;
  uint32_t size;
  uint32_t symbol; /* what it names, calls or jumps to, SYNTAX_NONE for none; of a CALL through a pointer one
                      without a name that has the type of what is called */
  uint32_t text;   /* see above; of a loop the macro it comes from, of a MACRO its name and its arguments */
};

enum {
  SYMBOL_LOCAL = 1, /* automatic, of a function */
  SYMBOL_PARAMETER = 2,
  SYMBOL_GLOBAL = 4, /* static ones of functions, too */
  SYMBOL_FIELD = 8,
  SYMBOL_ENUMERATOR = 16,
  SYMBOL_FUNCTION = 32,
  SYMBOL_LABEL = 64,
  SYMBOL_CONST = 128,
  SYMBOL_ATOMIC = 256,
  SYMBOL_VOLATILE = 512,
  SYMBOL_POINTER = 1024,
  SYMBOL_INTEGER = 2048, /* bool and enumerations, too */
  SYMBOL_CLEANED = 4096, /* a function is called with it at the end of its block: __attribute__((cleanup)) */
  SYMBOL_PURE = 8192     /* a method that says = 0 */
};

struct syntax_symbol {
  uint64_t id; /* the same in all units; of what is local to a function, in this unit only */
  uint32_t name, type;
  uint32_t flags;
  uint32_t zero;
};

struct syntax_function {
  uint32_t symbol; /* of a function, or of a global variable that is initialised with functions */
  uint32_t node;
  uint32_t file; /* a text: its path */
  uint32_t last; /* line */
};

struct syntax_override {
  uint32_t method, overridden; /* symbols */
};

/* A file that was read, and what was in it. */
struct syntax_source {
  uint64_t hash;
  uint32_t path;
  uint32_t zero;
};

/* All zero is an empty one. */
struct syntax {
  void *bytes; /* that all the rest is in, malloc'ed */
  size_t byte_count;
  const struct syntax_node *node;
  const struct syntax_symbol *symbol;
  const struct syntax_function *function;
  const struct syntax_override *override;
  const struct syntax_source *source;
  const char *text;
  uint32_t nodes, symbols, functions, overrides, sources, text_bytes;
  uint32_t problem; /* a text: the first error in the source; 0 for none */
};

static inline const char *syntax_text(const struct syntax *s, uint32_t text)
{
  return s->text + text;
}

static inline const char *syntax_name(const struct syntax *s, uint32_t symbol)
{
  return symbol == SYNTAX_NONE ? "" : s->text + s->symbol[symbol].name;
}

static inline uint32_t syntax_flags(const struct syntax *s, uint32_t symbol)
{
  return symbol == SYNTAX_NONE ? 0 : s->symbol[symbol].flags;
}

/* The number of a child; SYNTAX_NONE: there are fewer. */
uint32_t syntax_child(const struct syntax *s, uint32_t node, unsigned which);

/* Reads what syntax_draft_pack() made; takes the bytes, also when it fails. False: they are damaged, or of another
 * version. */
bool syntax_open(struct syntax *s, void *bytes, size_t count);
void syntax_close(struct syntax *s);

#endif
