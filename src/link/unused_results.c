/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that nobody reads; see unused_results.h. The disassembly is made into what an assembler would read, with a
 * label before each instruction, and assemble/liveness.h says the rest.
 */
#include "link/unused_results.h"
#include "assemble/liveness.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WANTED ".wanted" /* a label before the calls that are asked about */

/* Functions that take any number of arguments are told in %al how many of them are vectors. Every compiler sets it for
 * such a call; none leaves there what another call returned. */
#define NOT_AN_ARGUMENT "xorl %%eax, %%eax"

struct disassembled {
  const uint64_t *function; /* that they call */
  size_t functions;
  char *text; /* as for an assembler */
  size_t bytes;
  struct flow_node *node;
  uint64_t *address; /* of each node */
  size_t count, room;
};

/* "401136 <worker+0x10>" becomes ".L401136", "401040 <queue_push>" and "401040 <free@plt>" the name: only jumps inside
 * of a function have a distance. */
static void print_target(FILE *out, const char *target)
{
  const char *open = strchr(target, '<'), *close = open ? strchr(open, '>') : NULL;
  uint64_t address;
  if (*target == '*' || !close || sscanf(target, "%" SCNx64, &address) != 1)
    fprintf(out, "%s", target);
  else if (memchr(open, '+', (size_t)(close - open)))
    fprintf(out, ".L%" PRIx64 "\n", address);
  else
    fprintf(out, "%.*s\n", (int)(close - open - 1), open + 1);
}

static bool is_wanted(const struct disassembled *code, const char *target)
{
  uint64_t address;
  if (sscanf(target, "%" SCNx64, &address) != 1)
    return false;
  for (size_t i = 0; i < code->functions; i++)
    if (code->function[i] == address)
      return true;
  return false;
}

/* "  401136:\tjmp    401150 <worker+0x2a>" */
static void print_line(FILE *out, const struct disassembled *code, const char *line)
{
  uint64_t address;
  const char *tab = strchr(line, '\t');
  if (!tab || *line != ' ' || sscanf(line, "%" SCNx64 ":", &address) != 1)
    return;
  const char *mnemonic = tab + 1, *operand = mnemonic + strcspn(mnemonic, " \n");
  if (!strncmp(mnemonic, "bnd ", 4) || !strncmp(mnemonic, "notrack ", 8)) {
    mnemonic = operand + 1;
    operand = mnemonic + strcspn(mnemonic, " \n");
  }
  fprintf(out, ".L%" PRIx64 ":\n\t", address);
  if (*mnemonic != 'j' && strncmp(mnemonic, "call", 4)) {
    fprintf(out, "%s", mnemonic);
    return;
  }
  operand += strspn(operand, " ");
  if (*mnemonic == 'c' && *operand != '*') {
    fprintf(out, NOT_AN_ARGUMENT "\n\t");
    if (is_wanted(code, operand))
      fprintf(out, WANTED ":\n\t");
  }
  fprintf(out, "%.*s ", (int)strcspn(mnemonic, " "), mnemonic);
  print_target(out, operand);
}

static bool translate(FILE *disassembly, struct disassembled *code)
{
  char *line = NULL;
  size_t room = 0;
  FILE *out = open_memstream(&code->text, &code->bytes);
  while (out && getline(&line, &room, disassembly) >= 0)
    print_line(out, code, line);
  free(line);
  return out && fclose(out) == 0;
}

static bool add_node(struct disassembled *code, const struct flow_node *node, uint64_t address)
{
  if (code->count == code->room) {
    size_t room = code->room ? 2 * code->room : 256;
    struct flow_node *nodes = realloc(code->node, room * sizeof *nodes);
    uint64_t *addresses = nodes ? realloc(code->address, room * sizeof *addresses) : NULL;
    code->node = nodes ? nodes : code->node;
    if (!addresses)
      return false;
    code->address = addresses;
    code->room = room;
  }
  code->node[code->count] = *node;
  code->address[code->count++] = address;
  return true;
}

static bool take_apart(struct disassembled *code)
{
  struct span text = {code->text, code->bytes}, line;
  struct statement s;
  uint64_t address = 0;
  while (take_line(&text, &line))
    while (take_statement(&line, &s)) {
      struct flow_node node = {.statement = s};
      if (s.kind == STATEMENT_LABEL)
        sscanf(s.text.at, ".L%" SCNx64, &address);
      else if (s.kind == STATEMENT_INSTRUCTION)
        node.in = instruction_parse(s.text);
      else
        continue;
      if (!add_node(code, &node, address))
        return false;
    }
  return code->count;
}

static bool is_asked_about(const struct disassembled *code, size_t i)
{
  return i > 0 && code->node[i - 1].statement.kind == STATEMENT_LABEL &&
         span_is(code->node[i - 1].statement.text, WANTED);
}

size_t unused_results(FILE *disassembly, const uint64_t *function, size_t functions, uint64_t *result, size_t most)
{
  struct disassembled code = {.function = function, .functions = functions};
  size_t found = 0;
  if (translate(disassembly, &code) && take_apart(&code)) {
    liveness_find(code.node, code.count);
    for (size_t i = 0; i + 1 < code.count && found < most; i++)
      if (is_asked_about(&code, i) && liveness_result_unused(code.node, i))
        result[found++] = code.address[i + 1]; /* of the label that follows */
  }
  free(code.text);
  free(code.node);
  free(code.address);
  return found;
}
