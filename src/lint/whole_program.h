/* SPDX-License-Identifier: Apache-2.0
 *
 * All units of a program together: who is called where, whose address is taken where, and what a name means. Made of
 * facts (syntax.h) alone. What a call through a pointer may call: functions that were put into the same member, those
 * that are given for the parameter, directly or handed on by whoever was given them, or, of other pointers, those of
 * the same type whose address is taken where the program's own code gets it. Of a virtual method: it, and what
 * overrides it. Where there are more of them than TARGETS_MOST it is a dispatcher, of which nothing is known: what it
 * calls is decided elsewhere.
 */
#ifndef HEDDLE_LINT_WHOLE_PROGRAM_H
#define HEDDLE_LINT_WHOLE_PROGRAM_H

#include "lint/syntax.h"
#include "lint/vocabulary.h"

#define PROGRAM_NONE UINT32_MAX

/* A node of a unit. */
struct code_place {
  uint32_t unit, node;
};

struct program_unit {
  struct syntax syntax;
  uint32_t *parent; /* of each node */
  uint32_t *symbol; /* of each of its symbols the number in the program; PROGRAM_NONE: it is local to a function */
};

struct program_symbol {
  uint64_t id;
  const char *name, *type;
  uint32_t flags;    /* SYMBOL_* */
  uint64_t meaning;  /* of word_bit() */
  uint32_t function; /* its definition; PROGRAM_NONE: the program has none */
};

struct program_function {
  uint32_t unit, node, symbol, last;
  uint32_t other; /* the next definition of the same symbol, or PROGRAM_NONE */
  const char *file;
  bool is_variable;            /* a global one, with what it is initialised with */
  bool takes_lock, gives_lock; /* it calls what locks, what unlocks */
  bool runs_in_thread;         /* it is the function of a created thread, or called from one */
};

/* A call: direct ones by what is called, those through pointers, and of virtual methods, apart. */
struct lint_call {
  uint32_t callee;   /* symbol; of a call through a pointer that of its type */
  uint32_t function; /* that calls */
  struct code_place code;
  bool may; /* through a pointer, or of a virtual method that others override */
};

/* A method with a body, and one that it overrides. */
struct method_override {
  uint32_t method, overridden; /* symbols */
};

/* A function whose address is taken. */
struct address_taken {
  uint32_t symbol;
  uint32_t holder;   /* member that it is put into, or PROGRAM_NONE */
  uint32_t given_to; /* function that it is given to as an argument, or PROGRAM_NONE */
  uint32_t argument; /* which one, from 1 */
  struct code_place code;
  uint32_t function; /* in which */
};

/* What a name of a macro means: asked for often, and there are not many. */
struct macro_meaning {
  uint64_t name; /* its hash; 0: no entry */
  uint64_t meaning;
};

struct whole_program {
  const struct vocabulary *vocabulary;
  struct program_unit *unit;
  size_t units;
  struct program_symbol *symbol;
  uint32_t symbols;
  struct program_function *function;
  uint32_t functions;
  struct lint_call *call; /* by callee, those of one in the order of their places */
  size_t calls;
  struct lint_call *pointer_call; /* those through pointers, by what they may call: one for each of that */
  size_t pointer_calls;
  struct address_taken *taken; /* by symbol */
  size_t takens;
  struct method_override *override; /* by what is overridden */
  size_t overrides;
  uint32_t *taken_by_type;    /* their numbers, by the types of the functions */
  uint32_t *user, *user_from; /* functions that name a variable or member, those of symbol n from user_from[n] on */
  uint32_t *slot;             /* of symbols by their ids: numbers + 1 */
  size_t slots, symbol_room, function_room, call_room, taken_room, override_room, unit_room;
  struct macro_meaning *macro; /* by name */
  size_t macros, macro_slots;
  size_t folder; /* how much of their paths all functions of the program have in common */
  bool failed;   /* no memory left */
};

void program_open(struct whole_program *p, const struct vocabulary *vocabulary);
void program_close(struct whole_program *p);

/* Takes the unit. */
void program_add(struct whole_program *p, struct syntax *unit);
/* All is added: false if no memory was left. */
bool program_finish(struct whole_program *p);

/* ---- questions ---- */

static inline const struct syntax *program_syntax(const struct whole_program *p, struct code_place c)
{
  return &p->unit[c.unit].syntax;
}

static inline const struct syntax_node *program_node(const struct whole_program *p, struct code_place c)
{
  return &p->unit[c.unit].syntax.node[c.node];
}

/* The symbol of a node in the program; PROGRAM_NONE: none, or one that is local. */
uint32_t program_symbol_of(const struct whole_program *p, struct code_place c);

/* The entry of a name, or the one where it would be. */
struct macro_meaning *macro_meaning_of(const struct whole_program *p, const char *name, size_t length);
uint64_t macro_hash(const char *name, size_t length);

/* What a CALL, a MACRO or a builtin calls, by name; *length of it. Empty for others. */
const char *called_name(const struct whole_program *p, struct code_place c, size_t *length);
uint64_t called_meaning(const struct whole_program *p, struct code_place c);
/* The function of the program that a node calls; PROGRAM_NONE: none. */
uint32_t called_function(const struct whole_program *p, struct code_place c);

/* Whether a function is in a folder of tests, below the one that all are in, or in a file that is one by its name and
 * not all that was read. */
bool is_in_test(const struct whole_program *p, uint32_t function);

bool never_returns(const struct whole_program *p, struct code_place call);

/* For qsort(): calls by callee, those of one in the order of their places. */
int by_callee(const void *left, const void *right);

/* The calls of a symbol: the first, *count of them. */
const struct lint_call *program_calls(const struct whole_program *p, uint32_t callee, size_t *count);

/* The functions that name a variable or a member, in their order; *count of them. */
static inline const uint32_t *program_users(const struct whole_program *p, uint32_t symbol, size_t *count)
{
  *count = p->user_from[symbol + 1] - p->user_from[symbol];
  return p->user + p->user_from[symbol];
}

/* What overrides a method; *count of them. */
const struct method_override *program_overriders(const struct whole_program *p, uint32_t method, size_t *count);

/* The calls through pointers, or of virtual methods, that may call a symbol. */
#define TARGETS_MOST 3
const struct lint_call *program_pointer_calls(const struct whole_program *p, uint32_t callee, size_t *count);

/* The next function that a call through a member, or of a virtual method, may call besides the one that it names,
 * however many there are: for doubts, which all of them can raise. *from: 0 at first. PROGRAM_NONE: there are no more,
 * or it is no such call. */
uint32_t program_member_target(const struct whole_program *p, struct code_place call, size_t *from);

/* Whether a call means this definition of what it calls. Where several programs were built together a name may have
 * several: then those next to the caller, by their folders. */
bool means_definition(const struct whole_program *p, const struct lint_call *site, uint32_t function);

/* The definition that a name means in a function, by the same; PROGRAM_NONE: there is none, or several are as near. */
uint32_t program_definition(const struct whole_program *p, uint32_t symbol, uint32_t function);

/* Marks functions that can be reached by direct calls from there, `depth` calls deep; a byte for each. */
void program_reach(const struct whole_program *p, uint32_t function, unsigned depth, unsigned char *reached);

/* A child of a node, or one that has PROGRAM_NONE as its node. */
struct code_place code_child(const struct whole_program *p, struct code_place c, unsigned which);
static inline bool code_is(struct code_place c)
{
  return c.node != PROGRAM_NONE;
}
/* Without macros and taken addresses around it. */
struct code_place code_inside(const struct whole_program *p, struct code_place c);

/* The argument of a call that a node below it belongs to, from 1; 0: it is none, but what is called. */
uint32_t argument_number(const struct program_unit *u, uint32_t call, uint32_t node);

/* Whether a lambda is taken for called where it stands: it is given to a function, which creates no thread and sets up
 * no call from elsewhere. */
bool lambda_runs_here(const struct whole_program *p, struct code_place lambda);

/* Whether a throw is in a block that the function itself catches from. */
bool is_caught(const struct whole_program *p, struct code_place throws);

/* An object as text to be compared: `srv.queue` for &srv->queue; false if it is none. */
#define OBJECT_TEXT 160
bool object_text(const struct whole_program *p, struct code_place c, char out[OBJECT_TEXT]);
/* The same of the argument of a call or of a macro, from 1; 0: the object that a method is called of. */
bool argument_text(const struct whole_program *p, struct code_place call, unsigned argument, char out[OBJECT_TEXT]);
/* The same of the text of a macro's use. */
bool macro_argument(const char *text, unsigned argument, char out[OBJECT_TEXT]);
/* The symbol of an object below a node that has that text. */
uint32_t object_symbol(const struct whole_program *p, struct code_place below, const char *text);

#endif
