/* SPDX-License-Identifier: Apache-2.0
 *
 * Orderings: what a test says about the order of its events, as bytes that mean the same everywhere. The text that it
 * is made from is language/order_parse.h's.
 *
 * An ordering is a set of rules "condition -> event": the event may not happen while the condition is false. A
 * condition is made of leaves by "and" and "or": `a`, a has happened; `[a]`, a has happened and the thread that it
 * happened in is blocked at this moment. Rules with the same event must all hold. An event happens once.
 *
 * Here is only what follows from which events have happened and whose threads are blocked, both as sets; who knows
 * that, and holds threads back or tells of it, is elsewhere.
 */
#ifndef HEDDLE_CORE_ORDERING_H
#define HEDDLE_CORE_ORDERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_EVENTS 64 /* a set of them is a word */
#define ORDER_RULES 64
#define ORDER_WORDS 512
#define ORDER_DEPTH 24 /* of a condition: more than anybody can read */
#define ORDER_NAME 48
#define ORDER_THREAD 24

enum order_event_kind {
  ORDER_MARK, /* a thread comes to a marker of that name */
  ORDER_START,
  ORDER_END /* of a thread */
};

struct order_event {
  uint8_t kind;              /* enum order_event_kind */
  bool bracketed;            /* some condition asks whether its thread is blocked */
  char name[ORDER_NAME];     /* of the marker; "start" or "end" for the others */
  char thread[ORDER_THREAD]; /* empty: whichever comes there */
};

enum order_word_kind { ORDER_OCCURRED, ORDER_BLOCKED, ORDER_AND, ORDER_OR };

/* Conditions are in postfix notation. */
struct order_word {
  uint8_t kind;  /* enum order_word_kind */
  uint8_t event; /* of a leaf */
};

struct order_rule {
  uint8_t event; /* must wait for the condition */
  uint16_t first, length;
  uint16_t line, column; /* of its first character in the text */
};

struct ordering {
  char name[ORDER_NAME];
  uint32_t events, rules, words;
  uint64_t guarded; /* events that some rule is about */
  struct order_event event[ORDER_EVENTS];
  struct order_rule rule[ORDER_RULES];
  struct order_word word[ORDER_WORDS];
};

#define ORDER_BIT(event) (UINT64_C(1) << (event))

/* What has happened so far: events, and bracketed ones whose threads are blocked now. */
struct order_moment {
  uint64_t occurred, blocked;
};

/* The event of that kind, name and thread (NULL: none that is known), from 1; 0: the ordering does not name it. */
unsigned order_event_of(const struct ordering *o, enum order_event_kind kind, const char *name, const char *thread);

/* Whether the condition of the rule holds. */
bool order_rule_holds(const struct ordering *o, const struct order_rule *rule, struct order_moment at);
/* Whether all conditions of the event do. */
bool order_admits(const struct ordering *o, unsigned event, struct order_moment at);
/* The bracketed events that conditions of the event ask for. */
uint64_t order_brackets(const struct ordering *o, unsigned event);

/* Each writes words and returns how many characters, always terminated. "afterAdd@adder". */
size_t order_event_text(const struct ordering *o, unsigned event, char *out, size_t size);
/* The rule, with as few parentheses as it needs: "(a || [b]) && c -> d". */
size_t order_rule_text(const struct ordering *o, const struct order_rule *rule, char *out, size_t size);
/* What the event waits for: "afterAdd1, which has not happened; [beforeTake2], whose thread is not blocked". */
size_t order_unmet_text(const struct ordering *o, unsigned event, struct order_moment at, char *out, size_t size);

#endif
