/* SPDX-License-Identifier: Apache-2.0
 *
 * Declaring bugs; see finding.h.
 */
#include "core/finding.h"
#include "core/key.h"
#include "core/rng.h"
#include "core/without_libc.h"

uint64_t bug_key_of(struct engine *e, enum bug_kind kind, uintptr_t a, uintptr_t b)
{
  const struct world *w = e->world;
  return mix64(mix64(mix64(kind + 1) ^ w->place(w->self, a)) + w->place(w->self, b));
}

struct bug *bug_new(struct engine *e, enum bug_kind kind, uint64_t key)
{
  struct bug *bug = &e->bug;
  bug->kind = kind;
  bug->parties = 0;
  bug->key = key;
  bug->detail = 0;
  bug->constant = 0;
  bug->detectors = 0;
  bug->text[0] = bug->where[0] = 0;
  return bug;
}

struct bug *bug_race(struct engine *e, uintptr_t a, uintptr_t b, uint32_t detector)
{
  struct bug *bug = bug_new(e, BUG_RACE, bug_key_of(e, BUG_RACE, a < b ? a : b, a < b ? b : a));
  bug->detectors = detector;
  bug_text(bug, "data race");
  return bug;
}

void bug_text(struct bug *bug, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
}

void bug_add_party(struct engine *e, struct bug *bug, unsigned task, enum op_kind op, uintptr_t addr, uint32_t length,
                   uintptr_t pc)
{
  const struct world *w = e->world;
  if (bug->parties == BUG_PARTIES)
    return;
  struct bug_party *p = &bug->party[bug->parties++];
  struct whereabouts at;
  w->locate(w->self, task, addr, &at);
  *p = (struct bug_party){.thread = task,
                          .op = (uint16_t)op,
                          .length = length,
                          .holder = -1,
                          .addr = addr && (op_has_address(op) || op == OP_NONE) ? key_in_space(at.space, addr) : addr,
                          .pc = pc,
                          .block_pc = at.block_pc,
                          .freed_pc = at.freed_pc,
                          .block_offset = at.block_offset,
                          .block_size = at.block_size,
                          .local_pc = at.local_pc,
                          .local_offset = at.local_offset,
                          .mapped = at.mapped};
  copy_bytes(p->name, at.name, sizeof p->name);
  copy_bytes(p->block_calls, at.block_calls, sizeof p->block_calls);
  if (op_table[op].object == OBJECT_FD && w->call_subject)
    print_text(p->name, sizeof p->name, "%s", w->call_subject(w->self, task));
  if (op_is_on_channels(op) && w->channel) {
    struct channel_view view;
    w->channel(w->self, task, &view);
    p->block_pc = view.named ? 0 : view.made_at;
    print_text(p->what, sizeof p->what, "%s", view.what);
    print_text(p->state, sizeof p->state, "%s", view.state);
  }
  if (e->control->config.trace)
    p->depth = (uint16_t)w->stack(w->self, task, p->stack, BUG_STACK);
}

static bool ends_execution(const struct engine *e, const struct bug *bug)
{
  return bug_ends_execution(bug, e->control->config.races, e->control->config.leaks);
}

/* Those that end no execution come in any number, and must not take the room of the one that does. */
static bool has_room(const struct engine *e, bool ends)
{
  const struct control *c = e->control;
  uint32_t asides = 0;
  for (uint32_t i = 0; i < c->bugs; i++)
    asides += !ends_execution(e, &c->bug[i]);
  return c->bugs < CONTROL_BUGS && (ends || asides < CONTROL_ASIDES);
}

static void take_note(struct engine *e, const struct bug *bug)
{
  struct control *c = e->control;
  uint32_t i = 0;
  while (i < c->bugs && c->bug[i].key != bug->key)
    i++;
  if (i < c->bugs) {
    c->bug[i].detectors |= bug->detectors;
    c->bug[i].constant &= bug->constant;
  } else if (has_room(e, ends_execution(e, bug))) {
    c->bug[i] = *bug;
    c->bug[i].execution = c->execution;
    c->bug[i].step = e->step;
    c->bug[i].schedule = SCHEDULE_PENDING;
    c->bugs++;
    e->outcome.noted = e->outcome.noted ? e->outcome.noted : bug->key;
  } else {
    c->bugs_left_out = 1;
  }
}

void bug_declare(struct engine *e, struct bug *bug)
{
  bool ends = ends_execution(e, bug);
  watchers_declare(&e->watchers, e, bug);
  take_note(e, bug);
  if (!ends && (e->control->config.target_key != bug->key || e->outcome.bug))
    return;
  e->outcome.bug = ends || e->strategy->keeps;
  e->outcome.bug_key = bug->key;
  e->outcome.bug_kind = bug->kind;
  if (ends)
    engine_stop(e);
}
