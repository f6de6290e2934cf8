/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of an assembler file in AT&T syntax, taken apart: lines, statements, instructions and their operands.
 * Nothing is copied; a span is a piece of the text.
 */
#ifndef HEDDLE_ASSEMBLE_STATEMENT_H
#define HEDDLE_ASSEMBLE_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

struct span {
  const char *at;
  size_t length;
};

#define SPAN(s) (int)(s).length, (s).at /* for %.*s */

bool span_is(struct span s, const char *text);
bool span_begins(struct span s, const char *text);
bool span_has(struct span s, const char *text);
struct span span_trim(struct span s);

/* Takes the first line off the text, without its end; false if there is none. */
bool take_line(struct span *text, struct span *line);

enum statement_kind { STATEMENT_NOTHING, STATEMENT_LABEL, STATEMENT_DIRECTIVE, STATEMENT_INSTRUCTION };

struct statement {
  enum statement_kind kind;
  struct span text; /* a label without its colon */
};

/* Takes the first statement off the line, without blanks and comments; false if there is none. */
bool take_statement(struct span *line, struct statement *out);

#define OPERANDS 5

struct instruction {
  struct span mnemonic; /* empty: prefixes alone, which belong to the next instruction */
  struct span operand[OPERANDS];
  unsigned operands;
  bool lock, repeats;
};

struct instruction instruction_parse(struct span text);

/* ---- operands ---- */

enum register_class { REGISTER_NONE, REGISTER_GENERAL, REGISTER_VECTOR, REGISTER_OTHER };

struct register_name {
  enum register_class class;
  unsigned number; /* general: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15 */
  unsigned size;   /* bytes */
  bool high;       /* ah, bh, ch, dh */
};

/* What a name without its % means. */
struct register_name register_of(struct span name);
/* Calls visit for each register that the text mentions. */
void each_register(struct span text, void (*visit)(void *context, struct register_name r), void *context);
/* The operand as a register; of class REGISTER_NONE if it is none. */
struct register_name operand_register(struct span operand);
bool operand_is_memory(struct span operand);

/* ---- lines of directives ---- */

/* "\t.directive\targuments", without the directive; empty if it is another one. */
struct span directive_arguments(struct span line, const char *directive);
/* Whether a directive says in which section the next lines are. */
bool selects_section(struct span line);

#endif
