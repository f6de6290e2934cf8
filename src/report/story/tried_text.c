/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an execution was chosen, see the header.
 */
#include "report/story/tried_text.h"
#include "core/address_name.h"
#include "core/control.h"
#include "core/thread_path.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* "trylock" of "mutex-trylock": what it is done to is told behind it. */
static const char *after_dash(const char *name)
{
  const char *dash = strchr(name, '-');
  return dash ? dash + 1 : name;
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
    return after_dash(op_table[kind].name);
  }
}

static void describe_count(uint32_t nth, char *out, size_t size)
{
  static const char *const word[] = {"", "first ", "second ", "third "};
  if (nth < sizeof word / sizeof *word)
    snprintf(out, size, "%s", word[nth]);
  else
    snprintf(out, size, "%" PRIu32 "%s ", nth, ordinal_end(nth));
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

static void describe_constraint(const struct story *story, const struct control *control, const struct constraint *c,
                                char out[SENTENCE_SIZE])
{
  char read[SENTENCE_SIZE], write[SENTENCE_SIZE] = "what was there at first", object[OBJECT_SIZE] = "";
  const struct memory_place place = {.addr = address_of_name(control, c->location), .length = 1};
  if (c->asked == ASKED_CHOICE || !symbols_memory(story->symbols, &place, object, sizeof object))
    object[0] = '\0';
  describe_access(story, control, &c->read, object, read);
  if (c->write.place)
    describe_access(story, control, &c->write, "", write);
  switch (c->asked) {
  case ASKED_CHOICE:
    snprintf(out, SENTENCE_SIZE, "%.400s is %" PRIu64, read, c->location);
    return;
  case ASKED_AT_ONCE:
    snprintf(out, SENTENCE_SIZE, "%.400s and %.400s come at once", read, write);
    return;
  case ASKED_WAITS:
    snprintf(out, SENTENCE_SIZE, "%.400s waits, and nobody can go on", read);
    return;
  default:
    snprintf(out, SENTENCE_SIZE, "%.400s %s %.400s", read, c->negative ? "does not see" : "sees", write);
  }
}

char *tried_text(const struct story *story, const struct control *control, const struct abstract_schedule *tried)
{
  char *text = NULL, sentence[SENTENCE_SIZE];
  size_t bytes = 0;
  FILE *out = tried->constraints ? open_memstream(&text, &bytes) : NULL;
  for (uint32_t i = 0; out && i < tried->constraints; i++) {
    describe_constraint(story, control, &tried->constraint[i], sentence);
    fprintf(out, "%s%s", i ? "\n" : "", sentence);
  }
  if (out && fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

void story_tries(FILE *out, const struct story *story)
{
  for (const char *at = story->tried; at;) {
    const char *end = strchr(at, '\n');
    char sentence[SENTENCE_SIZE];
    snprintf(sentence, sizeof sentence, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
    fprintf(out, "  %s    ", at == story->tried ? "tries" : "     ");
    print_escaped(out, sentence);
    fputc('\n', out);
    at = end ? end + 1 : NULL;
  }
}
