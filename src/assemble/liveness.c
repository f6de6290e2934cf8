/* SPDX-License-Identifier: Apache-2.0
 *
 * Live registers of a function; see liveness.h. Of general registers those that a call may change are looked at by the
 * lowest byte and the rest, those that it keeps as a whole; of vectors all. Whatever is not understood makes everything
 * live.
 *
 * Nobody knows how many arguments a function takes, so a call uses all that could be. But no compiler reads what is not
 * defined on every way to there, and a call leaves nothing defined but its result. Both together say what
 * matters. */
#include "assemble/liveness.h"
#include "assemble/access.h"
#include "core/assembly.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define NOWHERE SIZE_MAX
#define ALL UINT64_MAX
#define LOW(i) (UINT64_C(1) << (i))
#define HIGH(i) (UINT64_C(1) << ((i) + ASSEMBLY_REGISTERS))
#define WHOLE(i) (LOW(i) | HIGH(i))
#define FLAGS (UINT64_C(1) << 2 * ASSEMBLY_REGISTERS)
#define VECTOR(i) (UINT64_C(1) << ((i) + 2 * ASSEMBLY_REGISTERS + 1))
#define VECTORS (UINT64_C(0xffff) << (2 * ASSEMBLY_REGISTERS + 1))
#define FLOATS (UINT64_C(1) << (2 * ASSEMBLY_REGISTERS + 17))
#define WIDE (UINT64_C(1) << (2 * ASSEMBLY_REGISTERS + 18)) /* longer vectors, masks, ... */
#define OTHERS (FLOATS | WIDE)
#define KEPT(i) (UINT64_C(1) << ((i) + 2 * ASSEMBLY_REGISTERS + 19))
#define KEPT_ALL (KEPT(KEPT_REGISTERS) - KEPT(0))
#define SLOT_SHIFT (2 * ASSEMBLY_REGISTERS + 19 + KEPT_REGISTERS)
#define LASTING (UINT64_MAX << (2 * ASSEMBLY_REGISTERS + 19)) /* what no call changes */

_Static_assert(SLOT_SHIFT + SLOTS_MOST <= 64, "no bits left for slots");

enum { RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11 };

/* Numbers as in assembly.h, by the number of the machine; -1: kept by calls. */
static const int tracked[16] = {RAX, RCX, RDX, -1, -1, -1, RSI, RDI, R8, R9, R10, R11, -1, -1, -1, -1};

/* Those that are, without the stack's. */
static uint64_t kept_bit(unsigned number)
{
  return number == 3 ? KEPT(KEPT_RBX) : number >= 12 ? KEPT(number - 12 + KEPT_R12) : 0;
}

static uint64_t bits_of(struct register_name r)
{
  if (r.class == REGISTER_VECTOR)
    return r.size > 16 ? VECTOR(r.number) | WIDE : VECTOR(r.number);
  if (r.class != REGISTER_GENERAL)
    return OTHERS; /* %st, %mm0, %k1, %zmm16 */
  int i = tracked[r.number];
  if (i < 0)
    return kept_bit(r.number);
  return r.size == 1 && !r.high ? LOW(i) : WHOLE(i);
}

static void add_bits(void *context, struct register_name r)
{
  *(uint64_t *)context |= bits_of(r);
}

static uint64_t mentioned(struct span text)
{
  uint64_t bits = 0;
  each_register(text, add_bits, &bits);
  return bits;
}

static bool any_of(struct span name, const char *const *list)
{
  for (; *list; list++)
    if (span_begins(name, *list))
      return true;
  return false;
}

/* ---- registers that instructions use without naming them ---- */

static uint64_t implied(const struct instruction *in)
{
  static const struct {
    const char *begin;
    uint64_t bits;
  } list[] = {{"cmpxchg8b", WHOLE(RAX) | WHOLE(RCX) | WHOLE(RDX) | KEPT(KEPT_RBX)},
              {"cmpxchg16b", WHOLE(RAX) | WHOLE(RCX) | WHOLE(RDX) | KEPT(KEPT_RBX)},
              {"cmpxchg", WHOLE(RAX)},
              {"mul", WHOLE(RAX) | WHOLE(RDX)},
              {"div", WHOLE(RAX) | WHOLE(RDX)},
              {"idiv", WHOLE(RAX) | WHOLE(RDX)},
              {"imul", WHOLE(RAX) | WHOLE(RDX)},
              {"cl", WHOLE(RAX)},
              {"cq", WHOLE(RAX)},
              {"cw", WHOLE(RAX)},
              {"cd", WHOLE(RAX)},
              {"movs", WHOLE(RSI) | WHOLE(RDI) | WHOLE(RCX)},
              {"cmps", WHOLE(RSI) | WHOLE(RDI) | WHOLE(RCX)},
              {"stos", WHOLE(RAX) | WHOLE(RDI) | WHOLE(RCX)},
              {"scas", WHOLE(RAX) | WHOLE(RDI) | WHOLE(RCX)},
              {"lods", WHOLE(RAX) | WHOLE(RSI) | WHOLE(RCX)},
              {"loop", WHOLE(RCX)},
              {"jrcxz", WHOLE(RCX)},
              {"jecxz", WHOLE(RCX)},
              {"xsave", WHOLE(RAX) | WHOLE(RDX) | VECTORS | OTHERS},
              {"xrstor", WHOLE(RAX) | WHOLE(RDX)},
              {"fxsave", VECTORS | OTHERS},
              {"pcmpe", WHOLE(RAX) | WHOLE(RDX)},
              {"vpcmpe", WHOLE(RAX) | WHOLE(RDX)},
              {"mulx", WHOLE(RDX)},
              {"blendv", VECTOR(0)},
              {"pblendv", VECTOR(0)},
              {"sha256", VECTOR(0)},
              {"maskmov", WHOLE(RDI)},
              {"f", OTHERS}};
  static const char *const named[] = {"imul", "movs", "cmps", "cl", "cw", "cd", "cq", NULL}; /* with operands */
  static const char *const harmless[] = {"ret", "nop", "leave",  "pause",  "ud2",    "endbr", "cl", "cw",
                                         "cd",  "cq",  "mfence", "lfence", "sfence", "vzero", NULL};
  if (!in->operands && !any_of(in->mnemonic, harmless) && in->mnemonic.length)
    return ALL;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (span_begins(in->mnemonic, list[i].begin))
      return in->operands > 1 && any_of(in->mnemonic, named) ? 0 : list[i].bits;
  return 0;
}

static bool reads_flags(struct span name)
{
  static const char *const list[] = {"j",   "set",  "cmov",  "adc",  "sbb", "rcl",
                                     "rcr", "lahf", "pushf", "loop", "cmc", NULL};
  return any_of(name, list) && !span_begins(name, "jmp");
}

/* Arithmetic of vectors has similar names and leaves the flags alone, but for comparisons. */
static bool sets_flags(const struct instruction *in)
{
  static const char *const compares[] = {"ucomi", "comi", NULL};
  static const char *const list[] = {"cmp", "test", "add",  "sub",  "and",  "or",
                                     "xor", "neg",  "xadd", "popf", "sahf", NULL};
  for (unsigned i = 0; i < in->operands; i++)
    if (mentioned(in->operand[i]) & (VECTORS | OTHERS))
      return any_of(in->mnemonic, compares);
  return any_of(in->mnemonic, list) && !span_begins(in->mnemonic, "cmps");
}

/* ---- registers that instructions set, whatever was in them ---- */

static bool moves(struct span name)
{
  static const char *const whole[] = {"mov", "lea", "pop", NULL};
  static const char *const not_whole[] = {"movh", "movlp", "movlh", "movbe", "popf", "popcnt", NULL};
  return any_of(name, whole) && !any_of(name, not_whole);
}

static bool clears(const struct instruction *in)
{
  static const char *const general[] = {"xor", "sub", NULL}, *const vector[] = {"pxor", "xorp", NULL};
  bool is_vector = in->operands && operand_register(in->operand[0]).class == REGISTER_VECTOR;
  return in->operands == 2 && any_of(in->mnemonic, is_vector ? vector : general) &&
         in->operand[0].length == in->operand[1].length &&
         memcmp(in->operand[0].at, in->operand[1].at, in->operand[0].length) == 0 &&
         operand_register(in->operand[1]).size >= 4;
}

/* A write of 32 bits clears the upper half; one of 16 bits leaves the rest. */
static uint64_t set_by(const struct instruction *in)
{
  if (!in->operands)
    return 0;
  struct span last = in->operand[in->operands - 1];
  struct register_name r = operand_register(last);
  bool vector = r.class == REGISTER_VECTOR;
  if (r.class == REGISTER_NONE || r.class == REGISTER_OTHER)
    return 0;
  if (r.class == REGISTER_GENERAL && kept_bit(r.number) && r.size < 4)
    return 0;
  if (clears(in))
    return bits_of(r);
  if (span_begins(in->mnemonic, "set"))
    return r.size == 1 && !r.high ? bits_of(r) : 0;
  bool part = vector && (span_begins(in->mnemonic, "movs") && !operand_is_memory(in->operand[0]));
  if (!moves(in->mnemonic) || part || r.size == 2 || r.high)
    return 0;
  return bits_of(r);
}

/* ---- calls ---- */

#define INTEGER_ARGUMENTS (WHOLE(RDI) | WHOLE(RSI) | WHOLE(RDX) | WHOLE(RCX) | WHOLE(R8) | WHOLE(R9))
#define ARGUMENTS (INTEGER_ARGUMENTS | WHOLE(RAX) | WHOLE(R10) | VECTORS)

/* The hooks that the compiler calls are known; and none of POSIX's functions for threads takes any number of arguments,
 * which is what %al would be for. */
static uint64_t arguments_of(struct span target)
{
  if (span_begins(target, "pthread_"))
    return INTEGER_ARGUMENTS;
  if (!span_begins(target, "__tsan_"))
    return ARGUMENTS;
  if (span_begins(target, "__tsan_func_exit"))
    return 0;
  if (span_begins(target, "__tsan_atomic"))
    return INTEGER_ARGUMENTS;
  if (span_has(target, "_range") || span_has(target, "vptr_update"))
    return WHOLE(RDI) | WHOLE(RSI);
  return WHOLE(RDI);
}

#define RESULTS (WHOLE(RAX) | WHOLE(RDX) | VECTOR(0) | VECTOR(1) | FLOATS)

static uint64_t results_of_call(struct span target)
{
  if (!span_begins(target, "__tsan_"))
    return RESULTS;
  return span_begins(target, "__tsan_atomic") ? WHOLE(RAX) | WHOLE(RDX) : 0;
}

static bool is_call(const struct flow_node *n)
{
  return n->statement.kind == STATEMENT_INSTRUCTION && span_begins(n->in.mnemonic, "call");
}

static struct span target_of(const struct instruction *in)
{
  return in->operands ? in->operand[0] : (struct span){"", 0};
}

/* The registers in which the function may return something: it sets them, or calls somebody who does. */
static uint64_t results_of(const struct flow_node *node, size_t count)
{
  uint64_t bits = 0;
  for (size_t i = 0; i < count; i++) {
    const struct instruction *in = &node[i].in;
    if (is_call(&node[i]))
      bits |= results_of_call(target_of(in));
    for (unsigned k = 0; k < in->operands; k++)
      bits |= mentioned(in->operand[k]);
    bits |= implied(in);
  }
  return bits & RESULTS;
}

static void describe(struct flow_node *n, uint64_t returned)
{
  const struct instruction *in = &n->in;
  struct span name = in->mnemonic;
  bool jumps = *name.at == 'j' || span_begins(name, "loop");
  if (span_begins(name, "call")) {
    n->use = arguments_of(target_of(in));
    if (in->operands)
      n->use |= mentioned(in->operand[0]);
    n->def = n->written ? 0 : ~LASTING;
    n->use |= n->written ? ALL : 0;
    return;
  }
  if (span_begins(name, "ret")) {
    n->use = returned | KEPT_ALL;
    return;
  }
  n->def = set_by(in);
  for (unsigned i = 0; i < in->operands; i++)
    if (!(i + 1 == in->operands && n->def) && !(clears(in)))
      n->use |= mentioned(in->operand[i]);
  n->use |= implied(in) | (reads_flags(name) ? FLAGS : 0);
  n->def |= sets_flags(in) ? FLAGS : 0;
  if (n->written && !jumps && !access_is_known(in))
    n->use = ALL;
}

/* ---- the way through the function ---- */

/* A label like `1`, named as `1b` or `1f`. */
static size_t find_local(const struct flow_node *node, size_t count, size_t from, struct span name)
{
  struct span number = {name.at, name.length - 1};
  bool back = name.at[name.length - 1] == 'b';
  for (size_t i = from; back ? i-- > 0 : ++i < count;)
    if (node[i].statement.kind == STATEMENT_LABEL && node[i].statement.text.length == number.length &&
        memcmp(node[i].statement.text.at, number.at, number.length) == 0)
      return i;
  return NOWHERE;
}

static size_t find_label(const struct flow_node *node, size_t count, size_t from, struct span name)
{
  if (name.length > 1 && isdigit((unsigned char)*name.at))
    return find_local(node, count, from, name);
  for (size_t i = 0; i < count; i++)
    if (node[i].statement.kind == STATEMENT_LABEL && node[i].statement.text.length == name.length &&
        memcmp(node[i].statement.text.at, name.at, name.length) == 0)
      return i;
  return NOWHERE;
}

/* A jump to another function is a call that does not come back; of one to an address nobody knows, everything may
 * matter there. */
static void connect(struct flow_node *node, size_t count, size_t i)
{
  struct flow_node *n = &node[i];
  struct span name = n->in.mnemonic;
  n->next[0] = i + 1 < count ? i + 1 : NOWHERE;
  n->next[1] = NOWHERE;
  if (n->statement.kind == STATEMENT_LABEL || !name.length)
    return;
  bool always = span_begins(name, "jmp");
  if (*name.at == 'j' || span_begins(name, "loop")) {
    n->next[1] = n->in.operands ? find_label(node, count, i, n->in.operand[0]) : NOWHERE;
    bool function = n->in.operands && *n->in.operand[0].at != '*' && *n->in.operand[0].at != '.';
    if (n->next[1] == NOWHERE)
      n->use |= function && !n->written ? ARGUMENTS | KEPT_ALL : ALL;
  }
  if (always || span_begins(name, "ret") || span_begins(name, "ud2"))
    n->next[0] = NOWHERE;
}

/* ---- both ways ---- */

static uint64_t defined_after(const struct flow_node *n)
{
  uint64_t bits = n->defined;
  if (is_call(n) && !n->written)
    return results_of_call(target_of(&n->in));
  for (unsigned i = 0; i < n->in.operands; i++)
    bits |= mentioned(n->in.operand[i]);
  if (implied(&n->in))
    return ALL; /* what it sets is not named either */
  return bits | FLAGS | n->def | n->use;
}

/* From the entry, where there are arguments; on every way. */
static void find_defined(struct flow_node *node, size_t count)
{
  for (size_t i = 0; i < count; i++)
    node[i].defined = i ? ALL : ARGUMENTS;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < count; i++)
      for (unsigned k = 0; k < 2; k++)
        if (node[i].next[k] != NOWHERE) {
          struct flow_node *next = &node[node[i].next[k]];
          uint64_t bits = next->defined & defined_after(&node[i]);
          changed |= bits != next->defined;
          next->defined = bits;
        }
  }
}

void liveness_find(struct flow_node *node, size_t count)
{
  uint64_t returned = results_of(node, count);
  for (size_t i = 0; i < count; i++) {
    node[i].use = node[i].def = node[i].live = 0;
    if (node[i].statement.kind == STATEMENT_INSTRUCTION && node[i].in.mnemonic.length)
      describe(&node[i], returned);
    node[i].use |= (uint64_t)node[i].slots_used << SLOT_SHIFT;
    node[i].def |= (uint64_t)node[i].slots_set << SLOT_SHIFT;
    connect(node, count, i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = count; i-- > 0;) {
      uint64_t live = 0;
      for (unsigned k = 0; k < 2; k++)
        if (node[i].next[k] != NOWHERE)
          live |= node[node[i].next[k]].live;
      live = (live & ~node[i].def) | node[i].use;
      changed |= live != node[i].live;
      node[i].live = live;
    }
  }
  find_defined(node, count);
  for (size_t i = 0; i < count; i++)
    node[i].live &= node[i].defined | LASTING;
}

static uint32_t kept_of(uint64_t bits)
{
  return (uint32_t)(bits / KEPT(0)) & ((1u << KEPT_REGISTERS) - 1);
}

uint32_t liveness_dead_registers(const struct flow_node *node)
{
  return kept_of(~node->live);
}

uint32_t liveness_used_registers(const struct flow_node *node)
{
  return kept_of(node->use);
}

uint32_t liveness_set_registers(const struct flow_node *node)
{
  return kept_of(node->def);
}

uint32_t liveness_dead_slots(const struct flow_node *node)
{
  return (uint32_t)(~node->live >> SLOT_SHIFT) & ((1u << SLOTS_MOST) - 1);
}

bool liveness_result_unused(const struct flow_node *node, size_t call)
{
  size_t next = node[call].next[0];
  return is_call(&node[call]) && !node[call].written && next != NOWHERE && !(node[next].live & WHOLE(RAX));
}

unsigned liveness_mask(uint64_t live)
{
  unsigned mask = 0;
  for (unsigned i = 0; i < ASSEMBLY_REGISTERS; i++)
    if (live & WHOLE(i))
      mask |= 1u << i;
  if (live & FLAGS)
    mask |= ASSEMBLY_FLAGS_LIVE;
  if (live & FLOATS)
    mask |= ASSEMBLY_FLOATS_LIVE;
  if (live & WIDE)
    mask |= ASSEMBLY_WIDE_LIVE;
  for (unsigned i = 0; i < 16; i++)
    if (live & VECTOR(i))
      mask |= i < 8 ? 1u << (ASSEMBLY_VECTOR_SHIFT + i) : ASSEMBLY_UPPER_LIVE;
  return mask;
}
