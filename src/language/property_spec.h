/* SPDX-License-Identifier: Apache-2.0
 *
 * Specifications of properties, as they are written:
 *
 *     SafeIteration(list_t *l, iter_t *i) {
 *       creation event create after(list_t *l) returning(iter_t *i) : call(iter_new(..)) && target(l) {}
 *       event modify before(list_t *l) : (call(list_add*(..)) || call(list_clear(..))) && target(l) {}
 *       event next before(iter_t *i) : call(iter_next(..)) && target(i) {}
 *       ere: create next* modify+ next
 *       @match { "the list was changed while it was iterated" }
 *     }
 *
 * Header, variables of the monitor, events, the property in one of six formalisms, handlers;
 * docs/guide/howto-properties.md tells the whole language. This is the text and nothing more: which functions a program
 * has, and how traces are read, comes later (property_compile.h).
 */
#ifndef HEDDLE_LANGUAGE_PROPERTY_SPEC_H
#define HEDDLE_LANGUAGE_PROPERTY_SPEC_H

#include "core/property.h"
#include "language/tokens.h"

#define SPEC_VALUES PROPERTY_ALL_VALUES /* of an event */
#define SPEC_POINTS 256
#define SPEC_CODE 1024
#define SPEC_NODES 1024
#define SPEC_STATES 256
#define SPEC_ARROWS 4096
#define SPEC_NONTERMINALS 64
#define SPEC_SYMBOLS 2048
#define SPEC_PATTERN 64

#define SPEC_FORMALISMS(X) X(FSM, "fsm") X(ERE, "ere") X(LTL, "ltl") X(PTLTL, "ptltl") X(CFG, "cfg") X(SRS, "srs")
enum formalism {
#define X(id, name) FORMALISM_##id,
  SPEC_FORMALISMS(X)
#undef X
      FORMALISM_COUNT
};

/* Where an event happens: a tree of these, the operands by index + 1. */
enum point_kind {
  POINT_AND,
  POINT_OR,
  POINT_NOT,
  POINT_CALL,   /* of a function whose name fits the pattern */
  POINT_MARK,   /* hd_event(), by name */
  POINT_START,  /* of a thread */
  POINT_END,    /* of a thread */
  POINT_ACCESS, /* of a variable, by name */
  POINT_LOCK,   /* of a mutex, by name */
  POINT_UNLOCK,
  POINT_BIND,      /* a value has a source */
  POINT_CONDITION, /* code */
  POINT_THREAD,    /* the name of the thread */
  POINT_BLOCKED    /* another thread must be: its name, or code for its number */
};

struct point {
  enum point_kind kind;
  uint32_t left, right;
  char text[SPEC_PATTERN];
  uint8_t value, source; /* POINT_BIND */
  uint8_t accesses;      /* POINT_ACCESS: ACCESS_READS and the like */
  uint32_t code;
  bool uses_variables; /* the condition does */
  struct token at;
};

struct spec_value {
  char name[PROPERTY_NAME];
  uint8_t width;
  bool is_signed, is_pointer;
};

struct spec_event {
  char name[PROPERTY_NAME];
  bool creation, destroys, after;
  uint32_t values;
  struct spec_value value[SPEC_VALUES];
  bool returned[SPEC_VALUES];   /* it is what the function returned */
  bool own_thread[SPEC_VALUES]; /* it is the number of the thread, and has no name */
  uint32_t points;              /* the tree */
  uint32_t body;                /* code, 0 for none */
  struct token at;
};

/* Formulas of ERE, LTL and PTLTL: operands by index + 1, 0 for none. */
enum formula_kind {
  FORMULA_EVENT, /* left: its number */
  FORMULA_EMPTY_WORD,
  FORMULA_TRUE,
  FORMULA_FALSE,
  FORMULA_NOT,
  FORMULA_AND,
  FORMULA_OR,
  FORMULA_IMPLIES,
  FORMULA_THEN, /* one word behind the other */
  FORMULA_STAR,
  FORMULA_NEXT,
  FORMULA_ALWAYS,
  FORMULA_EVENTUALLY,
  FORMULA_UNTIL,
  FORMULA_RELEASE,
  FORMULA_PREVIOUS,
  FORMULA_HISTORICALLY,
  FORMULA_ONCE,
  FORMULA_SINCE
};

struct formula {
  enum formula_kind kind;
  uint32_t left, right;
};

struct spec_arrow {
  uint16_t from, event, to;
};

/* Symbols of CFG and SRS: an event, or one of these. */
enum { SPEC_NONTERMINAL = 100, SPEC_END = 1000, SPEC_TO_FAIL, SPEC_TO_SUCCEED };

struct spec {
  char name[PROPERTY_NAME];
  bool enforced;
  struct token at;
  uint32_t parameters, variables, events;
  struct spec_value parameter[PROPERTY_PARAMETERS];
  char variable[PROPERTY_VARIABLES][PROPERTY_NAME];
  int64_t initial[PROPERTY_VARIABLES];
  struct spec_event event[PROPERTY_EVENTS];
  uint32_t points, codes;
  struct point point[SPEC_POINTS];
  int64_t code[SPEC_CODE]; /* the first word is unused */

  enum formalism formalism;
  uint32_t nodes, root; /* root: index + 1 */
  struct formula node[SPEC_NODES];
  uint32_t states, arrows, aliases;
  char state[SPEC_STATES][PROPERTY_NAME];
  bool described[SPEC_STATES]; /* it has its brackets */
  struct spec_arrow arrow[SPEC_ARROWS];
  char alias[PROPERTY_ALIASES][PROPERTY_NAME];
  bool in_alias[PROPERTY_ALIASES][SPEC_STATES];
  /* CFG: nonterminal, right side, SPEC_END. SRS: left side, SPEC_END, right side, SPEC_END. */
  uint32_t nonterminals, symbols;
  char nonterminal[SPEC_NONTERMINALS][PROPERTY_NAME];
  uint16_t symbol[SPEC_SYMBOLS];

  unsigned depth; /* of brackets and operators, while it is read */

  uint32_t reach, leave;        /* categories: struct property */
  char category[PROPERTY_NAME]; /* the one that the handler is for */
  char message[PROPERTY_MESSAGE], deadlock[PROPERTY_MESSAGE];
  char calls[HANDLED][PROPERTY_NAME]; /* functions of the program, empty: none */
  struct token script[HANDLED];       /* in Lua */
};

/* Reads the next one. False at the end of the text and after an error. */
bool spec_read(struct tokens *t, struct spec *s);

/* Of a token: the event's number, or PROPERTY_EVENTS and an error. */
uint32_t spec_event_number(struct tokens *t, const struct spec *s, const struct token *name);
/* After "ere:" and the like (property_formula.c). */
void spec_read_property(struct tokens *t, struct spec *s);
/* An expression of C, or the statements of a body with its braces (property_expression.c). Where its code begins. */
uint32_t spec_read_condition(struct tokens *t, struct spec *s, const struct spec_event *event, bool *uses_variables);
uint32_t spec_read_body(struct tokens *t, struct spec *s, struct spec_event *event);
bool spec_read_number(struct tokens *t, int64_t *number);
/* Around what can be nested: false, with an error, if it is too deep. */
bool spec_enter(struct tokens *t, struct spec *s);
void spec_leave(struct spec *s);

#endif
