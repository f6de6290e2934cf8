/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON document of --json, see the header.
 */
#include "report/document/json.h"
#include "core/loss.h"

#include "file/output_file.h"
#include "report/document/build_json.h"
#include "report/story/analysis.h"
#include "report/story/property_words.h"
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

static json_t *real(double number)
{
  return json_real(isfinite(number) && number > 0 ? number : 0.0);
}

static json_t *whole(double number)
{
  const double most = 9e18;
  return json_integer(!(number > 0) ? 0 : number > most ? (json_int_t)most : (json_int_t)number);
}

static json_t *stack_value(const struct story *story, const struct bug_party *party, bool *good)
{
  json_t *stack = container(json_array(), good);
  char place[PLACE_SIZE];
  struct source_place frame;
  for (uint32_t i = 0; i < party->depth && i < BUG_STACK; i++) {
    if (symbols_line(story->symbols, party->stack[i], &frame) && strcmp(frame.module, "libheddle.so") == 0)
      continue;
    describe_place_and_function(story, party->stack[i], place);
    add(stack, text_value(place), good);
  }
  return stack;
}

/* That the program gave it; no key: none. */
static void set_given_name(json_t *value, const char *key, const struct story *story, uint32_t thread, bool *good)
{
  const struct thread_info *info = story->threads && thread < story->thread_count ? &story->threads[thread] : NULL;
  char given[sizeof info->name + 1] = "";
  if (!info || !info->name[0] || info->image)
    return;
  memcpy(given, info->name, sizeof info->name);
  set(value, key, text_value(given), good);
}

static json_t *party_value(const struct story *story, const struct bug_party *party, bool *good)
{
  json_t *value = container(json_object(), good);
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE], object[OBJECT_SIZE];
  identify_thread(story, party->thread, name);
  set(value, "thread", text_value(name), good);
  set_given_name(value, "thread_name", story, party->thread, good);
  set(value, "operation", text_value(party->op < OP_COUNT ? op_table[party->op].name : "none"), good);
  describe_party_object(story, party, object);
  set(value, "object", text_value(object), good);
  describe_place(story, party_pc(story, party), place);
  set(value, "where", text_value(place), good);
  if (party->holder >= 0) {
    identify_thread(story, (uint32_t)party->holder, name);
    set(value, "holder", text_value(name), good);
    set_given_name(value, "holder_name", story, (uint32_t)party->holder, good);
    describe_place(story, party->holder_pc, place);
    set(value, "held_since", text_value(place), good);
  }
  if (party_is_held(story, party))
    set(value, "held", json_true(), good);
  if (party->state[0])
    set(value, "state", text_value(party->state), good);
  if (party->block_pc) {
    describe_place(story, party->block_pc, place);
    set(value, op_is_on_channels(party->op) ? "made" : "allocated", text_value(place), good);
  }
  if (party->freed_pc) {
    describe_place(story, party->freed_pc, place);
    set(value, "freed", text_value(place), good);
  }
  set(value, "stack", stack_value(story, party, good), good);
  return value;
}

/* The threads of a bug, each once. */
static json_t *threads_value(const struct story *story, bool *good)
{
  json_t *threads = container(json_array(), good);
  const struct bug *bug = story->bug;
  for (uint32_t i = 0; i < party_count(bug); i++) {
    char name[THREAD_NAME_SIZE];
    bool again = false;
    for (uint32_t k = 0; k < i; k++)
      again |= bug->party[k].thread == bug->party[i].thread;
    if (again)
      continue;
    identify_thread(story, bug->party[i].thread, name);
    add(threads, text_value(name), good);
  }
  return threads;
}

static json_t *detectors_value(uint32_t detectors, bool *good)
{
  json_t *value = container(json_array(), good);
  if (detectors & RACE_BY_CLOCKS)
    add(value, text_value("clocks"), good);
  if (detectors & RACE_BY_PENDING)
    add(value, text_value("pending"), good);
  return value;
}

static json_t *bug_value(const struct json_bug *bug, bool *good)
{
  const struct story *story = bug->story;
  json_t *value = container(json_object(), good);
  json_t *parties = container(json_array(), good);
  char message[SENTENCE_SIZE], where[256], key[20];
  story_learn_blocks(story);
  bug_message(story, message, sizeof message);
  bug_where(story, where, sizeof where);
  snprintf(key, sizeof key, "%016" PRIx64, story->bug->key);
  set(value, "kind", text_value(story->bug->kind < BUG_KIND_COUNT ? bug_kind_name[story->bug->kind] : "unknown"), good);
  set(value, "message", text_value(message), good);
  set(value, "where", text_value(where), good);
  set(value, "threads", threads_value(story, good), good);
  set(value, "first_execution", integer(story->bug->execution + 1), good);
  set(value, "preemptions", integer(bug->preemptions), good);
  set(value, "schedule", text_value(story->schedule), good);
  if (story->page)
    set(value, "page", text_value(story->page), good);
  set(value, "replayed", json_boolean(bug->replayed), good);
  if (bug->known)
    set(value, "known", json_true(), good);
  if (bug->first_seen)
    set(value, "first_seen", json_integer(bug->first_seen), good);
  set(value, "key", text_value(key), good);
  if (story->tried)
    set(value, "tries", text_lines_value(story->tried, good), good);
  if (bug->blame)
    set(value, "blame", json_loads(bug->blame, 0, NULL), good);
  if (bug->minimised)
    set(value, "minimised", json_loads(bug->minimised, 0, NULL), good);
  if (story->bug->kind == BUG_RACE)
    set(value, "detected_by", detectors_value(story->bug->detectors, good), good);
  for (uint32_t i = 0; i < party_count(story->bug); i++)
    add(parties, party_value(story, &story->bug->party[i], good), good);
  set(value, "parties", parties, good);
  return value;
}

static json_t *estimate_value(const struct json_document *d, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "executions", d->estimate.known ? whole(d->estimate.executions) : json_integer(0), good);
  set(value, "low", d->estimate.known ? whole(d->estimate.low) : json_integer(0), good);
  set(value, "high", d->estimate.known ? whole(d->estimate.high) : json_integer(0), good);
  set(value, "known", json_boolean(d->estimate.known), good);
  return value;
}

static json_t *losses_value(uint64_t losses, bool *good)
{
  json_t *list = json_array();
  for (unsigned i = 0; i < LOSS_COUNT; i++)
    if (losses >> i & 1 && json_array_append_new(list, json_string(loss_name[i])))
      *good = false;
  return list;
}

/* "a, b" as ["a", "b"] */
static json_t *names_value(const char *names, bool *good)
{
  json_t *value = container(json_array(), good);
  while (*names) {
    char name[256];
    size_t length = strcspn(names, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    add(value, text_value(name), good);
    names += length;
    names += strspn(names, ", ");
  }
  return value;
}

static json_t *changed_value(const struct json_changed *changed, bool *good)
{
  json_t *value = container(json_object(), good), *points = container(json_array(), good);
  set(value, "revision", text_value(changed->revision), good);
  set(value, "base", text_value(changed->base), good);
  set(value, "heuristic", text_value(changed->heuristic), good);
  for (size_t i = 0; i < changed->point_count; i++)
    add(points, text_value(changed->points[i]), good);
  set(value, "points", points, good);
  return value;
}

static json_t *planned_value(const struct planned *p, bool *good)
{
  json_t *value = json_object();
  set(value, "executions", integer(p->executions), good);
  set(value, "shown", integer(p->shown), good);
  set(value, "subsumed", integer(p->subsumed), good);
  return value;
}

static void set_session(json_t *root, const struct json_document *d, bool *good)
{
  json_t *args = container(json_array(), good);
  set(root, "heddle", text_value(d->version), good);
  set(root, "command", text_value(d->command), good);
  set(root, "program", text_value(d->program), good);
  for (size_t i = 0; d->args && i < d->arg_count; i++)
    add(args, text_value(d->args[i]), good);
  set(root, "args", args, good);
  set(root, "strategy", text_value(d->strategy), good);
  if (d->changed)
    set(root, "changed", changed_value(d->changed, good), good);
  if (d->equivalence)
    set(root, "equivalence", text_value(d->equivalence), good);
  set(root, "seed", seed_value(d->seed), good);
  set(root, "instrumented", json_boolean(d->instrumented), good);
  if (d->unseen_modules && *d->unseen_modules)
    set(root, "unseen_modules", names_value(d->unseen_modules, good), good);
  set(root, "reset", text_value(d->reset), good);
  if (d->reset_reason)
    set(root, "reset_reason", text_value(d->reset_reason), good);
  set(root, "executions", integer(d->executions), good);
  set(root, "blocked_executions", integer(d->blocked_executions), good);
  set(root, "cut_executions", integer(d->cut_executions), good);
  set(root, "complete", json_boolean(d->complete), good);
  set(root, "losses", losses_value(d->losses, good), good);
  if (d->found_before)
    set(root, "found_before", json_true(), good);
  set(root, "steps", integer(d->steps), good);
  if (d->asking > 0)
    set(root, "asking_seconds", json_real(d->asking), good);
  if (d->planned.executions)
    set(root, "planned", planned_value(&d->planned, good), good);
  set(root, "seconds", real(d->seconds), good);
  set(root, "executions_per_second", real((double)d->executions / (d->seconds > 0 ? d->seconds : 1e-9)), good);
  set(root, "estimate", estimate_value(d, good), good);
  if (d->error)
    set(root, "error", text_value(d->error), good);
}

static json_t *pace_value(const struct pace *pace, bool *good)
{
  json_t *points = container(json_array(), good);
  for (uint32_t i = 0; i < pace->count; i++) {
    const struct pace_point *p = &pace->point[i];
    json_t *point = container(json_object(), good);
    set(point, "seconds", real(p->seconds), good);
    set(point, "executions", integer(p->executions), good);
    if (p->estimate > 0)
      set(point, "estimate", whole(p->estimate), good);
    add(points, point, good);
  }
  return points;
}

char *json_format(const struct json_document *d)
{
  bool good = true;
  json_t *root = container(json_object(), &good);
  json_t *bugs = container(json_array(), &good);
  set_session(root, d, &good);
  for (size_t i = 0; i < d->bug_count; i++)
    add(bugs, bug_value(&d->bugs[i], &good), &good);
  set(root, "bugs", bugs, &good);
  if (d->suppressed)
    set(root, "suppressed", integer(d->suppressed), &good);
  if (d->pace)
    set(root, "progress", pace_value(d->pace, &good), &good);
  if (d->predictions)
    set(root, "predictions", predictions_json(d->predictions, &good), &good);
  if (d->predictions && d->predictions->analysis)
    set(root, "analysis", analysis_json(d->predictions->analysis, &good), &good);
  if (d->coverage)
    coverage_json(root, d->coverage, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}

char *json_bug_text(const struct json_bug *bug)
{
  bool good = true;
  json_t *value = bug_value(bug, &good);
  char *text = good ? json_dumps(value, JSON_COMPACT) : NULL;
  json_decref(value);
  return text;
}

bool json_write(const struct json_document *document, const char *path, char *error, size_t error_size)
{
  char *text = json_format(document);
  bool done = false;
  if (!text)
    snprintf(error, error_size, "cannot write %s: no memory", path);
  else if (strcmp(path, "-") == 0) {
    done = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    if (!done)
      snprintf(error, error_size, "cannot write to standard output");
  } else
    done = output_file_write(path, FILE_JSON, text, strlen(text), error, error_size);
  free(text);
  return done;
}
