/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a disassembly; see disassembly.h.
 */
#include "link/disassembly.h"
#include "assemble/access.h"
#include <stdlib.h>
#include <string.h>

struct function {
  bool has_frame;      /* %rbp points to it */
  bool frame_accessed; /* some instruction accesses the frame */
  bool frame_given;    /* the address of something in it was taken */
};

static bool in_frame(const struct function *f, struct span operand)
{
  return span_has(operand, "(%rsp") || (f->has_frame && span_has(operand, "(%rbp"));
}

/* "  4:\tmov    %rsp,%rbp": the text of the instruction; empty if the line has none. */
static struct span instruction_in(const char *line)
{
  const char *tab = strchr(line, '\t');
  if (!tab || *line != ' ')
    return (struct span){0};
  struct span rest = {tab + 1, strcspn(tab + 1, "\n")};
  struct statement s;
  if (!take_statement(&rest, &s) || s.kind != STATEMENT_INSTRUCTION)
    return (struct span){0};
  return s.text;
}

/* Whether the instruction accesses memory beyond the frame; notes what it does with the frame. */
static bool accesses(struct function *f, struct span text)
{
  struct instruction in = instruction_parse(text);
  if (span_has(text, "nop")) /* with any prefixes, to fill up */
    return false;
  if (span_begins(in.mnemonic, "mov") && in.operands == 2 && span_is(in.operand[0], "%rsp")) {
    bool frame = span_is(in.operand[1], "%rbp");
    f->has_frame |= frame;
    f->frame_given |= !frame;
  }
  if (span_begins(in.mnemonic, "lea") && in.operands == 2 && in_frame(f, in.operand[0]) &&
      !span_is(in.operand[1], "%rsp"))
    f->frame_given = true;
  struct instruction_access a = access_of(&in);
  if (a.effect == EFFECT_NONE || a.effect == EFFECT_FENCE)
    return false;
  bool frame = a.operand.length && in_frame(f, a.operand);
  f->frame_accessed |= frame;
  return !frame;
}

bool disassembly_accesses(FILE *file)
{
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  struct function function = {0};
  while (!found && getline(&line, &room, file) >= 0) {
    struct span text = instruction_in(line);
    if (line[0] != ' ' && strstr(line, ">:"))
      function = (struct function){0};
    else if (text.length)
      found = accesses(&function, text) || (function.frame_accessed && function.frame_given);
  }
  free(line);
  return found;
}
