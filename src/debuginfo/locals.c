/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables on stacks: which variable of a function lies at an offset from its canonical frame address. Per function
 * the variables and parameters that live in memory are listed when first asked, with those of nested blocks and of
 * inlined functions, which share its frame.
 *
 * The runtime takes the frame address from the frame pointer. Where the unwind table says that this is wrong for a
 * function (a realigned stack, no frame pointer), its variables stay without names.
 */
#include "debuginfo/symbols_internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define OUTLINED_MAX 32

struct local {
  int64_t low, high; /* [low, high) from the canonical frame address */
  Dwarf_Die die;
};

struct local_frame {
  uintptr_t pc;
  char *function; /* NULL: unknown */
  int64_t base;   /* the frame base, from the canonical frame address */
  struct local *locals;
  size_t count, room;
  Dwarf_Die outlined[OUTLINED_MAX]; /* variables that a compiler has put together for code it has taken out */
  size_t outlined_count;
};

/* An offset from the frame pointer as one from the canonical frame address. False on machines where it varies. */
static bool from_frame_pointer(int64_t *offset)
{
#if defined __x86_64__
  *offset -= 16;
  return true;
#else
  (void)offset;
  return false;
#endif
}

static bool is_frame_pointer(const Dwarf_Op *op)
{
#if defined __x86_64__
  return op->atom == DW_OP_breg6 || (op->atom == DW_OP_bregx && op->number == 6);
#else
  (void)op;
  return false;
#endif
}

/* Whether the frame pointer really leads to the canonical frame address there; true when nothing says otherwise. */
static bool frame_pointer_holds(struct module *m, uintptr_t pc)
{
#if defined __x86_64__
  Dwarf_Addr bias;
  Dwarf_Frame *frame = NULL;
  Dwarf_Op *ops;
  size_t count;
  Dwarf_CFI *cfi = dwfl_module_eh_cfi(m->dwfl, &bias);
  if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame) != 0)
    return true;
  const bool holds = dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 && is_frame_pointer(&ops[0]) &&
                     (ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number) == 16;
  free(frame);
  return holds;
#else
  (void)m;
  (void)pc;
  return true;
#endif
}

static bool frame_base(Dwarf_Die *subprogram, int64_t *base)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr(subprogram, DW_AT_frame_base, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 ||
      count != 1)
    return false;
  *base = 0;
  if (ops[0].atom == DW_OP_call_frame_cfa)
    return true;
  if (ops[0].atom == DW_OP_breg6)
    *base = (int64_t)ops[0].number;
  else if (ops[0].atom != DW_OP_reg6)
    return false;
  return from_frame_pointer(base);
}

/* Where a variable lies from the canonical frame address: as any of its locations in the frame says. */
static bool local_address(const struct local_frame *frame, Dwarf_Die *die, int64_t *offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Addr base, low, high;
  Dwarf_Op *ops;
  size_t count;
  ptrdiff_t at = 0;
  if (!dwarf_attr(die, DW_AT_location, &attribute))
    return false;
  while ((at = dwarf_getlocations(&attribute, at, &base, &low, &high, &ops, &count)) > 0) {
    if (count != 1)
      continue;
    if (ops[0].atom == DW_OP_fbreg) {
      *offset = frame->base + (int64_t)ops[0].number;
      return true;
    }
    if (is_frame_pointer(&ops[0])) {
      *offset = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number);
      return from_frame_pointer(offset);
    }
  }
  return false;
}

static void list_local(struct local_frame *frame, Dwarf_Die *die)
{
  Dwarf_Die type;
  int64_t offset;
  if (!dwarf_diename(die) || !type_of(die, &type) || !local_address(frame, die, &offset))
    return;
  if (frame->count == frame->room) {
    const size_t room = frame->room ? frame->room * 2 : 16;
    struct local *bigger = realloc(frame->locals, room * sizeof *bigger);
    if (!bigger)
      return; /* one name less */
    frame->locals = bigger;
    frame->room = room;
  }
  const uint64_t size = type_size(&type);
  const int64_t length = size == 0 ? (int64_t)sizeof(void *) : size < INT32_MAX ? (int64_t)size : INT32_MAX;
  frame->locals[frame->count++] = (struct local){.low = offset, .high = offset + length, .die = *die};
}

static void list_locals(struct local_frame *frame, Dwarf_Die *parent, int depth)
{
  Dwarf_Die child;
  bool more = depth < DEPTH_MAX && dwarf_child(parent, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
      list_local(frame, &child);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
      list_locals(frame, &child, depth + 1);
      break;
    default:
      break;
    }
  }
}

/* The variables that the function of an OpenMP region shares with the one it was part of: gcc puts them into a
 * structure on the stack of that, which has no name, and hands it on as the only parameter. */
static void list_shared(struct local_frame *frame, Dwarf_Die *parameter)
{
  Dwarf_Die type, inner, member;
  if (!type_of(parameter, &type) || !type_of(&type, &inner) || dwarf_tag(&inner) != DW_TAG_structure_type ||
      dwarf_child(&inner, &member) != 0)
    return;
  do {
    if (dwarf_tag(&member) == DW_TAG_member && frame->outlined_count < OUTLINED_MAX)
      frame->outlined[frame->outlined_count++] = member;
  } while (dwarf_siblingof(&member, &member) == 0);
}

static void list_outlined(struct local_frame *frame, Dwarf_Die *subprogram)
{
  Dwarf_Die child, parameter;
  bool more = dwarf_child(subprogram, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0)
    if (dwarf_tag(&child) == DW_TAG_subprogram && dwarf_hasattr(&child, DW_AT_artificial) &&
        dwarf_child(&child, &parameter) == 0 && dwarf_tag(&parameter) == DW_TAG_formal_parameter)
      list_shared(frame, &parameter);
}

static void learn_frame(struct symbols *s, struct local_frame *frame)
{
  const uintptr_t pc = frame->pc - 1;
  char name[256] = "";
  struct text_buffer text = {name, sizeof name, 0};
  Dwarf_Addr bias;
  Dwarf_Die subprogram;
  struct source_place place;
  struct module *m = module_of(s, pc);
  const struct unit_range *range = m ? module_unit(m, pc, &bias) : NULL;
  if (!range || !function_at(range, pc - bias, &subprogram)) {
    if (symbols_line(s, frame->pc, &place) && place.function)
      frame->function = strdup(place.function);
    return;
  }
  if (qualified_name(&subprogram, &text))
    frame->function = strdup(name);
  if (frame_base(&subprogram, &frame->base) && frame_pointer_holds(m, pc))
    list_locals(frame, &subprogram, 0);
  list_outlined(frame, &subprogram);
}

static struct local_frame *find_frame(struct symbols *s, uintptr_t pc)
{
  for (size_t i = 0; i < s->frame_count; i++)
    if (s->frames[i].pc == pc)
      return &s->frames[i];
  struct local_frame *frames = realloc(s->frames, (s->frame_count + 1) * sizeof *frames);
  if (!frames)
    return NULL;
  s->frames = frames;
  frames[s->frame_count] = (struct local_frame){.pc = pc};
  learn_frame(s, &frames[s->frame_count]);
  return &frames[s->frame_count++];
}

void local_frames_free(struct symbols *s)
{
  for (size_t i = 0; i < s->frame_count; i++) {
    free(s->frames[i].function);
    free(s->frames[i].locals);
  }
  free(s->frames);
  s->frames = NULL;
  s->frame_count = 0;
}

const char *local_function(struct symbols *s, const struct memory_place *place)
{
  const struct local_frame *frame = s && place->local_pc ? find_frame(s, place->local_pc) : NULL;
  return frame ? frame->function : NULL;
}

/* How well a variable explains an access: variables of different blocks may share their place. 0: not at all. */
static int fitness(const struct local *local, const struct memory_place *place)
{
  char unused[256];
  struct text_buffer name = {unused, sizeof unused, 0};
  const int64_t needed = place->length ? place->length : 1;
  Dwarf_Attribute attribute;
  Dwarf_Die die = local->die, type, leaf;
  if (place->local_offset < local->low || place->local_offset + needed > local->high ||
      !dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
    return 0;
  if (!type_walk(&type, (uint64_t)(place->local_offset - local->low), place->length, &name, &leaf))
    return 1;
  return type_size(&leaf) == place->length ? 3 : 2;
}

/* Where that structure lies is not known: the one variable in it, of all regions, that is of that size. */
static bool outlined_walk(const struct local_frame *frame, const struct memory_place *place, struct text_buffer *name,
                          Dwarf_Die *leaf)
{
  const char *found = NULL;
  for (size_t i = 0; i < frame->outlined_count; i++) {
    Dwarf_Die member = frame->outlined[i], type;
    const char *called = dwarf_diename(&member);
    if (!called || !type_of(&member, &type) || type_size(&type) != place->length || (found && !strcmp(found, called)))
      continue;
    if (found)
      return false;
    found = called;
    *leaf = type;
  }
  if (found)
    text_add(name, "%s", found);
  return found;
}

bool local_walk(struct symbols *s, const struct memory_place *place, struct text_buffer *name, Dwarf_Die *leaf)
{
  struct local_frame *frame = s && place->local_pc ? find_frame(s, place->local_pc) : NULL;
  const struct local *best = NULL;
  Dwarf_Attribute attribute;
  Dwarf_Die die, type;
  int most = 0;
  for (size_t i = 0; frame && i < frame->count; i++) {
    const int fits = fitness(&frame->locals[i], place);
    if (fits > most) {
      best = &frame->locals[i];
      most = fits;
    }
  }
  if (!best)
    return frame && outlined_walk(frame, place, name, leaf);
  die = best->die;
  text_add(name, "%s", dwarf_diename(&die));
  if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
    return false;
  type_walk(&type, (uint64_t)(place->local_offset - best->low), place->length, name, leaf);
  return true;
}

bool symbols_local(struct symbols *s, const struct memory_place *place, char *out, size_t n)
{
  struct text_buffer name = {out, n, 0};
  Dwarf_Die leaf;
  out[0] = '\0';
  if (local_walk(s, place, &name, &leaf))
    return true;
  const char *function = local_function(s, place);
  name.used = 0;
  if (function)
    text_add(&name, "a local of %s", function);
  else
    out[0] = '\0';
  return function != NULL;
}
