/* SPDX-License-Identifier: Apache-2.0
 *
 * How a variable or member is changed in a stretch of code: counted up or down, set to something, or given away.
 */
#ifndef HEDDLE_LINT_OBJECT_CHANGES_H
#define HEDDLE_LINT_OBJECT_CHANGES_H

#include "lint/whole_program.h"

/* A stretch of nodes of a unit. */
struct stretch {
  uint32_t unit, from, to;
};

/* That of a function. */
static inline struct stretch stretch_of(const struct whole_program *p, uint32_t function)
{
  const struct program_function *f = &p->function[function];
  return (struct stretch){f->unit, f->node, f->node + p->unit[f->unit].syntax.node[f->node].size};
}

/* What is meant: a symbol of the program, or one of the unit that is local. */
struct c_object {
  uint32_t unit, local; /* SYNTAX_NONE: it is none */
  uint32_t symbol;      /* PROGRAM_NONE: it is local */
  uint32_t flags;
};

/* The object that an expression names, without what is around it; false: it names none. */
bool object_of(const struct whole_program *p, struct code_place c, struct c_object *object);
bool is_object(const struct whole_program *p, struct code_place c, const struct c_object *object);

struct changes {
  unsigned up, down;      /* by something that does not change there itself */
  unsigned zero, nonzero; /* set to a literal */
  unsigned called;        /* set to the value of a call */
  unsigned configured;    /* of these, to one that somebody chose (WORD_CONFIGURED) */
  unsigned instantiated;  /* of these, to something new (WORD_INSTANTIATE) */
  unsigned set;           /* set to anything else */
  unsigned stepped;       /* of these: to a member of itself, p = p->next */
  unsigned taken;         /* its address is taken */
  struct code_place last_up, last_down, last_zero, last_nonzero, last_call, last_set; /* the newest of each */
};

/* Adds what is in the stretch. */
void changes_add(const struct whole_program *p, const struct c_object *object, struct stretch stretch,
                 struct changes *changes);

/* As if `object = value` stood at `at`, in the stretch. */
void changes_note_value(const struct whole_program *p, const struct c_object *object, struct code_place value,
                        struct code_place at, struct stretch stretch, struct changes *changes);

static inline unsigned changes_sets(const struct changes *c)
{
  return c->zero + c->nonzero + c->called + c->set;
}

#endif
