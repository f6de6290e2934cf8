/* SPDX-License-Identifier: Apache-2.0
 *
 * The SARIF log, see the header: tool, invocation, and a result for each bug with the places of all its threads, their
 * stacks, and the steps of its story as one flow a thread.
 */
#include "report/document/sarif.h"

#include "report/document/sarif_parts.h"
#include "report/story/property_words.h"
#include "report/story/terminal_text.h"
#include <ctype.h>
#include <inttypes.h>

/* ---- parties ---- */

static uintptr_t place_of(const struct story *story, const struct bug_party *party)
{
  if (story->bug->kind == BUG_LEAK && party->block_pc)
    return party->block_pc;
  return party_pc(story, party);
}

/* Whether its bug is that somebody is held back, and nobody can go on. */
static bool holds_back(const struct story *story)
{
  bool held = false;
  for (uint32_t i = 0; i < party_count(story->bug); i++)
    held |= party_is_held(story, &story->bug->party[i]);
  return held;
}

/* "T1 writes balance[0]" */
static void describe_party(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE])
{
  char name[THREAD_NAME_SIZE], object[OBJECT_SIZE];
  const uint16_t op = party_op(story, party);
  if (party_is_held(story, party)) {
    describe_held_party(story, party, out);
    return;
  }
  if (story->bug->kind == BUG_DEADLOCK || holds_back(story)) {
    describe_waiting(story, party, out);
    return;
  }
  if (story->bug->kind == BUG_LEAK) {
    snprintf(out, SENTENCE_SIZE,
             party->block_size == 1 ? "%" PRIu64 " byte is allocated" : "%" PRIu64 " bytes are allocated",
             party->block_size);
    return;
  }
  describe_thread(story, party->thread, name);
  describe_party_object(story, party, object);
  if (op != OP_NONE && op < OP_COUNT)
    snprintf(out, SENTENCE_SIZE, "%s %s%s%s", name, op_table[op].phrase, object[0] ? " " : "", object);
  else
    snprintf(out, SENTENCE_SIZE, "%s %s", name, story->bug->kind == BUG_CRASH ? "crashes" : "fails");
}

/* ---- locations ---- */

/* Of a bug without a place in the code: what the program said itself, or else the program. */
static json_t *fallback_location(const struct story *story, const char *program, bool *good)
{
  char path[sizeof story->bug->where];
  snprintf(path, sizeof path, "%s", story->bug->where);
  char *colon = strrchr(path, ':');
  if (!colon || !isdigit((unsigned char)colon[1]))
    return sarif_file_location(program, 0, good);
  *colon = '\0';
  return sarif_file_location(path, (uint32_t)strtoul(colon + 1, NULL, 10), good);
}

static json_t *locations_value(const struct story *story, const char *program, bool *good)
{
  const struct bug *bug = story->bug;
  struct source_place place;
  char sentence[SENTENCE_SIZE];
  json_t *locations = container(json_array(), good);
  const struct bug_party *party = party_count(bug) ? &bug->party[main_party(bug)] : NULL;
  const uintptr_t pc = party ? place_of(story, party) : 0;
  if (pc && symbols_line(story->symbols, pc, &place) && place.file && place.line) {
    describe_party(story, party, sentence);
    add(locations, sarif_location(story, pc, sentence, good), good);
  } else {
    add(locations, fallback_location(story, program, good), good);
  }
  return locations;
}

static void add_related(json_t *related, const struct story *story, uintptr_t pc, const char *sentence, bool *good)
{
  if (!pc)
    return;
  json_t *location = sarif_location(story, pc, sentence, good);
  set(location, "id", integer(json_array_size(related) + 1), good);
  add(related, location, good);
}

/* The other side of a race, the other threads of a deadlock; where locks were taken, blocks allocated and freed. */
static json_t *related_value(const struct story *story, bool *good)
{
  const struct bug *bug = story->bug;
  char sentence[SENTENCE_SIZE], name[THREAD_NAME_SIZE], object[OBJECT_SIZE];
  json_t *related = container(json_array(), good);
  for (uint32_t i = 0; i < party_count(bug); i++) {
    const struct bug_party *party = &bug->party[i];
    describe_party(story, party, sentence);
    if (i != main_party(bug))
      add_related(related, story, place_of(story, party), sentence, good);
    if (party->holder >= 0 && party->holder_pc) {
      describe_thread(story, (uint32_t)party->holder, name);
      describe_party_object(story, party, object);
      snprintf(sentence, sizeof sentence, "%s took %s", name, object[0] ? object : "it");
      add_related(related, story, party->holder_pc, sentence, good);
    }
    if (bug->kind != BUG_LEAK && i == main_party(bug))
      add_related(related, story, party->block_pc, "the memory was allocated", good);
    add_related(related, story, party->freed_pc, "the memory was freed", good);
  }
  return related;
}

/* ---- stacks and flows ---- */

static json_t *frame_value(const struct story *story, const struct bug_party *party, uintptr_t pc, bool *good)
{
  struct source_place place;
  json_t *frame = container(json_object(), good);
  symbols_line(story->symbols, pc, &place);
  set(frame, "location", sarif_location(story, pc, NULL, good), good);
  if (place.module)
    set(frame, "module", text_value(place.module), good);
  set(frame, "threadId", integer(party->thread), good);
  return frame;
}

static json_t *stacks_value(const struct story *story, bool *good)
{
  json_t *stacks = container(json_array(), good);
  for (uint32_t i = 0; i < party_count(story->bug); i++) {
    const struct bug_party *party = &story->bug->party[i];
    char sentence[SENTENCE_SIZE];
    if (!party->depth)
      continue;
    json_t *stack = container(json_object(), good), *frames = container(json_array(), good);
    describe_party(story, party, sentence);
    set(stack, "message", sarif_message(sentence, good), good);
    for (uint32_t k = 0; k < party->depth && k < BUG_STACK; k++)
      add(frames, frame_value(story, party, party->stack[k], good), good);
    set(stack, "frames", frames, good);
    add(stacks, stack, good);
  }
  return stacks;
}

/* The steps of one thread; the order among all is their number. */
static json_t *thread_flow_value(const struct story *story, uint32_t thread, bool *good)
{
  char name[THREAD_NAME_SIZE], text[sizeof story->steps->text + THREAD_NAME_SIZE + 1];
  json_t *flow = container(json_object(), good), *locations = container(json_array(), good);
  describe_thread(story, thread, name);
  for (size_t i = 0; i < story->step_count; i++) {
    const struct story_step *step = &story->steps[i];
    if (step->thread != thread)
      continue;
    snprintf(text, sizeof text, "%s %s", name, step->text);
    json_t *location = container(json_object(), good);
    set(location, "location", sarif_location(story, step->pc, text, good), good);
    set(location, "executionOrder", integer(i + 1), good);
    set(location, "importance", text_value(step->marked ? "essential" : "important"), good);
    add(locations, location, good);
  }
  set(flow, "id", text_value(name), good);
  set(flow, "locations", locations, good);
  return flow;
}

static json_t *code_flows_value(const struct story *story, bool *good)
{
  json_t *flows = container(json_array(), good), *flow = container(json_object(), good);
  json_t *threads = container(json_array(), good);
  for (size_t i = 0; i < story->step_count; i++) {
    bool again = false;
    for (size_t k = 0; k < i; k++)
      again |= story->steps[k].thread == story->steps[i].thread;
    if (!again)
      add(threads, thread_flow_value(story, story->steps[i].thread, good), good);
  }
  set(flow, "message", sarif_message("The order of the threads that shows it.", good), good);
  set(flow, "threadFlows", threads, good);
  add(flows, flow, good);
  return flows;
}

/* ---- results ---- */

static json_t *held_threads(const struct story *story, bool *good)
{
  json_t *value = container(json_array(), good);
  char name[THREAD_NAME_SIZE];
  for (uint32_t i = 0; i < party_count(story->bug); i++)
    if (party_is_held(story, &story->bug->party[i])) {
      identify_thread(story, story->bug->party[i].thread, name);
      add(value, text_value(name), good);
    }
  return value;
}

static json_t *properties_value(const struct sarif_part *part, const struct json_bug *bug, bool *good)
{
  const struct story *story = bug->story;
  char path[512], client[1024], command[sizeof path + sizeof client + 32];
  json_t *value = container(json_object(), good);
  if (part->test)
    set(value, "test", text_value(part->test), good);
  set(value, "program", text_value(part->document->program), good);
  set(value, "strategy", text_value(part->document->strategy), good);
  set(value, "seed", seed_value(part->document->seed), good);
  set(value, "execution", integer(story->bug->execution + 1), good);
  set(value, "preemptions", integer(bug->preemptions), good);
  set(value, "replayed", json_boolean(bug->replayed), good);
  if (holds_back(story))
    set(value, "heldThreads", held_threads(story, good), good);
  if (story->schedule) {
    shell_word(story->schedule, path, sizeof path);
    if (story->client)
      shell_word(story->client, client, sizeof client);
    snprintf(command, sizeof command, "heddle replay %s%s%s%s", story->client ? "--client " : "",
             story->client ? client : "", story->client ? " " : "", path);
    set(value, "schedule", text_value(story->schedule), good);
    set(value, "replay", text_value(command), good);
  }
  return value;
}

static json_t *text_of_bug(const struct story *story, bool *good)
{
  char text[4 * SENTENCE_SIZE], sentence[SENTENCE_SIZE];
  const struct bug *bug = story->bug;
  bug_message(story, text, SENTENCE_SIZE);
  for (uint32_t i = 0; i < party_count(bug) && (bug->kind == BUG_DEADLOCK || holds_back(story)); i++) {
    describe_party(story, &bug->party[i], sentence);
    append(text, sizeof text, ". %s", sentence);
  }
  return sarif_message(text, good);
}

static json_t *result_value(const struct sarif_part *part, const struct json_bug *bug, bool *good)
{
  const struct story *story = bug->story;
  const uint32_t kind = story->bug->kind < BUG_KIND_COUNT ? story->bug->kind : BUG_PROPERTY;
  char key[20];
  json_t *value = container(json_object(), good), *fingerprints = container(json_object(), good);
  snprintf(key, sizeof key, "%016" PRIx64, story->bug->key);
  set(value, "ruleId", text_value(bug_kind_name[kind]), good);
  set(value, "ruleIndex", integer(kind), good);
  set(value, "level", text_value(story->warning ? "warning" : "error"), good);
  set(value, "message", text_of_bug(story, good), good);
  set(value, "locations", locations_value(story, part->document->program, good), good);
  set(value, "relatedLocations", related_value(story, good), good);
  set(value, "stacks", stacks_value(story, good), good);
  if (story->step_count)
    set(value, "codeFlows", code_flows_value(story, good), good);
  set(fingerprints, "heddleBug/v1", text_value(key), good);
  set(value, "partialFingerprints", fingerprints, good);
  if (bug->known)
    set(value, "baselineState", text_value("unchanged"), good);
  set(value, "properties", properties_value(part, bug, good), good);
  return value;
}

/* ---- the log ---- */

json_t *sarif_tool(json_t *rules, bool *good)
{
  json_t *tool = container(json_object(), good), *driver = container(json_object(), good);
  set(driver, "name", text_value("heddle"), good);
  set(driver, "semanticVersion", text_value(HEDDLE_VERSION), good);
  set(driver, "shortDescription",
      sarif_message("Takes over the scheduler of C and C++ programs to find concurrency bugs.", good), good);
  set(driver, "rules", rules, good);
  set(tool, "driver", driver, good);
  return tool;
}

static json_t *notifications_value(const struct sarif_log *log, bool *good)
{
  json_t *all = container(json_array(), good);
  for (size_t i = 0; i < log->part_count; i++) {
    const struct sarif_part *part = &log->parts[i];
    char text[1024];
    if (!part->document->error)
      continue;
    json_t *one = container(json_object(), good);
    snprintf(text, sizeof text, "%s%s%s", part->test ? part->test : "", part->test ? ": " : "", part->document->error);
    set(one, "level", text_value("error"), good);
    set(one, "message", sarif_message(text, good), good);
    add(all, one, good);
  }
  return all;
}

json_t *sarif_invocation(const char *const *words, size_t count, int status, json_t *notifications, bool *good)
{
  static const char *const statuses[] = {"nothing was found", "a bug was found", "the command or its input is wrong",
                                         "heddle could not do it"};
  char line[4096] = "heddle", word[1024];
  json_t *value = container(json_object(), good), *arguments = container(json_array(), good);
  for (size_t i = 0; i < count; i++) {
    shell_word(words[i], word, sizeof word);
    append(line, sizeof line, " %s", word);
    add(arguments, text_value(words[i]), good);
  }
  set(value, "commandLine", text_value(line), good);
  set(value, "arguments", arguments, good);
  set(value, "exitCode", json_integer(status), good);
  if (status >= 0 && status < 4)
    set(value, "exitCodeDescription", text_value(statuses[status]), good);
  set(value, "executionSuccessful", json_boolean(status == 0 || status == 1), good);
  set(value, "toolExecutionNotifications", notifications, good);
  return value;
}

char *sarif_document(json_t *tool, json_t *invocation, json_t *results, bool good)
{
  json_t *root = container(json_object(), &good), *runs = container(json_array(), &good);
  json_t *run = container(json_object(), &good), *invocations = container(json_array(), &good);
  add(invocations, invocation, &good);
  set(run, "tool", tool, &good);
  set(run, "columnKind", text_value("utf16CodeUnits"), &good);
  set(run, "invocations", invocations, &good);
  set(run, "originalUriBaseIds", sarif_roots(&good), &good);
  set(run, "results", results, &good);
  set(root, "$schema", text_value("https://json.schemastore.org/sarif-2.1.0.json"), &good);
  set(root, "version", text_value("2.1.0"), &good);
  add(runs, run, &good);
  set(root, "runs", runs, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}

char *sarif_format(const struct sarif_log *log)
{
  bool good = true;
  json_t *results = container(json_array(), &good);
  for (size_t i = 0; i < log->part_count; i++)
    for (size_t k = 0; k < log->parts[i].document->bug_count; k++)
      add(results, result_value(&log->parts[i], &log->parts[i].document->bugs[k], &good), &good);
  json_t *invocation =
      sarif_invocation(log->words, log->word_count, log->status, notifications_value(log, &good), &good);
  return sarif_document(sarif_tool(sarif_rules(&good), &good), invocation, results, good);
}
