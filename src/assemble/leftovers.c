/* SPDX-License-Identifier: Apache-2.0
 *
 * See leftovers.h.
 */
#include "assemble/leftovers.h"
#include "assemble/access.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RSP = 4, RBP = 5, RSI = 6, RDI = 7 }; /* numbers of the machine */

static bool is_instruction(const struct flow_node *n)
{
  return n->statement.kind == STATEMENT_INSTRUCTION && n->in.mnemonic.length;
}

static bool is_call(const struct flow_node *n)
{
  return is_instruction(n) && span_begins(n->in.mnemonic, "call");
}

static bool is_jump(const struct flow_node *n)
{
  return is_instruction(n) && (*n->in.mnemonic.at == 'j' || span_begins(n->in.mnemonic, "loop"));
}

bool leftovers_matter_at(const struct instruction *in)
{
  if (!span_begins(in->mnemonic, "call") || in->operands != 1 || !span_has(in->operand[0], "__tsan_atomic"))
    return false;
  return span_has(in->operand[0], "_load") || span_has(in->operand[0], "exchange") ||
         span_has(in->operand[0], "_fetch_");
}

/* ---- ways that the text does not show ---- */

static bool returns_again(const struct flow_node *n)
{
  static const char *const names[] = {"setjmp", "getcontext", "vfork", "savectx"};
  bool again = false;
  for (size_t i = 0; is_call(n) && n->in.operands && i < sizeof names / sizeof *names; i++)
    again |= span_has(n->in.operand[0], names[i]);
  return again;
}

static bool names_label(const struct flow_node *n, struct span label)
{
  for (unsigned i = 0; i < n->in.operands; i++) {
    const char *at = memmem(n->in.operand[i].at, n->in.operand[i].length, label.at, label.length);
    const char *end = at ? at + label.length : NULL;
    bool whole = at && (end == n->in.operand[i].at + n->in.operand[i].length || *end < '0' || *end > '9');
    if (whole)
      return true;
  }
  return false;
}

/* Somebody may come there in another way than by a jump that names it. */
static bool has_address_taken(const struct flow_node *node, size_t count, struct span label)
{
  for (size_t i = 0; i < count; i++)
    if (is_instruction(&node[i]) && !is_jump(&node[i]) && !is_call(&node[i]) && names_label(&node[i], label))
      return true;
  return false;
}

static bool ways_are_known(const struct flow_node *node, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    bool inside = i && node[i].statement.kind == STATEMENT_LABEL && *node[i].statement.text.at == '.';
    if (node[i].written || returns_again(&node[i]) ||
        (inside && has_address_taken(node, count, node[i].statement.text)))
      return false;
  }
  return true;
}

/* ---- the frame ---- */

/* "-72(%rbp)" */
static bool is_in_frame(struct span operand, long *offset)
{
  char *end;
  if (!operand.length || (*operand.at != '-' && (*operand.at < '0' || *operand.at > '9')))
    return false;
  *offset = strtol(operand.at, &end, 10);
  return span_is((struct span){end, operand.length - (size_t)(end - operand.at)}, "(%rbp)");
}

static void note_general(void *context, struct register_name r)
{
  *(unsigned *)context |= r.class == REGISTER_GENERAL ? 1u << r.number : 0;
}

/* The general registers that the text mentions, by their numbers. */
static unsigned mentioned_in(struct span operand)
{
  unsigned set = 0;
  each_register(operand, note_general, &set);
  return set;
}

static bool mentions_frame(struct span operand)
{
  return mentioned_in(operand) & (1u << RSP | 1u << RBP);
}

static bool mentions(const struct flow_node *n, unsigned number)
{
  unsigned set = 0;
  for (unsigned i = 0; i < n->in.operands; i++)
    set |= mentioned_in(n->in.operand[i]);
  return set >> number & 1;
}

static bool loads_address(const struct flow_node *n)
{
  return span_begins(n->in.mnemonic, "lea") && n->in.operands == 2;
}

/* Many labels only tell a debugger where something is. */
static bool is_jumped_to(const struct flow_node *node, size_t count, size_t label)
{
  for (size_t i = 0; i < count; i++)
    if (node[i].next[1] == label)
      return true;
  return false;
}

/* The hook that the address is for: the call that follows, with nothing in between that could take it elsewhere. */
static const struct flow_node *hook_for(const struct flow_node *node, size_t count, size_t lea)
{
  unsigned into = operand_register(node[lea].in.operand[1]).number;
  for (size_t i = lea + 1; i < count && !is_jump(&node[i]); i++) {
    if (is_call(&node[i]))
      return &node[i];
    if (!is_instruction(&node[i]) && !is_jumped_to(node, count, i))
      continue;
    if (!node[i].in.operands || mentions(&node[i], into))
      return NULL;
  }
  return NULL;
}

/* "__tsan_atomic64_compare_exchange_strong": bytes of the variable that holds what is expected; 0: none such. */
static unsigned expected_by(struct span hook)
{
  const char *at = memmem(hook.at, hook.length, "__tsan_atomic", strlen("__tsan_atomic"));
  bool by_address = span_has(hook, "_compare_exchange_strong") || span_has(hook, "_compare_exchange_weak");
  long bits = at && by_address ? strtol(at + strlen("__tsan_atomic"), NULL, 10) : 0;
  return bits >= 8 && bits <= 64 ? (unsigned)bits / 8 : 0;
}

/* "__tsan_read8", "__tsan_write8": an access of so many bytes is told, and comes itself behind it. */
static unsigned told_by_hook(struct span hook)
{
  static const char *const names[] = {"__tsan_read", "__tsan_write"};
  const char *at = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !at; i++) {
    at = memmem(hook.at, hook.length, names[i], strlen(names[i]));
    at = at ? at + strlen(names[i]) : NULL;
  }
  return at ? (unsigned)strtol(at, NULL, 10) : 0;
}

/* ---- registers that hold an address of the frame ---- */

static const unsigned kept_numbers[] = {3, 12, 13, 14, 15}; /* of the machine */

/* What each of them holds before an instruction: an offset from %rbp, or one of these. */
#define NO_ADDRESS 0
#define NOT_SEEN LONG_MAX
#define ONE_OR_ANOTHER LONG_MIN
struct held_addresses {
  long at[KEPT_REGISTERS];
};

static bool is_general(struct span operand, unsigned number)
{
  struct register_name r = operand_register(operand);
  return r.class == REGISTER_GENERAL && r.number == number && r.size == 8;
}

/* "movq %r14, %rdi": handed to a function. */
static bool hands_on(const struct flow_node *n, unsigned number)
{
  return span_begins(n->in.mnemonic, "mov") && n->in.operands == 2 && is_general(n->in.operand[0], number) &&
         (is_general(n->in.operand[1], RDI) || is_general(n->in.operand[1], RSI));
}

static long held_after(const struct flow_node *n, unsigned k, long before)
{
  long offset;
  if (!is_instruction(n) || !(liveness_set_registers(n) >> k & 1))
    return before;
  bool loads =
      loads_address(n) && is_in_frame(n->in.operand[0], &offset) && is_general(n->in.operand[1], kept_numbers[k]);
  return loads ? offset : NO_ADDRESS;
}

/* True: it was not known before. */
static bool join_held(struct held_addresses *to, const struct flow_node *n, const struct held_addresses *before)
{
  bool changed = false;
  for (unsigned k = 0; k < KEPT_REGISTERS; k++) {
    long offset = held_after(n, k, before->at[k]);
    long both = to->at[k] == NOT_SEEN || to->at[k] == offset ? offset : ONE_OR_ANOTHER;
    changed |= both != to->at[k];
    to->at[k] = both;
  }
  return changed;
}

/* For each node; NULL: no memory left. */
static struct held_addresses *find_held(const struct flow_node *node, size_t count)
{
  struct held_addresses *held = calloc(count, sizeof *held);
  for (size_t i = 1; held && i < count; i++)
    for (unsigned k = 0; k < KEPT_REGISTERS; k++)
      held[i].at[k] = NOT_SEEN;
  for (bool changed = held; changed;) {
    changed = false;
    for (size_t i = 0; i < count; i++)
      for (unsigned k = 0; k < 2; k++)
        if (node[i].next[k] < count && held[i].at[0] != NOT_SEEN)
          changed |= join_held(&held[node[i].next[k]], &node[i], &held[i]);
  }
  return held;
}

/* ---- mentions ---- */

enum mention { NOT_OF_FRAME, ACCESS, EXPECTED, TOLD, HARMLESS, UNKNOWN };

/* The address of a slot goes to the hook that is called next. */
static enum mention handed_to_hook(const struct flow_node *node, size_t count, size_t i, unsigned *size)
{
  unsigned into = operand_register(node[i].in.operand[1]).number;
  const struct flow_node *hook = into == RSI || into == RDI ? hook_for(node, count, i) : NULL;
  struct span name = hook && hook->in.operands ? hook->in.operand[0] : (struct span){"", 0};
  *size = into == RSI ? expected_by(name) : told_by_hook(name);
  return !*size ? UNKNOWN : into == RSI ? EXPECTED : TOLD;
}

/* The beginning and the end of the function. */
static bool makes_frame(const struct instruction *in)
{
  static const char *const list[] = {"push", "pop", "sub", "add", "and"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (span_begins(in->mnemonic, list[k]) && !operand_is_memory(in->operand[in->operands - 1]) &&
        (in->operands < 2 || !mentions_frame(in->operand[0])))
      return true;
  return span_begins(in->mnemonic, "mov") && in->operands == 2 && span_is(in->operand[0], "%rsp") &&
         span_is(in->operand[1], "%rbp");
}

/* The same of a register that holds an address. */
static enum mention mention_by_register(const struct held_addresses *held, const struct flow_node *node, size_t count,
                                        size_t i, long *offset, unsigned *size)
{
  for (unsigned k = 0; k < KEPT_REGISTERS; k++) {
    long at = held[i].at[k];
    if (at == NO_ADDRESS || at == NOT_SEEN || !(liveness_used_registers(&node[i]) >> k & 1))
      continue;
    *offset = at;
    return at != ONE_OR_ANOTHER && hands_on(&node[i], kept_numbers[k]) ? handed_to_hook(node, count, i, size) : UNKNOWN;
  }
  return NOT_OF_FRAME;
}

/* What the instruction does with the frame. size: bytes of it. */
static enum mention mention_of(const struct held_addresses *held, const struct flow_node *node, size_t count, size_t i,
                               long *offset, unsigned *size)
{
  const struct flow_node *n = &node[i];
  bool any = false, direct = false;
  if (!is_instruction(n))
    return NOT_OF_FRAME;
  for (unsigned k = 0; k < n->in.operands; k++) {
    any |= mentions_frame(n->in.operand[k]);
    direct |= is_in_frame(n->in.operand[k], offset);
  }
  if (!any)
    return mention_by_register(held, node, count, i, offset, size);
  if (loads_address(n) && direct) {
    bool keeps = is_general(n->in.operand[1], RSP);
    for (unsigned k = 0; k < KEPT_REGISTERS; k++)
      keeps |= is_general(n->in.operand[1], kept_numbers[k]);
    return keeps ? HARMLESS : handed_to_hook(node, count, i, size);
  }
  if (direct) {
    struct instruction_access a = compiled_access_of(&n->in);
    bool accesses = a.effect == EFFECT_LOAD || a.effect == EFFECT_STORE || a.effect == EFFECT_UPDATE;
    bool stores_address = mention_by_register(held, node, count, i, &(long){0}, size) != NOT_OF_FRAME;
    *size = a.size;
    return accesses && a.size && !stores_address ? ACCESS : UNKNOWN;
  }
  return makes_frame(&n->in) ? HARMLESS : UNKNOWN;
}

static unsigned slot_at(const struct leftovers *l, long offset)
{
  unsigned s = 0;
  while (s < l->slots && l->slot[s].offset != offset)
    s++;
  return s;
}

#define FRAME_ABOVE 16 /* bytes from %rbp up to what the unwinder counts from: the return address and the old %rbp */

/* Where a register of the caller is kept is no slot: it stands among them with no size. */
void leftovers_note(struct leftovers *l, struct span directive)
{
  l->lands |= span_begins(directive, ".cfi_lsda") || span_begins(directive, ".cfi_personality");
  l->moves |= span_begins(directive, ".cfi_escape") || span_begins(directive, ".cfi_rel_offset");
  if (!span_begins(directive, ".cfi_offset"))
    return;
  const char *comma = memchr(directive.at, ',', directive.length);
  if (comma && l->slots < SLOTS_MOST)
    l->slot[l->slots++] = (struct slot){strtol(comma + 1, NULL, 10) + FRAME_ABOVE, 0};
  else
    l->moves = true;
}

/* Those that are mentioned, as far as there is room. False: an address goes elsewhere. */
static bool find_slots(struct leftovers *l, const struct held_addresses *held, const struct flow_node *node,
                       size_t count)
{
  unsigned kept = l->slots;
  for (size_t i = 0; i < count; i++) {
    long offset;
    unsigned size;
    enum mention how = mention_of(held, node, count, i, &offset, &size);
    if (how == UNKNOWN)
      return false;
    if (how == NOT_OF_FRAME || how == HARMLESS || offset >= 0)
      continue;
    unsigned s = slot_at(l, offset);
    if (s < kept || s == SLOTS_MOST)
      continue;
    l->slots += s == l->slots;
    l->slot[s].offset = offset;
    l->slot[s].size = l->slot[s].size < size ? size : l->slot[s].size;
  }
  return true;
}

/* Who uses and who sets them. One that others overlap is given up. */
static void mark_slots(struct leftovers *l, const struct held_addresses *held, struct flow_node *node, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    long offset;
    unsigned size;
    enum mention how = mention_of(held, node, count, i, &offset, &size);
    if (how == NOT_OF_FRAME || how == HARMLESS)
      continue;
    for (unsigned s = 0; s < l->slots; s++)
      if (offset != l->slot[s].offset && offset < l->slot[s].offset + (long)l->slot[s].size &&
          l->slot[s].offset < offset + (long)size)
        l->slot[s].size = 0;
    unsigned s = slot_at(l, offset);
    if (s == l->slots)
      continue;
    if (how == ACCESS && size >= l->slot[s].size && span_begins(node[i].in.mnemonic, "mov") &&
        compiled_access_of(&node[i].in).effect == EFFECT_STORE)
      node[i].slots_set |= 1u << s;
    else if (how != TOLD)
      node[i].slots_used |= 1u << s;
    for (size_t k = i; how == EXPECTED && !is_call(&node[k]); k++) /* from there to the call */
      node[k + 1].slots_used |= 1u << s;
  }
}

void leftovers_look_for(struct leftovers *l, struct flow_node *node, size_t count)
{
  liveness_find(node, count);
  l->known = !l->lands && ways_are_known(node, count);
  struct held_addresses *held = l->known && !l->moves ? find_held(node, count) : NULL;
  if (held && find_slots(l, held, node, count))
    mark_slots(l, held, node, count);
  else
    l->slots = 0;
  free(held);
  if (l->slots)
    liveness_find(node, count);
}

/* ---- clearing ---- */

/* Whether the function may come there again. */
static bool is_in_loop(const struct flow_node *node, size_t count, size_t at)
{
  bool *seen = calloc(count, sizeof *seen);
  size_t *next = calloc(count + 2, sizeof *next), left = 0;
  bool found = !seen || !next; /* clearing what is not live is never wrong */
  if (!found)
    next[left++] = at;
  while (left && !found) {
    size_t i = next[--left];
    for (unsigned k = 0; k < 2; k++) {
      size_t to = node[i].next[k];
      if (to >= count || seen[to])
        continue;
      found |= to == at;
      seen[to] = true;
      next[left++] = to;
    }
  }
  free(seen);
  free(next);
  return found;
}

void leftovers_clear(const struct leftovers *l, const struct flow_node *node, size_t count, size_t call, FILE *out)
{
  static const char *const names[] = {"ebx", "r12d", "r13d", "r14d", "r15d"};
  static const char suffixes[] = {[1] = 'b', [2] = 'w', [4] = 'l', [8] = 'q'};
  if (!l->known || !is_in_loop(node, count, call))
    return;
  uint32_t registers = liveness_dead_registers(&node[call]), slots = liveness_dead_slots(&node[call]);
  for (unsigned i = 0; i < KEPT_REGISTERS; i++)
    if (registers >> i & 1)
      fprintf(out, "\txorl\t%%%s, %%%s;", names[i], names[i]);
  for (unsigned s = 0; s < l->slots; s++)
    if (slots >> s & 1 && l->slot[s].size < sizeof suffixes && suffixes[l->slot[s].size])
      fprintf(out, "\tmov%c\t$0, %ld(%%rbp);", suffixes[l->slot[s].size], l->slot[s].offset);
}
