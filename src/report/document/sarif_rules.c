/* SPDX-License-Identifier: Apache-2.0
 *
 * What a reader of a finding may not know about its kind: the rules of a SARIF log. Texts only.
 */
#include "core/bug.h"
#include "report/document/sarif_parts.h"
#include <ctype.h>

struct rule {
  const char *name;  /* for people, in one word */
  const char *title; /* one sentence */
  const char *text;  /* what it is */
  const char *help;  /* what to do about it */
};

static const struct rule rules[BUG_KIND_COUNT] = {
    [BUG_ASSERTION] = {"AssertionFailure", "An assertion fails in some order of the threads.",
                       "The program checks something that does not hold when its threads run in the order shown.",
                       "Follow the steps to where a thread saw or overwrote what another had not finished, and make "
                       "these steps one, for example under one lock."},
    [BUG_CRASH] = {"Crash", "The program crashes in some order of the threads.",
                   "A signal such as SIGSEGV or SIGABRT ends the program when its threads run in the order shown.",
                   "Look at which other thread changed what the crashing statement uses, and order the two."},
    [BUG_DEADLOCK] = {"Deadlock", "No thread can go on.",
                      "Every thread that is left waits: for a lock in a cycle, or for a signal, a post or an arrival "
                      "that nobody is left to make.",
                      "Take locks in one order everywhere. Wait on condition variables in a loop around the condition, "
                      "and change the condition under the same mutex."},
    [BUG_RACE] = {"DataRace", "Two threads access the same memory, unordered, and one of them writes.",
                  "Neither access happens before the other and they are not both atomic, which C and C++ leave "
                  "undefined: values may be torn, stale or reordered by the compiler.",
                  "Protect both accesses by the same lock, or make both atomic."},
    [BUG_MEMORY] = {"MemoryError", "Heap memory is used wrongly in some order of the threads.",
                    "Memory is used after it was freed, freed twice, or accessed beyond its end.",
                    "Let the last user free it: join the threads first, or count references atomically."},
    [BUG_LEAK] = {"MemoryLeak", "Memory is never freed in some order of the threads.",
                  "At the end of the program nothing refers to the block any more.",
                  "Find the order in which one thread overwrites the only pointer to what another has allocated."},
    [BUG_HANG] = {"Hang", "The program does not come to an end.",
                  "Threads run on for ever, or wait for each other by spinning, although all of them get their turns.",
                  "Look at the condition of the loop and at who was to make it false."},
    [BUG_EXIT] = {"WrongExitStatus", "The program ends with the wrong exit status in some order of the threads.",
                  "Its exit status is another than the one that was expected (--exit-status).",
                  "Replay it and look at what the program printed."},
    [BUG_PROPERTY] =
        {"Misuse", "A thread does something in an order that a property of the program forbids.",
         "It uses a lock or another primitive in a way that POSIX leaves undefined, or violates a property "
         "that a specification says (--spec, --specs).",
         "Let the thread that locks unlock, destroy only what nobody uses any more, and put the calls that "
         "the property is about under one lock."},
    [BUG_SCHEDULE] = {"Schedule", "The test's schedule (HD_SCHEDULE) cannot be followed.",
                      "Threads wait for events that do not happen any more, or for threads that are not blocked.",
                      "Look at which event is missing: the schedule may ask for an order that the program excludes."},
};

/* `lock-kept` as LockKept. */
static void name_of_id(const char *id, char *out, size_t size)
{
  bool begins = true;
  size_t used = 0;
  for (; *id && used + 1 < size; id++) {
    if (*id != '-')
      out[used++] = begins ? (char)toupper((unsigned char)*id) : *id;
    begins = *id == '-';
  }
  out[used] = '\0';
}

json_t *sarif_rule(const struct sarif_rule *r, bool *good)
{
  char name[64];
  json_t *rule = container(json_object(), good), *configuration = container(json_object(), good);
  json_t *properties = container(json_object(), good);
  name_of_id(r->id, name, sizeof name);
  set(rule, "id", text_value(r->id), good);
  set(rule, "name", text_value(r->name ? r->name : name), good);
  set(rule, "shortDescription", sarif_message(r->title, good), good);
  set(rule, "fullDescription", sarif_message(r->text, good), good);
  set(rule, "help", sarif_message(r->help, good), good);
  set(configuration, "level", text_value(r->level), good);
  if (r->off)
    set(configuration, "enabled", json_false(), good);
  set(rule, "defaultConfiguration", configuration, good);
  set(properties, "tags", json_pack("[s]", "concurrency"), good);
  set(rule, "properties", properties, good);
  return rule;
}

json_t *sarif_rules(bool *good)
{
  json_t *all = container(json_array(), good);
  for (size_t i = 0; i < BUG_KIND_COUNT; i++) {
    const bool mild = i == BUG_RACE || i == BUG_LEAK; /* unless they are asked to fail */
    const struct sarif_rule rule = {.id = bug_kind_name[i],
                                    .name = rules[i].name,
                                    .title = rules[i].title,
                                    .text = rules[i].text,
                                    .help = rules[i].help,
                                    .level = mild ? "warning" : "error"};
    add(all, sarif_rule(&rule, good), good);
  }
  return all;
}
