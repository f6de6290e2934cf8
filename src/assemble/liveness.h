/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers matter at an instruction: a call of a function leaves something in those it may change, and what
 * nobody will read is no part of the state of a thread (worlds/threads/memory/assembly.c).
 */
#ifndef HEDDLE_ASSEMBLE_LIVENESS_H
#define HEDDLE_ASSEMBLE_LIVENESS_H

#include "assemble/statement.h"
#include <stdint.h>

struct flow_node {
  struct statement statement; /* a label, or an instruction */
  struct instruction in;
  bool written;                   /* by hand */
  uint32_t slots_used, slots_set; /* of the stack, by what leftovers.h knows of them */
  uint64_t use, def, live, defined;
  size_t next[2]; /* nodes that may follow; SIZE_MAX for none */
};

/* For the nodes of one function, in the order of the text. */
void liveness_find(struct flow_node *node, size_t count);

/* Whether nobody reads the result of the call there. */
bool liveness_result_unused(const struct flow_node *node, size_t call);

/* Registers that calls keep, by these numbers, and slots: those that nobody reads any more there. */
enum { KEPT_RBX, KEPT_R12, KEPT_R13, KEPT_R14, KEPT_R15, KEPT_REGISTERS };
#define SLOTS_MOST 22
uint32_t liveness_dead_registers(const struct flow_node *node);
/* Those that the instruction itself reads, and those that it sets, whatever was in them. */
uint32_t liveness_used_registers(const struct flow_node *node);
uint32_t liveness_set_registers(const struct flow_node *node);
uint32_t liveness_dead_slots(const struct flow_node *node);

/* What is live there, in the form that the runtime knows (core/assembly.h). */
unsigned liveness_mask(uint64_t live);

#endif
