/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts, see the header.
 */
#include "report/blame/told_part.h"

struct told_part part_of_event(const struct story *story, const struct trace_event *event)
{
  struct told_part part;
  struct trace_event e = *event;
  e.second = 0; /* the mutex of a wait is not what is meant */
  describe_thread(story, e.thread, part.who);
  if (!describe_library_call(story, event, part.what))
    describe_object(story, &e, part.what);
  describe_place(story, event_pc(story, event), part.where);
  return part;
}

struct told_part part_of(const struct story *story, size_t event)
{
  return part_of_event(story, &story->events[event]);
}

struct told_part part_of_party(const struct story *story, const struct bug_party *party)
{
  struct told_part part;
  describe_thread(story, party->thread, part.who);
  describe_party_object(story, party, part.what);
  describe_place(story, party_pc(story, party), part.where);
  return part;
}
