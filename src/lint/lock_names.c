/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks by their names: the texts that a walk knows them by; see lock_walk.h.
 */
#include "lint/lock_walk.h"
#include <stdio.h>
#include <string.h>

unsigned lock_walk_find(const struct lock_walk *walk, const char *text)
{
  unsigned i = 0;
  while (i < walk->locks && strcmp(walk->lock[i].text, text) != 0)
    i++;
  return i < walk->locks ? i : LOCKS_MOST;
}

const char *lock_last_name(const char *text)
{
  const char *dot = strrchr(text, '.');
  return dot ? dot + 1 : text;
}

uint32_t lock_walk_inside(const struct lock_walk *walk, const char *object)
{
  const size_t length = strlen(object);
  uint32_t inside = 0;
  for (unsigned i = 0; i < walk->locks; i++)
    if (!strncmp(walk->lock[i].text, object, length) && strchr(".[", walk->lock[i].text[length]))
      inside |= UINT32_C(1) << i;
  return inside & ~walk->scoped;
}

bool lock_text(const struct whole_program *p, struct code_place call, unsigned argument, char text[OBJECT_TEXT])
{
  const struct syntax *s = program_syntax(p, call);
  const struct code_place lock = code_child(p, call, argument);
  if (!argument_text(p, call, argument, text))
    return false;
  for (uint32_t i = lock.node; code_is(lock) && i < lock.node + s->node[lock.node].size; i++) {
    char index[OBJECT_TEXT];
    const struct code_place c = {call.unit, i}, by = code_child(p, c, 1);
    const size_t used = strlen(text);
    if (s->node[i].kind != SYNTAX_INDEX || !code_is(by))
      continue;
    if (!object_text(p, by, index) && s->node[by.node].kind == SYNTAX_NUMBER)
      snprintf(index, sizeof index, "%.32s", syntax_text(s, s->node[by.node].text));
    snprintf(text + used, OBJECT_TEXT - used, "[%.64s]", index);
  }
  return true;
}
