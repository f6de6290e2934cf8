/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties, compiled: which orders of events a program allows, as bytes that mean the same in every process. A set of
 * them is a part of a job (job.h); language/property_compile.h makes it from specifications.
 *
 * A property has events, which rules find in what the program does: a call of a function, say, with values from its
 * arguments, or an access of a variable. Some of the values are parameters: each combination of these has its own
 * monitor (property_instances.h), which reads events as letters of an alphabet (monitor.h) and says to which categories
 * the trace so far belongs. A property is violated when it says so of a category that must not be reached, or no longer
 * of one that must not be left. One that is enforced is not violated: who would do that is held back until others have
 * brought its monitors where it is none.
 */
#ifndef HEDDLE_CORE_PROPERTY_H
#define HEDDLE_CORE_PROPERTY_H

#include <stdbool.h>
#include <stdint.h>

#define PROPERTIES 64 /* in a set */
#define PROPERTY_NAME 40
#define PROPERTY_PARAMETERS 4
#define PROPERTY_VARIABLES 4
#define PROPERTY_EVENTS 32
#define PROPERTY_VALUES 2     /* that an event takes to its monitors */
#define PROPERTY_ALL_VALUES 6 /* that it has */
#define PROPERTY_RULES 1024
#define PROPERTY_CODE 8192    /* words */
#define PROPERTY_EDGES 131072 /* of all tables: states × events */
#define PROPERTY_STATES 16384 /* of all tables */
#define PROPERTY_SYMBOLS 8192 /* of all grammars and systems of rules */
#define PROPERTY_NAMES 65536  /* bytes: of states */
#define PROPERTY_MESSAGE 120
#define PROPERTY_ALIASES 8
#define RULE_THREADS 4 /* names that the thread of an event has, or has not */

/* What a monitor can say of a trace; a set of these. */
enum {
  CATEGORY_FAIL = 1,
  CATEGORY_MATCH = 2,
  CATEGORY_VIOLATION = 4,
  CATEGORY_VALIDATION = 8,
  CATEGORY_SUCCEED = 16,
  CATEGORY_LOST = 32,  /* the monitor ran out of its memory: it says nothing any more */
  CATEGORY_ALIAS = 256 /* the first of PROPERTY_ALIASES: groups of states that a specification names */
};

enum monitor_kind {
  MONITOR_TABLE,    /* a finite automaton */
  MONITOR_GRAMMAR,  /* of any kind that is free of context (monitor_chart.h) */
  MONITOR_REWRITING /* rules by which the trace is rewritten (monitor_word.h) */
};

struct property_monitor {
  uint32_t kind;    /* enum monitor_kind */
  uint32_t states;  /* table: it begins in state 0 */
  uint32_t letters; /* events of the property, in their order */
  uint32_t next;    /* table: where its edges begin in `edge`; the others: where their symbols do in `symbol` */
  uint32_t category, state_name; /* table: where those of its states begin */
};

/* Values of an event: where they come from. */
enum value_source { VALUE_ARGUMENT, VALUE_RESULT = 6, VALUE_THREAD, VALUE_SIGNAL, VALUE_NONE };
/* How many bytes of them count, and whether the highest bit is a sign. */
struct property_value {
  uint8_t source; /* enum value_source, or VALUE_ARGUMENT + its number from 0 */
  uint8_t width;
  bool is_signed;
  uint8_t parameter; /* of the property; PROPERTY_PARAMETERS: none, only for its conditions and its body */
};

struct property_event {
  char name[PROPERTY_NAME];
  bool creation;
  bool destroys; /* it is no letter: the objects that it binds are no more */
};

/* Where events come from. */
enum event_source {
  EVENT_OF_CALL,
  EVENT_OF_MARK,
  EVENT_OF_START,
  EVENT_OF_END,
  EVENT_OF_ACCESS,
  EVENT_OF_LOCK,
  EVENT_OF_UNLOCK
};
enum { ACCESS_READS = 1, ACCESS_WRITES = 2 };

/* What is done in the end, beside telling: of a category, of a deadlock. */
enum handled { HANDLED_CATEGORY, HANDLED_DEADLOCK, HANDLED };

/* When one of the property's events happens. Code is by offsets into `code`, 0 for none. */
struct property_rule {
  uint16_t property, event;
  uint8_t source;           /* enum event_source */
  bool after;               /* the call; otherwise before */
  uint16_t function;        /* of a call: number of the watched function (config.h), from 1 */
  uint8_t accesses;         /* of an access: ACCESS_READS and the like, those that are meant */
  char mark[PROPERTY_NAME]; /* the name of a mark, of a variable or of a mutex, else empty */
  uint32_t line, column;    /* where that is in the specification */
  uint64_t place, bytes;    /* of a variable or a mutex: where the program's file has it (property_events.h) */
  uint8_t threads;          /* only in threads of these names, and not in those of `not_in`, a set of them */
  uint8_t not_in;
  char thread[RULE_THREADS][16];
  uint8_t values, carried; /* all of them; the first, which go to the monitors */
  struct property_value value[PROPERTY_ALL_VALUES];
  bool waits;       /* until a thread is blocked: */
  char blocked[16]; /* the one of this name; empty: the one whose number the code says */
  uint32_t blocked_code;
  uint32_t asks;      /* looked at where the event happens; a rule whose answer is 0 is none */
  uint32_t condition; /* looked at by the monitor, since it depends on its variables */
  uint32_t body;
};

struct property {
  char name[PROPERTY_NAME];
  uint32_t line; /* in its file */
  uint32_t parameters, variables, events;
  char parameter[PROPERTY_PARAMETERS][PROPERTY_NAME];
  uint32_t pointers; /* which parameters are addresses; a set */
  int64_t initial[PROPERTY_VARIABLES];
  struct property_event event[PROPERTY_EVENTS];
  struct property_monitor monitor;
  bool enforced;                   /* threads are held back where they would violate it */
  uint32_t reach, leave;           /* categories that must not be reached; that must not be left */
  char category[PROPERTY_NAME];    /* the name of that one */
  char message[PROPERTY_MESSAGE];  /* what the specification says of a violation, perhaps empty */
  char deadlock[PROPERTY_MESSAGE]; /* of who is held back for ever */
  uint32_t calls[HANDLED];         /* a function of the program; offset in `name`, 0 for none */
  uint32_t script[HANDLED];        /* or text in Lua */
};

struct property_set {
  uint32_t properties, rules, codes, edges, states, symbols, name_bytes;
  struct property property[PROPERTIES];
  struct property_rule rule[PROPERTY_RULES];
  int64_t code[PROPERTY_CODE]; /* the first word is unused */
  uint16_t edge[PROPERTY_EDGES];
  uint16_t category[PROPERTY_STATES];
  uint32_t state_name[PROPERTY_STATES]; /* offset in `name`; 0 where it has none */
  uint16_t symbol[PROPERTY_SYMBOLS];
  char name[PROPERTY_NAMES];
};

#endif
