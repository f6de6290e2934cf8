/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for monitors and for threads that are held back; see property_words.h.
 */
#include "report/story/property_words.h"
#include "report/story/terminal_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void describe_parameter(const struct story *story, const struct traced_monitor *monitor,
                               const struct traced_value *v, char out[OBJECT_SIZE])
{
  struct trace_event event = {.op = OP_PROPERTY,
                              .addr = (uintptr_t)v->value,
                              .pc = monitor->pc,
                              .block_pc = v->block_pc,
                              .block_offset = v->block_offset,
                              .local_pc = v->local_pc,
                              .local_offset = v->local_offset,
                              .holder = -1};
  memcpy(event.block_calls, v->block_calls, sizeof event.block_calls);
  if (v->is_address && describe_event_object(story, &event, out))
    return;
  snprintf(out, OBJECT_SIZE, v->is_address ? "%s 0x%" PRIx64 : "%s %" PRId64, v->name, v->value);
}

void describe_monitor(const struct story *story, const struct traced_monitor *monitor, char out[OBJECT_SIZE])
{
  char object[OBJECT_SIZE];
  snprintf(out, OBJECT_SIZE, "%s", monitor->property);
  for (uint32_t i = 0; i < monitor->values; i++) {
    describe_parameter(story, monitor, &monitor->value[i], object);
    append(out, OBJECT_SIZE, "%s%s%s", i ? ", " : "(", object, i + 1 == monitor->values ? ")" : "");
  }
}

bool party_is_held(const struct story *story, const struct bug_party *party)
{
  const struct bug *bug = story->bug;
  return party->state[0] &&
         (bug->kind == BUG_SCHEDULE || (bug->kind == BUG_PROPERTY && bug->detail == PROPERTY_HOLDS_BACK));
}

void describe_held_party(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE];
  describe_thread(story, party->thread, name);
  describe_place(story, party_pc(story, party), place);
  snprintf(out, SENTENCE_SIZE, "%s is held before %s%s%s: it waits for %s", name, party->what, place[0] ? " at " : "",
           place, party->state);
}
