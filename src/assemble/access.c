/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions do to memory; see access.h. Only what people write into inline assembly is known by name: an
 * unknown instruction with a memory operand is unseen, one without has nothing to do with memory.
 */
#include "assemble/access.h"
#include "core/assembly.h"
#include <string.h>

enum access_class {
  CLASS_UNKNOWN,
  CLASS_NOTHING, /* computes an address, or is a hint */
  CLASS_READS,   /* whatever operand is memory */
  CLASS_MOVES,   /* reads the first or writes the last */
  CLASS_WRITES,
  CLASS_UPDATES, /* reads the others or updates the last */
  CLASS_EXCHANGES,
  CLASS_COMPARES,
  CLASS_BITS, /* updates a bit of the last */
  CLASS_FENCE,
  CLASS_STRINGS
};

/* With a suffix b, w, l or q, or the size of a register operand. */
static const struct {
  const char *name;
  enum access_class class;
} sized[] = {{"mov", CLASS_MOVES},    {"movnti", CLASS_MOVES}, {"movbe", CLASS_MOVES},    {"cmp", CLASS_READS},
             {"test", CLASS_READS},   {"push", CLASS_READS},   {"mul", CLASS_READS},      {"imul", CLASS_READS},
             {"div", CLASS_READS},    {"idiv", CLASS_READS},   {"bsf", CLASS_READS},      {"bsr", CLASS_READS},
             {"tzcnt", CLASS_READS},  {"lzcnt", CLASS_READS},  {"popcnt", CLASS_READS},   {"call", CLASS_READS},
             {"jmp", CLASS_READS},    {"pop", CLASS_WRITES},   {"add", CLASS_UPDATES},    {"sub", CLASS_UPDATES},
             {"adc", CLASS_UPDATES},  {"sbb", CLASS_UPDATES},  {"and", CLASS_UPDATES},    {"or", CLASS_UPDATES},
             {"xor", CLASS_UPDATES},  {"inc", CLASS_UPDATES},  {"dec", CLASS_UPDATES},    {"neg", CLASS_UPDATES},
             {"not", CLASS_UPDATES},  {"shl", CLASS_UPDATES},  {"shr", CLASS_UPDATES},    {"sal", CLASS_UPDATES},
             {"sar", CLASS_UPDATES},  {"rol", CLASS_UPDATES},  {"ror", CLASS_UPDATES},    {"rcl", CLASS_UPDATES},
             {"rcr", CLASS_UPDATES},  {"xadd", CLASS_UPDATES}, {"xchg", CLASS_EXCHANGES}, {"cmpxchg", CLASS_COMPARES},
             {"bts", CLASS_BITS},     {"btr", CLASS_BITS},     {"btc", CLASS_BITS},       {"bt", CLASS_BITS},
             {"lea", CLASS_NOTHING},  {"nop", CLASS_NOTHING},  {"ret", CLASS_NOTHING},    {"bswap", CLASS_NOTHING},
             {"movs", CLASS_STRINGS}, {"stos", CLASS_STRINGS}, {"lods", CLASS_STRINGS},   {"scas", CLASS_STRINGS},
             {"cmps", CLASS_STRINGS}, {"ins", CLASS_STRINGS},  {"outs", CLASS_STRINGS}};

/* Of a size of their own; 0: that of the vector register. */
static const struct {
  const char *name;
  enum access_class class;
  unsigned size;
} fixed[] = {{"movzb", CLASS_READS, 1},          {"movzw", CLASS_READS, 2},        {"movsb", CLASS_READS, 1},
             {"movsw", CLASS_READS, 2},          {"movsl", CLASS_READS, 4},        {"movdqa", CLASS_MOVES, 0},
             {"movdqu", CLASS_MOVES, 0},         {"movaps", CLASS_MOVES, 0},       {"movups", CLASS_MOVES, 0},
             {"movapd", CLASS_MOVES, 0},         {"movupd", CLASS_MOVES, 0},       {"lddqu", CLASS_MOVES, 0},
             {"movntdq", CLASS_MOVES, 0},        {"movntdqa", CLASS_MOVES, 0},     {"movntps", CLASS_MOVES, 0},
             {"movntpd", CLASS_MOVES, 0},        {"movss", CLASS_MOVES, 4},        {"movsd", CLASS_MOVES, 8},
             {"movd", CLASS_MOVES, 4},           {"movlps", CLASS_MOVES, 8},       {"movhps", CLASS_MOVES, 8},
             {"movlpd", CLASS_MOVES, 8},         {"movhpd", CLASS_MOVES, 8},       {"cmpxchg8b", CLASS_COMPARES, 8},
             {"cmpxchg16b", CLASS_COMPARES, 16}, {"ldmxcsr", CLASS_READS, 4},      {"stmxcsr", CLASS_WRITES, 4},
             {"fnstcw", CLASS_WRITES, 2},        {"fstcw", CLASS_WRITES, 2},       {"fldcw", CLASS_READS, 2},
             {"prefetcht0", CLASS_NOTHING, 0},   {"prefetcht1", CLASS_NOTHING, 0}, {"prefetcht2", CLASS_NOTHING, 0},
             {"prefetchnta", CLASS_NOTHING, 0},  {"prefetchw", CLASS_NOTHING, 0},  {"prefetch", CLASS_NOTHING, 0},
             {"clflush", CLASS_NOTHING, 0},      {"clflushopt", CLASS_NOTHING, 0}, {"clwb", CLASS_NOTHING, 0},
             {"mfence", CLASS_FENCE, 0},         {"lfence", CLASS_FENCE, 0},       {"sfence", CLASS_FENCE, 0},
             {"pause", CLASS_NOTHING, 0},        {"rdtsc", CLASS_NOTHING, 0},      {"xlat", CLASS_STRINGS, 0},
             {"maskmovq", CLASS_STRINGS, 0},     {"maskmovdqu", CLASS_STRINGS, 0}, {"xbegin", CLASS_STRINGS, 0}};

static unsigned suffix_size(char c)
{
  switch (c) {
  case 'b':
    return 1;
  case 'w':
    return 2;
  case 'l':
    return 4;
  case 'q':
    return 8;
  default:
    return 0;
  }
}

/* Of the operands, the size that a register gives; 0 if none does. Shifts have their count in %cl. */
static unsigned register_size(const struct instruction *in)
{
  for (unsigned i = in->operands; i-- > 0;) {
    struct register_name r = operand_register(in->operand[i]);
    if ((r.class == REGISTER_GENERAL || r.class == REGISTER_VECTOR) && !span_is(in->operand[i], "%cl"))
      return r.size;
  }
  return 0;
}

static bool has_vector(const struct instruction *in)
{
  for (unsigned i = 0; i < in->operands; i++)
    if (operand_register(in->operand[i]).class == REGISTER_VECTOR)
      return true;
  return false;
}

static enum access_class find_sized(struct span name)
{
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
    if (span_is(name, sized[i].name))
      return sized[i].class;
  return CLASS_UNKNOWN;
}

/* movzbl, movsbl, movslq: named by what they read and what they make of it. */
static bool is_extension(struct span name)
{
  return name.length == 6 && (span_begins(name, "movz") || span_begins(name, "movs")) && suffix_size(name.at[4]) &&
         suffix_size(name.at[5]);
}

static enum access_class find_fixed(const struct instruction *in, unsigned *size)
{
  struct span name = in->mnemonic;
  if (is_extension(name))
    name.length--;
  else if (name.length > 1 && *name.at == 'v' && has_vector(in))
    name.at++, name.length--;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (span_is(name, fixed[i].name)) {
      *size = fixed[i].size ? fixed[i].size : register_size(in);
      return fixed[i].class;
    }
  return CLASS_UNKNOWN;
}

static enum access_class class_of(const struct instruction *in, unsigned *size)
{
  struct span name = in->mnemonic;
  bool string = in->operands == 0 && (span_begins(name, "movs") || span_begins(name, "cmps"));
  if (!string) {
    enum access_class class = find_fixed(in, size);
    if (class != CLASS_UNKNOWN)
      return class;
  }
  if (span_begins(name, "cmov")) {
    *size = register_size(in);
    return CLASS_READS;
  }
  if (span_begins(name, "set")) {
    *size = 1;
    return CLASS_WRITES;
  }
  enum access_class class = find_sized(name);
  *size = register_size(in);
  if (class == CLASS_UNKNOWN && name.length > 1) {
    *size = suffix_size(name.at[name.length - 1]);
    name.length--;
    class = *size ? find_sized(name) : CLASS_UNKNOWN;
  }
  if (!*size && (span_is(name, "push") || span_is(name, "pop") || span_is(name, "call") || span_is(name, "jmp")))
    *size = 8;
  return class;
}

static int memory_operand(const struct instruction *in)
{
  for (unsigned i = 0; i < in->operands; i++)
    if (operand_is_memory(in->operand[i]))
      return (int)i;
  return -1;
}

/* A label to jump to is no memory. */
static bool is_jump(const struct instruction *in)
{
  struct span name = in->mnemonic;
  bool leaves = *name.at == 'j' || span_begins(name, "call") || span_begins(name, "loop");
  return leaves && in->operands && *in->operand[0].at != '*';
}

/* Thread-local memory belongs to its thread, and what the linker puts into tables is constant. */
static bool is_own(struct span operand)
{
  return span_begins(operand, "%fs:") || span_has(operand, "TPOFF") || span_has(operand, "tpoff") ||
         span_has(operand, "@TLS") || span_has(operand, "@tls") || span_has(operand, "@GOTPCREL");
}

static enum effect effect_of(enum access_class class, bool last, const struct instruction *in)
{
  switch (class) {
  case CLASS_NOTHING:
    return EFFECT_NONE;
  case CLASS_READS:
    return EFFECT_LOAD;
  case CLASS_WRITES:
    return EFFECT_STORE;
  case CLASS_MOVES:
    return last ? EFFECT_STORE : EFFECT_LOAD;
  case CLASS_UPDATES:
    return last ? EFFECT_UPDATE : EFFECT_LOAD;
  case CLASS_EXCHANGES:
    return EFFECT_UPDATE;
  case CLASS_COMPARES:
    return in->lock && !span_begins(in->mnemonic, "cmpxchg8b") ? EFFECT_COMPARE : EFFECT_UPDATE;
  case CLASS_BITS:
    return span_is(in->mnemonic, "bt") || (in->mnemonic.length == 3 && suffix_size(in->mnemonic.at[2])) ? EFFECT_LOAD
                                                                                                        : EFFECT_UPDATE;
  default:
    return EFFECT_UNSEEN;
  }
}

static bool is_power_of_two(unsigned n)
{
  return n && !(n & (n - 1));
}

/* Without a register that could stand in for the memory for a moment, a load and a store cannot be told apart. */
static bool can_be_divided(const struct instruction_access *a, const struct instruction *in)
{
  for (unsigned i = 0; i < in->operands; i++)
    if (operand_register(in->operand[i]).high)
      return false;
  return a->size <= 8 && !a->bit.length && !span_begins(in->mnemonic, "cmpxchg8b");
}

struct instruction_access access_of(const struct instruction *in)
{
  struct instruction_access a = {.locked = in->lock};
  if (!in->mnemonic.length || is_jump(in))
    return a;
  enum access_class class = class_of(in, &a.size);
  int at = memory_operand(in);
  if (class == CLASS_FENCE) {
    a.effect = EFFECT_FENCE;
    a.size = span_is(in->mnemonic, "mfence") ? FENCE_OF_ALL : FENCE_OF_SOME;
    return a;
  }
  if (class == CLASS_STRINGS) {
    bool copies = span_begins(in->mnemonic, "movs"), fills = span_begins(in->mnemonic, "stos");
    a.effect = !in->repeats || in->operands || !a.size ? EFFECT_UNSEEN
               : copies                                ? EFFECT_COPY
               : fills                                 ? EFFECT_FILL
                                                       : EFFECT_UNSEEN;
    return a;
  }
  if (at < 0 || is_own(in->operand[at]))
    return a;
  a.operand = in->operand[at];
  if (*a.operand.at == '*')
    a.operand.at++, a.operand.length--;
  a.effect = effect_of(class, (unsigned)at + 1 == in->operands, in);
  a.locked |= class == CLASS_EXCHANGES;
  if (class == CLASS_BITS && operand_register(in->operand[0]).class == REGISTER_GENERAL)
    a.bit = in->operand[0];
  bool changes_stack = span_begins(in->mnemonic, "pop") && !span_begins(in->mnemonic, "popcnt");
  if (a.effect != EFFECT_NONE && (!is_power_of_two(a.size) || a.size > 64 || span_begins(a.operand, "%") ||
                                  in->repeats || (changes_stack && span_has(a.operand, "%rsp")) ||
                                  (a.effect == EFFECT_UPDATE && !a.locked && !can_be_divided(&a, in))))
    a.effect = EFFECT_UNSEEN;
  return a;
}

/* Intrinsics with addresses in vectors, or with masks. */
static bool is_scattered(struct span name)
{
  static const char *const parts[] = {"gather", "scatter", "maskmov", "compress", "expand"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (span_has(name, parts[i]))
      return true;
  return false;
}

/* Of an instruction that is not known: no more than it accesses for sure. */
static unsigned least_size(struct span name)
{
  struct span end = {name.at + (name.length > 2 ? name.length - 2 : 0), 2};
  return span_is(end, "ss") ? 4 : span_is(end, "sd") ? 8 : 1;
}

struct instruction_access compiled_access_of(const struct instruction *in)
{
  struct instruction_access a = access_of(in);
  int at = memory_operand(in);
  if (a.effect != EFFECT_UNSEEN || is_scattered(in->mnemonic))
    return a;
  if (at < 0) { /* a word of a copy in small steps, for the sake of size */
    a.effect = EFFECT_NONE;
    return a;
  }
  a.effect = (unsigned)at + 1 == in->operands && in->operands > 1 ? EFFECT_STORE : EFFECT_LOAD;
  a.bit = (struct span){0};
  if (!is_power_of_two(a.size) || a.size > 64)
    a.size = least_size(in->mnemonic);
  return a;
}

bool access_is_known(const struct instruction *in)
{
  unsigned size;
  return class_of(in, &size) != CLASS_UNKNOWN;
}

/* Old assemblers did not know `pause` and the fences. */
bool bytes_may_access(struct span directive)
{
  static const char *const puts[] = {".byte", ".2byte", ".4byte", ".8byte", ".short", ".word", ".value",
                                     ".long", ".int",   ".quad",  ".octa",  ".ascii", ".insn"};
  static const char *const harmless[] = {"0xf3,0x90",      "0x66,0x90",      "0x90",
                                         "0x0f,0xae,0xf0", "0x0f,0xae,0xe8", "0x0f,0xae,0xf8"};
  size_t word = 0;
  while (word < directive.length && directive.at[word] != ' ' && directive.at[word] != '\t')
    word++;
  bool found = false;
  for (size_t i = 0; i < sizeof puts / sizeof *puts; i++)
    found |= span_is((struct span){directive.at, word}, puts[i]);
  char bytes[32];
  size_t n = 0;
  for (size_t i = word; found && i < directive.length && n < sizeof bytes; i++)
    if (directive.at[i] != ' ' && directive.at[i] != '\t')
      bytes[n++] = directive.at[i];
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (span_is((struct span){bytes, n}, harmless[i]))
      return false;
  return found;
}
