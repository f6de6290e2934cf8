/* SPDX-License-Identifier: Apache-2.0
 *
 * Bugs that the models of primitives find, and exit statuses (core/finding.h).
 */
#include "core/finding.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"

void bug_exit(int status)
{
  struct control *c = rt.control;
  bool right = c->config.exit_status == EXIT_STATUS_ANY || (uint64_t)status == c->config.exit_status;
  if (!c->exits.seen)
    c->exits.first = (uint32_t)status;
  c->exits.seen = 1;
  c->exits.differ |= c->exits.first != (uint32_t)status;
  for (uint32_t i = 0; i < c->bugs && c->exits.differ; i++)
    c->bug[i].constant = 0;
  if (right)
    return;
  struct bug *bug = bug_new(rt.engine, BUG_EXIT, bug_key_of(rt.engine, BUG_EXIT, (uintptr_t)status, 0));
  bug->detail = status;
  bug->constant = !c->exits.differ;
  bug_text(bug, "the program ended with exit status %d", status);
  unsigned me = self_index();
  bug_add_party(rt.engine, bug, me, (enum op_kind)rt.engine->thread[me].pending.kind, 0, 0, 0);
  bug_declare(rt.engine, bug);
}

void bug_here(enum bug_kind kind, uintptr_t addr, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  pc = in_image(pc);
  /* A hang shows wherever it is cut off; it is one bug all the same. */
  struct bug *bug = bug_new(rt.engine, kind, bug_key_of(rt.engine, kind, kind == BUG_HANG ? 0 : pc, 0));
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
  unsigned me = self_index();
  bug_add_party(rt.engine, bug, me, (enum op_kind)rt.engine->thread[me].pending.kind, addr, 0, pc);
  bug_declare(rt.engine, bug);
  execution_end();
}

void misuse(const struct object *object, enum op_kind op, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  pc = in_image(pc);
  struct bug *bug = bug_new(rt.engine, BUG_PROPERTY, bug_key_of(rt.engine, BUG_PROPERTY, pc, op));
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
  bug_add_party(rt.engine, bug, self_index(), op, object ? object->addr : 0, 0, pc);
  if (object && object->owner >= 0) {
    bug->party[0].holder = object->owner;
    bug->party[0].holder_pc = object->owner_pc;
  }
  bug_declare(rt.engine, bug);
  execution_end();
}
