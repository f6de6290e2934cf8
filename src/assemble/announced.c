/* SPDX-License-Identifier: Apache-2.0
 *
 * Following what is announced; see announced.h.
 */
#include "assemble/announced.h"
#include <stdlib.h>
#include <string.h>

#define MANY (1u << 20) /* bytes, where their number is not known */

/* ---- hooks ---- */

static bool is_call(const struct instruction *in)
{
  return span_begins(in->mnemonic, "call");
}

/* The name of the hook that is called, without its "__tsan_"; empty if it is none. */
static struct span hook_called(const struct instruction *in)
{
  static const char prefix[] = "__tsan_";
  struct span target = in->operands ? in->operand[0] : (struct span){0};
  const char *at = target.length ? memmem(target.at, target.length, prefix, sizeof prefix - 1) : NULL;
  if (!at)
    return (struct span){0};
  at += sizeof prefix - 1;
  struct span name = {at, target.length - (size_t)(at - target.at)};
  const char *end = memchr(name.at, '@', name.length);
  if (end)
    name.length = (size_t)(end - name.at);
  return name;
}

/* read4, unaligned_write16: the number at the end. */
static uint32_t size_in_name(struct span name)
{
  uint32_t size = 0, unit = 1;
  while (name.length && name.at[name.length - 1] >= '0' && name.at[name.length - 1] <= '9') {
    size += unit * (uint32_t)(name.at[--name.length] - '0');
    unit *= 10;
  }
  return size;
}

static void note_hook(struct announced *a, struct span name)
{
  bool vptr = span_begins(name, "vptr_");
  uint32_t size = span_has(name, "_range") ? MANY : vptr ? 8 : size_in_name(name);
  bool reads = span_has(name, "read"), writes = span_has(name, "write") || span_is(name, "vptr_update");
  if (a->accessed || (!reads && !writes))
    a->read = a->write = 0;
  a->read = reads ? size : a->read;
  a->write = writes ? size : a->write;
  a->accessed = false;
}

/* atomic32_load: it loads itself, but clang leaves the program's own load behind it. */
static void note_atomic(struct announced *a, struct span name, bool clang)
{
  struct span number = {name.at, name.length - (span_has(name, "_load") ? strlen("_load") : 0)};
  a->read = clang && number.length < name.length ? size_in_name(number) / 8 : 0;
  a->write = 0;
  a->accessed = false;
}

/* ---- constants ---- */

static void forget_constants(struct announced *a)
{
  memset(a->constant, 0, sizeof a->constant);
}

/* "8+symbol(%rip)", "symbol+8(%rip)": the symbol; empty if the operand is another one. */
static struct span symbol_of(struct span operand)
{
  const char *open = memchr(operand.at, '(', operand.length);
  if (!open || strncmp(open, "(%rip)", 6) != 0)
    return (struct span){0};
  struct span symbol = {operand.at, (size_t)(open - operand.at)};
  while (symbol.length && ((*symbol.at >= '0' && *symbol.at <= '9') || *symbol.at == '+' || *symbol.at == '-'))
    symbol.at++, symbol.length--;
  for (size_t i = 0; i < symbol.length; i++)
    if (strchr("+-@", symbol.at[i]))
      symbol.length = i;
  return symbol;
}

/* The compiler's own labels are before constants. Counters of coverage are nobody's business. */
static bool is_constant_symbol(const struct announced *a, struct span symbol)
{
  static const char *const starts[] = {".L",      "_ZTV",   "_ZTT",     "_ZTI",   "__gcov",
                                       "__llvm_", "__prof", "__sancov", "__ubsan"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (span_begins(symbol, starts[i]))
      return true;
  return symbol.length && a->is_constant && a->is_constant(a->context, symbol);
}

/* The number of the register that an address begins with; -1: none. */
static int base_of(struct span operand)
{
  const char *open = memchr(operand.at, '(', operand.length);
  if (!open || open[1] != '%')
    return -1;
  size_t n = 0, most = operand.length - (size_t)(open + 2 - operand.at);
  while (n < most && open[2 + n] != ',' && open[2 + n] != ')')
    n++;
  struct register_name r = register_of((struct span){open + 2, n});
  return r.class == REGISTER_GENERAL ? (int)r.number : -1;
}

static void note_constants(struct announced *a, const struct instruction *in)
{
  if (!in->operands)
    return;
  struct register_name r = operand_register(in->operand[in->operands - 1]);
  if (r.class != REGISTER_GENERAL)
    return;
  a->constant[r.number] = span_begins(in->mnemonic, "lea") && is_constant_symbol(a, symbol_of(in->operand[0]));
}

/* ---- accesses ---- */

enum { RSP = 4, RBP = 5 };

/* Whether nobody else can access it, or nobody changes it. */
static bool is_private(const struct announced *a, struct span operand)
{
  int base = base_of(operand);
  return base == RSP || (base == RBP && a->has_frame) || (base >= 0 && a->constant[base]) ||
         is_constant_symbol(a, symbol_of(operand));
}

/* Takes so many bytes; false if none was announced. */
static bool take(uint32_t *announced, uint32_t size)
{
  bool any = *announced > 0;
  *announced -= *announced < size ? *announced : size;
  return any;
}

static bool is_announced(struct announced *a, const struct instruction_access *access)
{
  bool reads = access->effect != EFFECT_STORE && access->effect != EFFECT_FILL;
  bool writes = access->effect != EFFECT_LOAD && access->effect != EFFECT_UNSEEN;
  a->accessed = true;
  if (access->effect == EFFECT_UNSEEN) /* nor does the compiler know what it does */
    return false;
  bool many = access->effect == EFFECT_COPY || access->effect == EFFECT_FILL;
  bool read = !reads || take(&a->read, many ? MANY : access->size);
  bool written = !writes || take(&a->write, many ? MANY : access->size);
  return read && written;
}

bool announced_any(const struct announced *a)
{
  return a->read || a->write;
}

void announced_label(struct announced *a, bool unsure)
{
  forget_constants(a);
  if (unsure)
    a->read = a->write = MANY;
}

bool announced_instruction(struct announced *a, const struct instruction *in)
{
  if (is_call(in)) {
    struct span hook = hook_called(in);
    forget_constants(a);
    if (span_begins(hook, "atomic"))
      note_atomic(a, hook, span_is(in->mnemonic, "callq")); /* as clang writes it */
    else
      note_hook(a, hook);
    return false;
  }
  if (*in->mnemonic.at == 'j')
    return false;
  if (in->operands == 2 && span_is(in->operand[0], "%rsp") && span_is(in->operand[1], "%rbp"))
    a->has_frame = true;
  struct instruction_access access = compiled_access_of(in);
  bool found = access.effect != EFFECT_NONE && access.effect != EFFECT_FENCE &&
               !(access.operand.length && is_private(a, access.operand));
  if (found)
    found = !is_announced(a, &access);
  note_constants(a, in);
  return found;
}
