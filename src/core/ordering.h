/* SPDX-License-Identifier: Apache-2.0
 *
 * Orderings: what a test says about the order of its events, as bytes that mean the same everywhere. The text that it
 * is made from is language/order_parse.h's.
 *
 * An ordering is a set of rules "condition -> event": the event may not happen while the condition is false. A
 * condition is made of leaves by "and" and "or": `a`, a has happened; `[a]`, a has happened and the thread that it
 * happened in is blocked at this moment. Rules with the same event must all hold. An event happens once.
 *
 * A thread without a name is known by who created it: T2 is main's second, T2.1 the first of that.
 *
 * Here is only what follows from which events have happened and whose threads are blocked, both as sets; who knows
 * that, and holds threads back or tells of it, is elsewhere.
 */
#ifndef HEDDLE_CORE_ORDERING_H
#define HEDDLE_CORE_ORDERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDERING_EVENTS 64 /* a set of them is a word */
#define ORDERING_RULES 64
#define ORDERING_WORDS 512
#define ORDERING_DEPTH 24 /* of a condition: more than anybody can read */
#define ORDERING_THREADS 16
#define ORDERING_ARROWS 64
#define ORDERING_NAME 48
#define ORDERING_THREAD 24

enum ordering_event_kind {
  ORDERING_MARK, /* a thread comes to a marker of that name */
  ORDERING_START,
  ORDERING_END /* of a thread */
};

struct ordering_event {
  uint8_t kind;                 /* enum ordering_event_kind */
  bool bracketed;               /* some condition asks whether its thread is blocked */
  char name[ORDERING_NAME];     /* of the marker; "start" or "end" for the others */
  char thread[ORDERING_THREAD]; /* empty: whichever comes there */
  uint16_t line, column;        /* where the text names it first */
};

enum ordering_word_kind {
  ORDERING_OCCURRED,
  ORDERING_BLOCKED,
  ORDERING_STANDS, /* of formulas (core/formula.h): whether a thread is blocked, */
  ORDERING_AND,
  ORDERING_OR,
  ORDERING_NOT,
  ORDERING_LEADS /* and the rest of them */
};

static inline bool ordering_is_leaf(enum ordering_word_kind kind)
{
  return kind <= ORDERING_STANDS;
}

/* Conditions are in postfix notation. */
struct ordering_word {
  uint8_t kind;  /* enum ordering_word_kind */
  uint8_t event; /* of a leaf; the number of a thread, of an arrow */
};

struct ordering_rule {
  uint8_t event; /* must wait for the condition */
  uint16_t first, length;
  uint16_t line, column; /* of its first character in the text */
};

struct ordering {
  char name[ORDERING_NAME];
  bool pinned;     /* when it cannot be followed, whoever is held is let go */
  bool is_formula; /* there are no rules, and the words are one condition */
  uint32_t events, rules, words, threads, arrows;
  uint64_t guarded; /* events that some rule holds back */
  uint64_t asked;   /* events that some condition asks for */
  struct ordering_event event[ORDERING_EVENTS];
  struct ordering_rule rule[ORDERING_RULES];
  struct ordering_word word[ORDERING_WORDS];
  char thread[ORDERING_THREADS][ORDERING_THREAD]; /* that a formula asks for */
};

#define ORDERING_BIT(event) (UINT64_C(1) << (event))

/* What has happened so far: events, and bracketed ones whose threads are blocked now. */
struct ordering_moment {
  uint64_t occurred, blocked;
};

/* Over many executions: sets of events. */
struct ordering_tally {
  uint64_t executions; /* that were to keep it */
  uint64_t happened, repeated;
  uint64_t ended, kept; /* of a formula: executions that came to their end, and at whose end it held */
};

#define ORDERINGS_MOST 16

/* Those that a test names. */
struct orderings {
  uint32_t count;
  uint32_t now; /* the one that this execution is to keep, from 1; 0: none */
  struct ordering ordering[ORDERINGS_MOST];
  struct ordering_tally tally[ORDERINGS_MOST];
};

/* The event of that kind, name and thread (NULL: none that is known), from 1; 0: the ordering does not name it. */
unsigned ordering_event_of(const struct ordering *o, enum ordering_event_kind kind, const char *name,
                           const char *thread);

/* How a thread is called by who created it, as its how many-eth child; main's own is "main". */
void ordering_child_name(const char *parent, unsigned nth, char out[ORDERING_THREAD]);

/* Whether the condition of the rule holds. */
bool ordering_rule_holds(const struct ordering *o, const struct ordering_rule *rule, struct ordering_moment at);
/* Whether all conditions of the event do. */
bool ordering_admits(const struct ordering *o, unsigned event, struct ordering_moment at);
/* The bracketed events that conditions of the event ask for. */
uint64_t ordering_brackets(const struct ordering *o, unsigned event);

/* Each writes words and returns how many characters, always terminated. "afterAdd@adder". */
size_t ordering_event_text(const struct ordering *o, unsigned event, char *out, size_t size);
/* The rule, with as few parentheses as it needs: "(a || [b]) && c -> d". */
size_t ordering_rule_text(const struct ordering *o, const struct ordering_rule *rule, char *out, size_t size);
/* A part of a formula, by its last word. */
size_t ordering_term_text(const struct ordering *o, unsigned last, char *out, size_t size);
/* Where the words begin of the condition that ends there. */
unsigned ordering_term_begin(const struct ordering *o, unsigned last);
/* What the event waits for: "afterAdd1, which has not happened; [beforeTake2], whose thread is not blocked". */
size_t ordering_unmet_text(const struct ordering *o, unsigned event, struct ordering_moment at, char *out, size_t size);

#endif
