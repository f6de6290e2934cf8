/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine for conditions and bodies; see property_code.h.
 */
#include "core/property_code.h"
#include <stdbool.h>

static bool takes_number(int64_t instruction)
{
  return instruction >= CODE_NUMBER && instruction <= CODE_SKIP;
}

/* Unsigned where C would leave an overflow undefined. */
static int64_t combine(int64_t instruction, int64_t a, int64_t b)
{
  bool undefined = b == 0 || (a == INT64_MIN && b == -1);
  switch (instruction) {
  case CODE_OR:
    return a || b;
  case CODE_AND:
    return a && b;
  case CODE_EQUAL:
    return a == b;
  case CODE_UNEQUAL:
    return a != b;
  case CODE_LESS:
    return a < b;
  case CODE_LESS_OR_EQUAL:
    return a <= b;
  case CODE_GREATER:
    return a > b;
  case CODE_GREATER_OR_EQUAL:
    return a >= b;
  case CODE_BIT_AND:
    return a & b;
  case CODE_BIT_OR:
    return a | b;
  case CODE_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case CODE_SUBTRACT:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case CODE_MULTIPLY:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case CODE_DIVIDE:
    return undefined ? 0 : a / b;
  default: /* CODE_REMAINDER */
    return undefined ? 0 : a % b;
  }
}

int64_t property_code_run(const int64_t *code, const int64_t *values, int64_t *variables)
{
  int64_t stack[CODE_STACK] = {0};
  unsigned depth = 0;
  while (*code != CODE_END) {
    int64_t instruction = *code++, number = takes_number(instruction) ? *code++ : 0;
    switch (instruction) {
    case CODE_NUMBER:
      stack[depth++] = number;
      break;
    case CODE_VALUE:
      stack[depth++] = values[number];
      break;
    case CODE_VARIABLE:
      stack[depth++] = variables[number];
      break;
    case CODE_STORE:
      variables[number] = stack[--depth];
      break;
    case CODE_SKIP:
      code += stack[--depth] ? 0 : number;
      break;
    case CODE_NOT:
      stack[depth - 1] = !stack[depth - 1];
      break;
    case CODE_NEGATE:
      stack[depth - 1] = (int64_t)(0 - (uint64_t)stack[depth - 1]);
      break;
    default:
      depth--;
      stack[depth - 1] = combine(instruction, stack[depth - 1], stack[depth]);
      break;
    }
  }
  return depth ? stack[depth - 1] : 0;
}
