/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of code from DWARF; see the header.
 */
#include "debuginfo/line_pieces.h"
#include "debuginfo/symbols_internal.h"
#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define DEPTH_MAX 64

struct visit {
  void (*each)(void *context, const struct line_piece *piece);
  void *context;
  size_t units;
};

static void visit_lines(struct visit *v, Dwarf_Die *unit)
{
  Dwarf_Lines *lines;
  size_t count;
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return;
  for (size_t i = 0; i + 1 < count; i++) {
    Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
    struct line_piece piece = {.file = dwarf_linesrc(line, NULL, NULL)};
    Dwarf_Addr from, to;
    bool ends;
    int number;
    if (!piece.file || dwarf_lineendsequence(line, &ends) != 0 || ends || dwarf_lineno(line, &number) != 0 ||
        dwarf_lineaddr(line, &from) != 0 || dwarf_lineaddr(next, &to) != 0 || to <= from || number <= 0)
      continue;
    piece.from = from;
    piece.to = to;
    piece.line = (uint32_t)number;
    v->each(v->context, &piece);
  }
}

static void visit_inlined(struct visit *v, Dwarf_Die *call)
{
  Dwarf_Attribute attribute;
  Dwarf_Word line;
  Dwarf_Addr base, from, to;
  struct line_piece piece = {.file = die_file(call, DW_AT_call_file), .inlined = true};
  if (!piece.file || !dwarf_attr(call, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) != 0)
    return;
  piece.line = (uint32_t)line;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(call, at, &base, &from, &to)) > 0;) {
    piece.from = from;
    piece.to = to;
    v->each(v->context, &piece);
  }
}

static void visit_functions(struct visit *v, Dwarf_Die *parent, int depth)
{
  Dwarf_Die child;
  bool more = depth < DEPTH_MAX && dwarf_child(parent, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
      visit_inlined(v, &child);
    if (dwarf_haschildren(&child) > 0)
      visit_functions(v, &child, depth + 1);
  }
}

bool line_pieces(const char *program, void (*each)(void *context, const struct line_piece *piece), void *context,
                 char *error, size_t error_size)
{
  struct visit v = {.each = each, .context = context};
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
  Dwarf_Off at = 0, next;
  size_t header;
  while (dwarf && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, at + header, &unit)) {
      visit_lines(&v, &unit);
      visit_functions(&v, &unit, 0);
      v.units++;
    }
    at = next;
  }
  if (dwarf)
    dwarf_end(dwarf);
  if (fd >= 0)
    close(fd);
  if (!v.units)
    snprintf(error, error_size, "%s has no debug information: build it with heddle cc, or with -g", program);
  return v.units;
}
