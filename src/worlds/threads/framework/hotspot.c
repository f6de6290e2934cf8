/* SPDX-License-Identifier: Apache-2.0
 *
 * Hotspots: places of which the program says that executions come there always, never or sometimes (heddle.h). What
 * must not be and what is missing at the end of an execution are bugs of that execution; whether an execution ever came
 * to a place is for the end of the session, so it is counted in the control block. Not a scheduling point: saying
 * something about a program must not change it.
 */
#include "worlds/threads/framework/hotspot.h"
#include "core/finding.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "heddle.h"
#include "worlds/threads/runtime.h"

/* All that the program has, in the order of their declaration; the same in the control block. */
static const struct hd_hotspot *known[CONTROL_HOTSPOTS];
static uint32_t known_count;

static uint32_t index_of(const struct hd_hotspot *spot)
{
  uint32_t i = 0;
  while (i < known_count && known[i] != spot)
    i++;
  return i;
}

/* Before main, by every file that includes the header. */
EXPORT void hd__hotspots(const struct hd_hotspot *from, const struct hd_hotspot *to)
{
  for (; from < to && known_count < CONTROL_HOTSPOTS; from++)
    if (index_of(from) == known_count)
      known[known_count++] = from;
}

void hotspots_begin(void)
{
  struct control *c = rt.control;
  for (; c->hotspots < known_count; c->hotspots++) {
    const struct hd_hotspot *spot = known[c->hotspots];
    struct hotspot *h = &c->hotspot[c->hotspots];
    *h = (struct hotspot){.expectation = spot->expectation, .first = COVERAGE_NEVER};
    print_text(h->name, sizeof h->name, "%s", spot->name);
    print_text(h->where, sizeof h->where, "%s:%u", spot->file, spot->line);
  }
  for (uint32_t i = 0; i < c->hotspots; i++)
    c->hotspot[i].reached = 0;
}

static void declare(const struct hotspot *h, const char *text)
{
  uint64_t key = BUG_PROPERTY;
  for (const char *s = h->where; *s; s++)
    key = mix64(key ^ (unsigned char)*s);
  for (const char *s = h->name; *s; s++)
    key = mix64(key ^ (unsigned char)*s);
  struct bug *bug = bug_new(rt.engine, BUG_PROPERTY, key);
  bug_text(bug, text, h->name);
  print_text(bug->where, sizeof bug->where, "%s", h->where);
  unsigned me = self_index();
  bug_add_party(rt.engine, bug, me, (enum op_kind)rt.engine->thread[me].pending.kind, 0, 0,
                rt.engine->thread[me].pending.pc);
  bug_declare(rt.engine, bug);
}

EXPORT void hd__hotspot(const struct hd_hotspot *spot)
{
  uint32_t i = index_of(spot);
  if (!hd_self || i >= rt.control->hotspots)
    return;
  struct hotspot *h = &rt.control->hotspot[i];
  h->reached = 1;
  if (h->expectation == EXPECT_NEVER)
    declare(h, "came to \"%s\", where it never should");
}

void hotspots_check(void)
{
  struct control *c = rt.control;
  for (uint32_t i = 0; i < c->hotspots; i++)
    if (c->hotspot[i].expectation == EXPECT_ALWAYS && !c->hotspot[i].reached)
      declare(&c->hotspot[i], "ended the program without coming to \"%s\", where it always should");
}

void hotspots_count(void)
{
  struct control *c = rt.control;
  for (uint32_t i = 0; i < c->hotspots; i++) {
    struct hotspot *h = &c->hotspot[i];
    h->executions += h->reached;
    if (h->reached && h->first == COVERAGE_NEVER)
      h->first = c->execution;
  }
}
