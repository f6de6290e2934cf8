/* SPDX-License-Identifier: Apache-2.0
 *
 * Abstract schedules in words, see the header.
 */
#include "report/story/tried_text.h"
#include "core/address_name.h"
#include "core/control.h"
#include "core/thread_path.h"
#include <inttypes.h>
#include <stdio.h>

static uintptr_t address_of_name(const struct control *control, uint64_t name)
{
  unsigned module = name_module(name);
  return module < NAME_MODULES ? control->module_bias[module] + (name & NAME_OFFSET) : (uintptr_t)name;
}

/* "T2's", "any thread's". */
static void describe_whose(const struct story *story, uint64_t path, char *out, size_t size)
{
  snprintf(out, size, "%s", path ? "a thread's" : "any thread's");
  for (uint32_t t = 0; t < story->thread_count && path; t++) {
    char name[THREAD_NAME_SIZE];
    if (thread_path(story->threads, t) != path)
      continue;
    describe_thread(story, t, name);
    snprintf(out, size, "%s's", name);
    return;
  }
}

static const char *noun_of(uint32_t kind)
{
  switch (kind) {
  case OP_READ:
  case OP_ATOMIC_LOAD:
    return "read";
  case OP_WRITE:
  case OP_ATOMIC_STORE:
    return "write";
  case OP_ATOMIC_RMW:
    return "update";
  default:
    return op_table[kind].name;
  }
}

static void describe_count(uint32_t nth, char *out, size_t size)
{
  static const char *const word[] = {"", "first ", "second ", "third "};
  if (nth < sizeof word / sizeof *word)
    snprintf(out, size, "%s", word[nth]);
  else
    snprintf(out, size, "%" PRIu32 "th ", nth);
}

/* "T2's second read of head at stack.c:31". */
static void describe_access(const struct story *story, const struct control *control,
                            const struct abstract_event *event, const char *of, char out[SENTENCE_SIZE])
{
  char whose[THREAD_NAME_SIZE + 8], count[16], place[PLACE_SIZE];
  describe_whose(story, event->thread, whose, sizeof whose);
  describe_count(event->nth, count, sizeof count);
  describe_place(story, address_of_name(control, event->place), place);
  snprintf(out, SENTENCE_SIZE, "%s %s%s%s%s at %s", whose, count, noun_of(event->kind), *of ? " of " : "", of, place);
}

void describe_constraint(const struct story *story, const struct control *control, const struct constraint *c,
                         char out[SENTENCE_SIZE])
{
  char read[SENTENCE_SIZE], write[SENTENCE_SIZE] = "what was there at first", object[OBJECT_SIZE] = "";
  const struct memory_place place = {.addr = address_of_name(control, c->location), .length = 1};
  if (!symbols_memory(story->symbols, &place, object, sizeof object))
    object[0] = '\0';
  describe_access(story, control, &c->read, object, read);
  if (c->write.place)
    describe_access(story, control, &c->write, "", write);
  snprintf(out, SENTENCE_SIZE, "%.400s %s %.400s", read, c->negative ? "does not see" : "sees", write);
}
