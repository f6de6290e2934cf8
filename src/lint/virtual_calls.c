/* SPDX-License-Identifier: Apache-2.0
 *
 * Who overrides whom; see the header.
 */
#include "lint/virtual_calls.h"
#include <stdlib.h>

static int by_overridden(const void *left, const void *right)
{
  const struct method_override *a = left, *b = right;
  if (a->overridden != b->overridden)
    return a->overridden < b->overridden ? -1 : 1;
  return a->method < b->method ? -1 : a->method > b->method;
}

/* Once each: units that include the same class say the same. */
static void put_in_order(struct whole_program *p)
{
  size_t kept = 0;
  if (p->overrides)
    qsort(p->override, p->overrides, sizeof *p->override, by_overridden);
  for (size_t i = 0; i < p->overrides; i++)
    if (!kept || by_overridden(&p->override[kept - 1], &p->override[i]))
      p->override[kept++] = p->override[i];
  p->overrides = kept;
}

const struct method_override *program_overriders(const struct whole_program *p, uint32_t method, size_t *count)
{
  size_t low = 0, high = p->overrides;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->override[middle].overridden < method)
      low = middle + 1;
    else
      high = middle;
  }
  for (*count = 0; low + *count < p->overrides && p->override[low + *count].overridden == method;)
    ++*count;
  return p->override + low;
}

static bool may_be_called_itself(const struct whole_program *p, uint32_t method)
{
  return p->symbol[method].function != PROGRAM_NONE || !(p->symbol[method].flags & SYMBOL_PURE);
}

unsigned virtual_targets(const struct whole_program *p, uint32_t method, uint32_t target[TARGETS_MOST])
{
  size_t count;
  const struct method_override *o = program_overriders(p, method, &count);
  unsigned targets = 0;
  if (may_be_called_itself(p, method))
    target[targets++] = method;
  for (size_t i = 0; i < count && targets <= TARGETS_MOST; i++) {
    if (targets < TARGETS_MOST)
      target[targets] = o[i].method;
    targets++;
  }
  return targets;
}

/* A pure method is known by the only function that overrides it. */
static void name_single_overriders(struct whole_program *p)
{
  for (size_t i = 0, count; i < p->overrides; i += count) {
    const uint32_t method = p->override[i].overridden;
    program_overriders(p, method, &count);
    if (count == 1 && !may_be_called_itself(p, method))
      p->symbol[method].function = p->symbol[p->override[i].method].function;
  }
}

void virtual_calls_settle(struct whole_program *p)
{
  put_in_order(p);
  name_single_overriders(p);
  for (size_t i = 0; i < p->calls; i++) {
    struct lint_call *call = &p->call[i];
    const uint32_t method = call->callee;
    size_t count;
    if (method == PROGRAM_NONE || program_node(p, call->code)->op != OPERATOR_VIRTUAL)
      continue;
    program_overriders(p, method, &count);
    const uint32_t function = p->symbol[method].function;
    if (count == 1 && function != PROGRAM_NONE && p->function[function].symbol != method)
      call->callee = p->function[function].symbol;
    else
      call->may = count;
  }
}
