/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a story: names of threads, places and objects, what an event or a party of a bug does. Shared by the
 * terminal and the JSON document. Of no concern outside the reports.
 */
#ifndef HEDDLE_REPORT_STORY_WORDS_H
#define HEDDLE_REPORT_STORY_WORDS_H

#include "report/story/story.h"
#include "schedule/thread_name.h"

#define PLACE_SIZE 192
#define OBJECT_SIZE 256
#define VALUE_SIZE 160
#define SENTENCE_SIZE 1024

/* "th" of 4, "st" of 21. */
static inline const char *ordinal_end(uint32_t n)
{
  const uint32_t last = n % 10;
  return n % 100 / 10 == 1 || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd";
}

/* "T1": what documents for other programs know it by. */
void identify_thread(const struct story *story, uint32_t thread, char out[THREAD_NAME_SIZE]);

/* The same for people: "T1:reader" of one to which the program has given a name. */
void describe_thread(const struct story *story, uint32_t thread, char out[THREAD_NAME_SIZE]);

/* "request_stop()", if the event is what a function of a library does, on behalf of the program's call, with memory
 * that has no name there. False: it is something else. */
bool describe_library_call(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE]);

/* What the accesses of the story tell of heap blocks whose allocation does not, for all names from then on. */
void story_learn_blocks(const struct story *story);

/* "bank.c:22"; empty for pc 0. */
void describe_place(const struct story *story, uintptr_t pc, char out[PLACE_SIZE]);

/* The place behind another one that was told already: files are named once, "bank.c:22", then ":23". */
const char *place_after(const char *before, const char *place);

/* The place a reader knows: of the pc and the return addresses of the stack, innermost first, the first in the
 * program's own code; the pc when there is none. A lock taken inside of std::lock_guard is taken where that stands. */
uintptr_t own_pc(const struct story *story, uintptr_t pc, const uintptr_t *stack, uint32_t depth);

/* The place of an allocation that a reader knows: the caller of the library that made it. 0: the memory is none of the
 * heap's. */
uintptr_t event_block_pc(const struct story *story, const struct trace_event *event);
uintptr_t party_block_pc(const struct story *story, const struct bug_party *party);

/* "bank.c:22 in withdraw". */
void describe_place_and_function(const struct story *story, uintptr_t pc, char out[PLACE_SIZE]);

/* What an event does, as far as it is known: "wakes from", "times out on". */
const char *event_phrase(const struct story *story, const struct trace_event *event);

/* A wrong access was stopped before it happened: there is no value to tell. */
bool event_stopped(const struct story *story, const struct trace_event *event);

/* What an event acts on: `balance[0]`, `T1`, `ready`; empty when on nothing. */
void describe_object(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE]);

/* The object at its address, whatever it does there; false: that has no name, and the address is given. */
bool describe_event_object(const struct story *story, const struct trace_event *event, char out[OBJECT_SIZE]);

/* `→ 100`, `← 50`, an error; empty when there is nothing to say. */
void describe_value(const struct story *story, const struct trace_event *event, char out[VALUE_SIZE]);

/* `was 100`: of an update whose outcome is not known. */
void describe_value_before(const struct story *story, const struct trace_event *event, char out[VALUE_SIZE]);

/* One value of an event on memory as the source would write it: after it, or before. Empty when it is not known. */
void describe_plain_value(const struct story *story, const struct trace_event *event, bool before,
                          char out[VALUE_SIZE]);

void describe_party_object(const struct story *story, const struct bug_party *party, char out[OBJECT_SIZE]);

/* The code of an event, by own_pc; of a thread's start its start routine, 0 when that is a library's. */
uintptr_t event_pc(const struct story *story, const struct trace_event *event);

/* The code a party was in, by own_pc. */
uintptr_t party_pc(const struct story *story, const struct bug_party *party);

/* Where the holder took what a party waits for. The record has no stack for it, but the trace may. */
uintptr_t party_holder_pc(const struct story *story, const struct bug_party *party);

/* What it did, enum op_kind: the record of a race has the earlier side's free as a write. */
uint16_t party_op(const struct story *story, const struct bug_party *party);

/* Whether it is the code of a library, headers included, also when inlined. */
bool in_library(const struct story *story, uintptr_t pc);

/* Used parties of a bug, whatever the record says. */
uint32_t party_count(const struct bug *bug);

/* The party at whose place the bug is said to be. */
uint32_t main_party(const struct bug *bug);

/* The parties that make a deadlock what it is. */
struct deadlock {
  enum deadlock_kind kind;
  uint32_t party[BUG_PARTIES]; /* the cycle, or the one that waits in vain */
  uint32_t count;
};

struct deadlock deadlock_of(const struct bug *bug);

/* What a thread that cannot go on waits for, without its object: "waits to lock". */
const char *waiting_phrase(uint16_t op);

/* A sentence on one party of a deadlock: "T1 waits to lock b (deadlock.c:14), held by T2 since deadlock.c:22". */
void describe_waiting(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE]);

#endif
