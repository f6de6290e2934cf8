/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters and results from DWARF; see call_shapes.h. Integers, pointers and references are passed in general
 * registers, in order; numbers with a point are not. After a parameter that is a structure nothing is known of the
 * registers of the others, nor in a copy of a function that the compiler made for some callers.
 */
#include "debuginfo/call_shapes.h"
#include "core/config.h"
#include "debuginfo/symbols_internal.h"
#include <dwarf.h>
#include <string.h>

#define PEELED_MOST 16
#define ALL_ARGUMENTS ((1u << SHAPE_ARGUMENTS) - 1)

static bool find(struct symbols *s, uintptr_t function, Dwarf_Die *out)
{
  Dwarf_Addr bias;
  struct module *m = s ? module_of(s, function) : NULL;
  const struct unit_range *range = m ? module_unit(m, function, &bias) : NULL;
  return range && function_at(range, function - bias, out);
}

/* queue_push.isra.0, conn_send.constprop.1 */
static bool is_copy(struct symbols *s, uintptr_t function)
{
  const struct module *m = module_of(s, function);
  const char *name = m ? dwfl_module_addrname(m->dwfl, function) : NULL;
  return name && strchr(name, '.');
}

/* The type as it is declared; false: there is none, which is void. */
static bool declared_type(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* ---- types ---- */

enum passed { PASSED_GENERAL, PASSED_VECTOR, PASSED_UNKNOWN };

static enum passed how_passed(Dwarf_Die *type)
{
  switch (dwarf_tag(type)) {
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
  case DW_TAG_enumeration_type:
    return PASSED_GENERAL;
  case DW_TAG_base_type: {
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (type_size(type) > sizeof(uint64_t) || !dwarf_attr_integrate(type, DW_AT_encoding, &attribute) ||
        dwarf_formudata(&attribute, &encoding) != 0)
      return PASSED_UNKNOWN;
    return encoding == DW_ATE_float ? PASSED_VECTOR : PASSED_GENERAL;
  }
  default:
    return PASSED_UNKNOWN;
  }
}

/* Whether it leads to something that is not constant. */
static bool leads_to_writable(Dwarf_Die *pointer)
{
  Dwarf_Die at;
  if (dwarf_tag(pointer) != DW_TAG_pointer_type && dwarf_tag(pointer) != DW_TAG_reference_type &&
      dwarf_tag(pointer) != DW_TAG_rvalue_reference_type)
    return false;
  if (!declared_type(pointer, &at))
    return true;
  for (int i = 0; i < PEELED_MOST; i++) {
    int tag = dwarf_tag(&at);
    if (tag == DW_TAG_const_type || tag == DW_TAG_subroutine_type)
      return false;
    if ((tag != DW_TAG_typedef && tag != DW_TAG_volatile_type) || !declared_type(&at, &at))
      return true;
  }
  return true;
}

/* A parameter and its register; SHAPE_ARGUMENTS: none that is known. */
struct parameter {
  bool any;
  Dwarf_Die die, declared, type;
  unsigned at;
  unsigned next; /* register */
  bool lost;     /* nothing is known of those that follow */
};

static bool next_parameter(Dwarf_Die *function, struct parameter *p)
{
  for (;;) {
    if (p->any ? dwarf_siblingof(&p->die, &p->die) != 0 : dwarf_child(function, &p->die) != 0)
      return false;
    p->any = true;
    if (dwarf_tag(&p->die) != DW_TAG_formal_parameter)
      continue;
    p->at = SHAPE_ARGUMENTS;
    enum passed how =
        declared_type(&p->die, &p->declared) && type_of(&p->die, &p->type) ? how_passed(&p->type) : PASSED_UNKNOWN;
    p->lost |= how == PASSED_UNKNOWN;
    if (!p->lost && how == PASSED_GENERAL && p->next < SHAPE_ARGUMENTS)
      p->at = p->next++;
    return true;
  }
}

static enum call_gives gives(Dwarf_Die *function)
{
  Dwarf_Die type;
  if (!declared_type(function, &type))
    return GIVES_NOTHING;
  return type_of(function, &type) && how_passed(&type) == PASSED_GENERAL ? GIVES_NUMBER : GIVES_MORE;
}

struct call_shape symbols_call_shape(struct symbols *s, uintptr_t function)
{
  Dwarf_Die die;
  if (!find(s, function, &die))
    return (struct call_shape){.gives = GIVES_MORE, .fills = ALL_ARGUMENTS};
  struct call_shape shape = {.gives = (uint8_t)gives(&die)};
  struct parameter p = {.lost = is_copy(s, function)};
  while (next_parameter(&die, &p))
    if (p.at < SHAPE_ARGUMENTS && leads_to_writable(&p.type))
      shape.fills |= (uint8_t)(1u << p.at);
  if (p.lost)
    shape.fills = (uint8_t)(shape.fills | (ALL_ARGUMENTS & (ALL_ARGUMENTS << p.next)));
  return shape;
}

/* ---- words ---- */

void symbols_call_text(struct symbols *s, uintptr_t function, const uint64_t argument[SHAPE_ARGUMENTS], char *out,
                       size_t n)
{
  struct text_buffer text = {out, n, 0};
  Dwarf_Die die;
  *out = 0;
  if (!find(s, function, &die) || !qualified_name(&die, &text)) {
    symbols_format_place(s, function, out, n);
    return;
  }
  text_add(&text, "(");
  struct parameter p = {.lost = is_copy(s, function)};
  const char *between = "";
  while (next_parameter(&die, &p)) {
    char value[128] = "…";
    Dwarf_Attribute artificial;
    if (dwarf_attr_integrate(&p.die, DW_AT_artificial, &artificial)) /* this */
      continue;
    if (p.at < SHAPE_ARGUMENTS)
      type_format_value(s, &p.declared, type_size(&p.type), argument[p.at], value, sizeof value);
    if (!strncmp(value, "0x", 2)) /* the address of something that has no name */
      snprintf(value, sizeof value, "…");
    text_add(&text, "%s%s", between, value);
    between = ", ";
  }
  text_add(&text, ")");
}
