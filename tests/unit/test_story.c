/* SPDX-License-Identifier: Apache-2.0
 *
 * Stories: made-up traces over a small program that is compiled here, and what is told of them. Most checks are on the
 * words that carry the meaning, not on whole pages; the bank's story is checked line by line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "addresses.h"
#include "core/rng.h"
#include "report/document/trace_log.h"
#include "report/story/select.h"
#include "report/story/story.h"
#include "report/story/terminal_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START ((uintptr_t)0x555555554000)

static char directory[] = "/tmp/heddle-story-XXXXXX";
static char program[64];
static struct symbols *symbols;

static const char source[] = "#include <assert.h>\n"                            /* 1 */
                             "#include <pthread.h>\n"                           /* 2 */
                             "#include <stdlib.h>\n"                            /* 3 */
                             "int balance[2] = {100, 100};\n"                   /* 4 */
                             "pthread_mutex_t a, b;\n"                          /* 5 */
                             "pthread_cond_t ready;\n"                          /* 6 */
                             "struct node { int value; struct node *next; };\n" /* 7 */
                             "void *worker(void *arg)\n"                        /* 8 */
                             "{\n"                                              /* 9 */
                             "  int old = balance[0];\n"                        /* 10 */
                             "  balance[0] = old - 50;\n"                       /* 11 */
                             "  struct node *n = malloc(sizeof *n);\n"          /* 12 */
                             "  n->value = 1;\n"                                /* 13 */
                             "  free(n);\n"                                     /* 14 */
                             "  return arg;\n"                                  /* 15 */
                             "}\n"                                              /* 16 */
                             "int main(void)\n"                                 /* 17 */
                             "{\n"                                              /* 18 */
                             "  worker(0);\n"                                   /* 19 */
                             "  int total = balance[0] + balance[1];\n"         /* 20 */
                             "  assert(total == 100);\n"                        /* 21 */
                             "  return 0;\n"                                    /* 22 */
                             "}\n"
                             "const int table[4] = {1, 2, 3, 4};\n";

static uintptr_t pc_on_line(uint32_t line)
{
  struct source_place place;
  const uintptr_t from = address(line < 17 ? "worker" : "main") + START;
  for (uintptr_t pc = from + 1; pc < from + 300; pc++)
    if (symbols_line(symbols, pc, &place) && place.line == line)
      return pc;
  fail_msg("no code on line %u", line);
  return 0;
}

static const struct thread_info threads[] = {{.nth = 0}, {.nth = 1}, {.nth = 2}};

/* Traces are written as lists of these. */
struct told {
  uint32_t thread;
  uint16_t op;
  uint8_t switched;
  uintptr_t addr;
  uint64_t value;
  uint32_t line;
};

static struct trace_event *make_events(const struct told *list, size_t count)
{
  struct trace_event *events = calloc(count, sizeof *events);
  assert_non_null(events);
  for (size_t i = 0; i < count; i++)
    events[i] = (struct trace_event){.step = i + 1,
                                     .thread = list[i].thread,
                                     .op = list[i].op,
                                     .switched = list[i].switched,
                                     .addr = list[i].addr,
                                     .length = op_is_memory(list[i].op) ? 4 : 0,
                                     .has_value = op_is_memory(list[i].op),
                                     .value = list[i].value,
                                     .arg = list[i].value,
                                     .pc = pc_on_line(list[i].line)};
  return events;
}

static char *print(void (*printer)(FILE *, const struct story *), const struct story *story)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  printer(out, story);
  assert_int_equal(fclose(out), 0);
  return text;
}

static void expect(const char *text, const char *part)
{
  if (!strstr(text, part))
    fail_msg("not found: %s\nin:\n%s", part, text);
}

static void expect_not(const char *text, const char *part)
{
  if (strstr(text, part))
    fail_msg("unexpected: %s\nin:\n%s", part, text);
}

static void expect_narrow(const char *text, unsigned width)
{
  unsigned column = 0;
  for (const char *c = text; *c; c++) {
    column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xc0) != 0x80);
    if (column > width)
      fail_msg("wider than %u columns:\n%s", width, text);
    if (*c == '\n' && c > text && c[-1] == ' ')
      fail_msg("a line ends in a blank:\n%s", text);
  }
}

static struct bug assertion(void)
{
  struct bug bug = {.kind = BUG_ASSERTION, .parties = 1, .step = 10};
  snprintf(bug.text, sizeof bug.text, "total == 100");
  snprintf(bug.where, sizeof bug.where, "story.c:21");
  bug.party[0] = (struct bug_party){.thread = 0, .op = OP_NONE, .holder = -1, .pc = pc_on_line(21)};
  return bug;
}

static struct trace_event *bank_events(size_t *count)
{
  const uintptr_t money = address("balance") + START;
  const struct told list[] = {{0, OP_CREATE, 0, 0, 1, 19},     {0, OP_CREATE, 0, 0, 2, 19},
                              {1, OP_START, 1, 0, 0, 10},      {1, OP_READ, 0, money, 100, 10},
                              {2, OP_READ, 2, money, 100, 10}, {2, OP_WRITE, 0, money, 50, 11},
                              {1, OP_WRITE, 1, money, 50, 11}, {0, OP_JOIN, 1, 0, 1, 19},
                              {0, OP_READ, 0, money, 50, 20},  {0, OP_READ, 0, money + 4, 100, 20}};
  *count = sizeof list / sizeof *list;
  return make_events(list, *count);
}

static void tells_a_lost_update(void **state)
{
  (void)state;
  size_t count;
  struct trace_event *events = bank_events(&count);
  const struct bug bug = assertion();
  const struct story story = {.bug = &bug,
                              .events = events,
                              .event_count = count,
                              .threads = threads,
                              .thread_count = 3,
                              .symbols = symbols,
                              .executions = 17,
                              .schedule = "heddle-out/bank-1.hd"};
  char *text = print(story_print, &story);
  assert_string_equal(
      text,
      "✗ assertion failed: total == 100                      story.c:21, after 17 executions\n"
      "    T1    story.c:10  reads   balance[0]  → 100\n"
      "  ▸ T2    story.c:10  reads   balance[0]  → 100\n"
      "    T2    story.c:11  writes  balance[0]  ← 50\n"
      "  ▸ T1    story.c:11  writes  balance[0]  ← 50   T2's update is lost\n"
      "… ▸ main  story.c:20  reads   balance[0]  → 50\n"
      "    main  story.c:20  reads   balance[1]  → 100\n"
      "    main  story.c:21  fails   assert(total == 100);\n"
      "  4 context switches, 3 told (▸), 1 of them a preemption\n"
      "  bug      an update is lost: T1 reads `balance[0]` at story.c:10 and writes it at :11 as if nobody had\n"
      "           written in between; T2 did, at :11\n"
      "  fix      T1 must make its two accesses one atomic operation, or hold one lock around both, which T2 takes\n"
      "           too\n"
      "  replay   heddle replay heddle-out/bank-1.hd\n"
      "  debug    heddle replay --gdb heddle-out/bank-1.hd\n");
  expect_narrow(text, STORY_WIDTH);
  free(text);
  free(events);
}

static void finds_it_in_a_long_trace(void **state)
{
  (void)state;
  const uintptr_t money = address("balance") + START;
  const size_t count = 5000, at = 3000;
  struct trace_event *events = calloc(count, sizeof *events);
  assert_non_null(events);
  uint64_t stream = 5;
  for (size_t i = 0; i < count; i++)
    events[i] = (struct trace_event){.step = i + 1,
                                     .thread = 1,
                                     .op = OP_READ,
                                     .addr = 0x100000 + 8 * rng_below(&stream, 50),
                                     .length = 8,
                                     .pc = 0x10};
  const struct told list[] = {{1, OP_READ, 0, money, 100, 10},
                              {2, OP_READ, 2, money, 100, 10},
                              {2, OP_WRITE, 0, money, 50, 11},
                              {1, OP_WRITE, 1, money, 50, 11}};
  struct trace_event *heart = make_events(list, 4);
  for (size_t i = 0; i < 4; i++) {
    heart[i].step = events[at + 12 * i].step;
    events[at + 12 * i] = heart[i];
  }
  struct bug bug = assertion();
  bug.step = count;
  const struct story story = {
      .bug = &bug, .events = events, .event_count = count, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "T2's update is lost");
  expect(text, "… 11 steps");
  size_t lines = 0;
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  assert_true(lines < 40);
  free(text);
  free(heart);
  free(events);
}

static struct bug_party waiting(uint32_t thread, uint16_t op, uintptr_t addr, uint32_t line, int32_t holder,
                                uint32_t holder_line)
{
  return (struct bug_party){.thread = thread,
                            .op = op,
                            .addr = addr,
                            .pc = pc_on_line(line),
                            .holder = holder,
                            .holder_pc = holder_line ? pc_on_line(holder_line) : 0};
}

static void tells_a_cycle_of_locks(void **state)
{
  (void)state;
  const uintptr_t a = address("a") + START, b = address("b") + START;
  struct bug bug = {.kind = BUG_DEADLOCK, .detail = DEADLOCK_CYCLE, .parties = 3};
  bug.party[0] = waiting(1, OP_MUTEX_LOCK, b, 10, 2, 12);
  bug.party[1] = waiting(2, OP_MUTEX_LOCK, a, 13, 1, 11);
  bug.party[2] = waiting(0, OP_JOIN, 0, 19, 1, 0);
  const struct told list[] = {{1, OP_MUTEX_LOCK, 1, a, 0, 11}, {2, OP_MUTEX_LOCK, 2, b, 0, 12}};
  struct trace_event *events = make_events(list, 2);
  events[0].arg = events[1].arg = 0;
  struct story story = {
      .bug = &bug, .events = events, .event_count = 2, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ deadlock: T1 and T2 wait for each other");
  expect(text, "    T1 waits to lock b (story.c:10), held by T2 since story.c:12\n");
  expect(text, "    T2 waits to lock a (story.c:13), held by T1 since story.c:11\n");
  expect(text, "    main waits for the end of T1 (story.c:19)\n");
  expect(text, "T1  story.c:11  locks  a\n");
  expect(text, "▸ T2  story.c:12  locks  b\n");
  expect(text, "1 context switch (▸), a preemption");
  expect_not(text, "replay");
  free(text);
  bug.parties = 1;
  bug.detail = DEADLOCK_SELF;
  bug.party[0] = waiting(1, OP_MUTEX_LOCK, a, 10, 1, 12);
  story.event_count = 0;
  text = print(story_print, &story);
  expect(text, "✗ deadlock: T1 waits for a, which it holds itself");
  expect(text, "T1 waits to lock a (story.c:10), which it holds itself since story.c:12\n");
  free(text);
  free(events);
}

static void tells_a_lost_wake_up(void **state)
{
  (void)state;
  const uintptr_t ready = address("ready") + START, a = address("a") + START;
  struct bug bug = {.kind = BUG_DEADLOCK, .detail = DEADLOCK_WAKE_UP, .parties = 2};
  bug.party[0] = waiting(0, OP_JOIN, 0, 19, 1, 0);
  bug.party[1] = waiting(1, OP_COND_WAKE, ready, 13, -1, 0);
  const struct told list[] = {{2, OP_COND_SIGNAL, 1, ready, 0, 11}, {1, OP_COND_WAIT, 1, ready, 0, 13}};
  struct trace_event *events = make_events(list, 2);
  events[1].second = a;
  struct story story = {
      .bug = &bug, .events = events, .event_count = 2, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ deadlock: T1 waits on ready, which nobody is left to signal");
  expect(text, "the last to do so was T2 (story.c:11),");
  expect(text, "before the wait began: the wake-up was lost");
  expect(text, "story.c:13\n"); /* the headline: where it waits in vain, not where main joins */
  expect(text, "waits on  ready, releasing a");
  expect_narrow(text, STORY_WIDTH);
  free(text);
  story.event_count = 1;
  story.events = events + 1;
  text = print(story_print, &story);
  expect(text, "it never was");
  free(text);
  free(events);
}

static void tells_of_memory(void **state)
{
  (void)state;
  struct bug bug = {.kind = BUG_MEMORY, .parties = 1};
  bug.party[0] = (struct bug_party){.thread = 2,
                                    .op = OP_READ,
                                    .length = 4,
                                    .holder = -1,
                                    .addr = 0x7000,
                                    .depth = 1,
                                    .pc = pc_on_line(13),
                                    .block_pc = pc_on_line(12),
                                    .freed_pc = pc_on_line(14),
                                    .block_size = 16,
                                    .stack = {pc_on_line(19)}};
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ use of memory after it was freed");
  expect(text, "    T2 reads n->value at story.c:13 in worker\n");
  expect(text, "        called from story.c:19 in main\n");
  expect(text, "the block of 16 bytes was allocated at story.c:12 in worker and freed at story.c:14 in worker");
  free(text);
  bug.party[0].freed_pc = 0;
  bug.party[0].block_offset = 20;
  text = print(story_print, &story);
  expect(text, "✗ access 4 bytes past a block of 16 bytes");
  expect(text, "this is 4 bytes past its end");
  free(text);
  bug.kind = BUG_LEAK;
  bug.detail = 16;
  text = print(story_print, &story);
  expect(text, "✗ 16 bytes were never freed");
  expect(text, "16 bytes allocated at story.c:12 in worker");
  free(text);
}

static void tells_a_race(void **state)
{
  (void)state;
  const uintptr_t money = address("balance") + START;
  struct bug bug = {.kind = BUG_RACE, .parties = 2};
  for (uint32_t i = 0; i < 2; i++)
    bug.party[i] = (struct bug_party){.thread = i + 1,
                                      .op = i ? OP_READ : OP_WRITE,
                                      .length = 4,
                                      .holder = -1,
                                      .addr = money,
                                      .pc = pc_on_line(i ? 10 : 11),
                                      .depth = 1,
                                      .stack = {pc_on_line(19)}};
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ data race on balance[0]: T2 reads and T1 writes it, unordered");
  expect(text, "    T1 writes balance[0] at story.c:11 in worker\n        called from story.c:19 in main\n");
  expect(text, "    T2 reads balance[0] at story.c:10 in worker\n");
  free(text);
}

static void tells_the_other_kinds(void **state)
{
  (void)state;
  char message[256], where[64];
  struct bug bug = {.kind = BUG_CRASH, .parties = 1, .detail = 11};
  bug.party[0] = (struct bug_party){.thread = 1, .holder = -1, .pc = pc_on_line(13)};
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .symbols = symbols};
  bug_message(&story, message, sizeof message);
  expect(message, "killed by signal 11");
  bug_where(&story, where, sizeof where);
  assert_string_equal(where, "story.c:13");
  bug.kind = BUG_EXIT;
  bug.detail = 3;
  bug_message(&story, message, sizeof message);
  assert_string_equal(message, "exit status 3");
  bug.kind = BUG_HANG;
  bug.step = 100000;
  bug_message(&story, message, sizeof message);
  assert_string_equal(message, "no end after 100000 steps");
  bug.parties = 0;
  bug_where(&story, where, sizeof where);
  assert_string_equal(where, "");
  for (bug.kind = 0; bug.kind <= BUG_KIND_COUNT; bug.kind++) {
    bug.parties = 77; /* a damaged record */
    char *text = print(story_print, &story);
    assert_true(strlen(text) > 4);
    free(text);
    bug.parties = 0;
    text = print(story_print, &story);
    assert_true(strlen(text) > 4);
    free(text);
  }
}

/* A thread that spins is told of once, however long it did, and with it who made it wait. */
static void tells_a_hang(void **state)
{
  (void)state;
  const uintptr_t money = address("balance") + START;
  const size_t count = 4000, lead = 4;
  struct trace_event *events = calloc(count, sizeof *events);
  assert_non_null(events);
  const struct told list[] = {{0, OP_CREATE, 0, 0, 1, 19},
                              {0, OP_WRITE, 0, money, 7, 20},
                              {1, OP_READ, 1, money, 7, 10},
                              {1, OP_YIELD, 0, 0, 0, 11}};
  struct trace_event *parts = make_events(list, 4);
  for (size_t i = 0; i < count; i++) {
    events[i] = parts[i < lead ? i : 2 + i % 2];
    events[i].step = i + 1;
  }
  struct bug bug = {.kind = BUG_HANG, .parties = 2, .step = count, .text = "livelock"};
  bug.party[0] = waiting(0, OP_JOIN, 0, 19, -1, 0);
  bug.party[1] = waiting(1, OP_YIELD, 0, 11, -1, 0);
  const struct story story = {
      .bug = &bug, .events = events, .event_count = count, .threads = threads, .thread_count = 2, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "    main waits for the end of T1 (story.c:19)\n");
  expect(text, "T1 keeps reading balance[0] → 7 (story.c:10); main was the last to change it (story.c:20)\n");
  expect(text, "main  story.c:20  writes   balance[0]  ← 7\n    … 3998 steps\n");
  expect_not(text, "yields");
  expect_narrow(text, STORY_WIDTH);
  free(text);
  free(parts);
  free(events);
}

static void tells_who_freed(void **state)
{
  (void)state;
  const uintptr_t block = 0x7000;
  const struct told list[] = {{1, OP_READ, 0, block, 1, 13},
                              {0, OP_READ, 1, address("table") + START, 1, 20},
                              {0, OP_FREE, 0, block, 0, 14},
                              {1, OP_WRITE, 2, block, 0xdddddddd, 13}};
  struct trace_event *events = make_events(list, 4);
  for (size_t i = 0; i < 4; i++)
    events[i].block_pc = i == 1 ? 0 : pc_on_line(12);
  events[2].has_value = 0;
  struct bug bug = {.kind = BUG_MEMORY, .parties = 1, .step = 4};
  bug.party[0] = waiting(1, OP_WRITE, block, 13, -1, 0);
  bug.party[0].length = 4;
  bug.party[0].block_pc = pc_on_line(12);
  bug.party[0].freed_pc = events[2].pc;
  bug.party[0].block_size = 16;
  const struct story story = {
      .bug = &bug, .events = events, .event_count = 4, .threads = threads, .thread_count = 2, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "and freed by main at story.c:14 in worker");
  expect(text, "frees   *n\n");
  expect(text, "writes  n->value       main has freed it\n"); /* no value: it never came to be */
  expect_not(text, "table");                                  /* nobody writes constants */
  free(text);
  bug.kind = BUG_RACE;
  bug.parties = 2;
  bug.party[0].freed_pc = 0;
  bug.party[1] = bug.party[0];
  bug.party[1].thread = 0;
  bug.party[1].pc = events[2].pc;
  text = print(story_print, &story);
  expect(text, "data race on n->value: main frees and T1 writes it, unordered");
  free(text);
  free(events);
}

/* Two threads free a block in the same line: the first one did, the second one is the bug. */
static void tells_who_freed_first(void **state)
{
  (void)state;
  const uintptr_t block = 0x7000;
  const struct told list[] = {{1, OP_FREE, 0, block, 0, 14}, {0, OP_FREE, 1, block, 0, 14}};
  struct trace_event *events = make_events(list, 2);
  for (size_t i = 0; i < 2; i++) {
    events[i].block_pc = pc_on_line(12);
    events[i].has_value = 0;
  }
  struct bug bug = {.kind = BUG_MEMORY, .parties = 1, .step = 2, .text = "double free"};
  bug.party[0] = waiting(0, OP_FREE, block, 14, -1, 0);
  bug.party[0].length = 4;
  bug.party[0].block_pc = pc_on_line(12);
  bug.party[0].freed_pc = events[0].pc;
  bug.party[0].block_size = 16;
  const struct story story = {
      .bug = &bug, .events = events, .event_count = 2, .threads = threads, .thread_count = 2, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "and freed by T1 at story.c:14 in worker");
  expect(text, "T1 has freed it\n");
  expect_not(text, "main has freed it");
  free(text);
  free(events);
}

/* Threads that sleep on different futexes are not told to sleep on the first of them. */
static void tells_waits_apart(void **state)
{
  (void)state;
  struct bug bug = {.kind = BUG_DEADLOCK, .detail = DEADLOCK_FUTEX, .parties = 2};
  bug.party[0] = waiting(1, OP_FUTEX_BLOCK, address("a") + START, 11, -1, 0);
  bug.party[1] = waiting(2, OP_FUTEX_BLOCK, address("b") + START, 11, -1, 0);
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ deadlock: T1 and T2 sleep on futexes that nobody is left to wake");
  free(text);
  bug.party[1].addr = bug.party[0].addr;
  text = print(story_print, &story);
  expect(text, "✗ deadlock: T1 and T2 sleep on futex a, which nobody is left to wake");
  free(text);
}

/* Steps that are not told are those that the search counts; private ones between them are none. A few are only marked.
 */
static void marks_every_gap(void **state)
{
  (void)state;
  const uintptr_t money = address("balance") + START;
  const struct told list[] = {{1, OP_READ, 0, money, 100, 10},
                              {1, OP_YIELD, 0, 0, 0, 10},
                              {2, OP_WRITE, 2, money, 50, 11},
                              {1, OP_WRITE, 1, money, 50, 11},
                              {0, OP_READ, 1, money, 50, 20}};
  struct trace_event *events = make_events(list, 5);
  struct bug bug = assertion();
  for (size_t i = 0; i < 5; i++)
    events[i].step = 1 + 100 * i;
  bug.step = events[4].step;
  const struct story story = {
      .bug = &bug, .events = events, .event_count = 5, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "\n… ▸ T2");
  expect_not(text, "steps");
  free(text);
  events[1].op = OP_CREATE; /* up to there the first thread is alone */
  text = print(story_print, &story);
  expect(text, "\n… ▸ T2");
  free(text);
  free(events);
}

/* What is said once is not said again. */
static void merges_repeated_reads(void **state)
{
  (void)state;
  const uintptr_t money = address("balance") + START;
  const struct told list[] = {{1, OP_READ, 0, money, 100, 10},
                              {2, OP_WRITE, 2, money, 50, 11},
                              {0, OP_READ, 1, money, 50, 20},
                              {0, OP_READ, 0, money, 50, 20},
                              {0, OP_READ, 0, money, 50, 20}};
  struct trace_event *events = make_events(list, 5);
  const struct bug bug = assertion();
  const struct story story = {
      .bug = &bug, .events = events, .event_count = 5, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "main  story.c:20  reads   balance[0]  → 50   3 times\n    main  story.c:21  fails");
  free(text);
  free(events);
}

static void tells_a_misuse(void **state)
{
  (void)state;
  struct bug bug = {.kind = BUG_PROPERTY, .parties = 1};
  snprintf(bug.text, sizeof bug.text, "unlocks a mutex that another thread holds");
  bug.party[0] = waiting(1, OP_MUTEX_UNLOCK, address("a") + START, 11, 2, 12);
  const struct story story = {.bug = &bug, .threads = threads, .thread_count = 3, .symbols = symbols};
  char *text = print(story_print, &story);
  expect(text, "✗ T1 unlocks a mutex that another thread holds: a");
  expect(text, "T1 unlocks a at story.c:11 in worker\n");
  expect(text, "T2 holds a since story.c:12\n");
  free(text);
}

static void is_safe_to_print(void **state)
{
  (void)state;
  char out[64];
  struct bug bug = {.kind = BUG_PROPERTY};
  snprintf(bug.text, sizeof bug.text, "\033]0;title\007 \xc2\x9b grün \xff\n");
  const struct story story = {.bug = &bug, .schedule = "it's here.hd"};
  char *text = print(story_print, &story);
  expect(text, "\\x1b]0;title\\x07 \\xc2\\x9b grün \\xff\\n");
  expect(text, "replay 'it'\\''s here.hd'");
  free(text);
  escape_text("aé\x01z", out, 4);
  assert_string_equal(out, "aé");
  escape_text("aé\x01z", out, 3);
  assert_string_equal(out, "a");
}

static void leaves_out_the_middle(void **state)
{
  char out[64];
  (void)state;
  leave_out_middle("abcdefgh", 8, out, sizeof out);
  assert_string_equal(out, "abcdefgh");
  leave_out_middle("abcdefgh", 6, out, sizeof out);
  assert_string_equal(out, "ab…fgh");
  leave_out_middle("größenähnlich\n", 5, out, sizeof out);
  assert_string_equal(out, "gr…\\n");
  leave_out_middle("", 5, out, sizeof out);
  assert_string_equal(out, "");
}

static void fits_any_width_and_colour(void **state)
{
  (void)state;
  size_t count;
  struct trace_event *events = bank_events(&count);
  struct bug bug = assertion();
  for (size_t i = 12; i + 6 < sizeof bug.text; i += 6)
    memcpy(bug.text + i, " && xy", 7);
  struct story story = {.bug = &bug,
                        .events = events,
                        .event_count = count,
                        .event_total = 99,
                        .threads = threads,
                        .thread_count = 2 /* one too few */,
                        .symbols = symbols,
                        .executions = 1,
                        .schedule = "x.hd"};
  for (story.width = 0; story.width < 200; story.width += 10) {
    char *text = print(story_print, &story);
    expect_narrow(text, story.width == 0 ? STORY_WIDTH : story.width < 60 ? 60 : story.width);
    free(text);
    text = print(trace_print, &story);
    expect(text, "… 89 more steps were not recorded");
    expect(text, "thread 2");
    expect_narrow(text, story.width == 0 ? STORY_WIDTH : story.width < 60 ? 60 : story.width);
    free(text);
  }
  story.colour = true;
  char *text = print(story_print, &story);
  expect(text, "\033[1;31m✗");
  free(text);
  story.symbols = NULL;
  story.threads = NULL;
  story.thread_count = 0;
  text = print(story_print, &story);
  expect(text, "0x5555");
  free(text);
  free(events);
}

static void counts_switches(void **state)
{
  (void)state;
  size_t count;
  struct trace_event *events = bank_events(&count);
  const struct story_switches n = story_count_switches(events, count);
  assert_int_equal(n.switches, 4);
  assert_int_equal(n.preemptions, 1);
  free(events);
}

/* Any trace at all: the selection stays in bounds, in order, and under its limit. */
static void selects_from_anything(void **state)
{
  (void)state;
  uint64_t stream = 11;
  for (int round = 0; round < 300; round++) {
    const size_t count = rng_below(&stream, 200), limit = 1 + rng_below(&stream, 30);
    struct trace_event *events = calloc(count + 1, sizeof *events);
    assert_non_null(events);
    for (size_t i = 0; i < count; i++)
      events[i] = (struct trace_event){.step = i + 1,
                                       .thread = rng_below(&stream, 4),
                                       .op = (uint16_t)rng_below(&stream, OP_COUNT + 2),
                                       .switched = (uint8_t)rng_below(&stream, 3),
                                       .addr = rng_below(&stream, 6),
                                       .pc = rng_below(&stream, 3)};
    struct bug bug = {
        .kind = rng_below(&stream, BUG_KIND_COUNT), .parties = rng_below(&stream, 4), .step = rng_below(&stream, 300)};
    for (uint32_t i = 0; i < bug.parties; i++)
      bug.party[i] = (struct bug_party){.thread = rng_below(&stream, 5),
                                        .op = (uint16_t)rng_below(&stream, OP_COUNT),
                                        .holder = (int32_t)rng_below(&stream, 6) - 1,
                                        .addr = rng_below(&stream, 6)};
    struct selection selection;
    assert_true(select_events(&bug, events, count, limit, NULL, &selection));
    assert_true(selection.count <= limit);
    for (size_t i = 0; i < selection.count; i++) {
      assert_true(selection.event[i] < selection.end);
      assert_true(i == 0 || selection.event[i - 1] < selection.event[i]);
    }
    selection_free(&selection);
    const struct story story = {.bug = &bug, .events = events, .event_count = count};
    free(print(story_print, &story));
    free(print(trace_print, &story));
    free(events);
  }
}

static int build(void **state)
{
  char line[256], error[256];
  (void)state;
  /* Names of files are shown relative to the current directory: the program is not below this one. */
  if (!mkdtemp(directory) || chdir("/") != 0)
    return -1;
  snprintf(line, sizeof line, "%s/story.c", directory);
  FILE *out = fopen(line, "w");
  if (!out || fputs(source, out) < 0 || fclose(out) != 0)
    return -1;
  snprintf(program, sizeof program, "%s/story", directory);
  snprintf(line, sizeof line, "cd %s && cc -g -O0 -pie -fPIE story.c -o story", directory);
  if (system(line) != 0)
    return -1;
  addresses_of(program);
  symbols = symbols_open(program, error, sizeof error);
  return symbols ? 0 : -1;
}

static int clean(void **state)
{
  char line[64];
  (void)state;
  symbols_close(symbols);
  snprintf(line, sizeof line, "rm -r %s", directory);
  return system(line);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_a_lost_update),    cmocka_unit_test(finds_it_in_a_long_trace),
      cmocka_unit_test(tells_a_cycle_of_locks), cmocka_unit_test(tells_a_lost_wake_up),
      cmocka_unit_test(tells_of_memory),        cmocka_unit_test(tells_a_race),
      cmocka_unit_test(tells_the_other_kinds),  cmocka_unit_test(is_safe_to_print),
      cmocka_unit_test(leaves_out_the_middle),  cmocka_unit_test(fits_any_width_and_colour),
      cmocka_unit_test(counts_switches),        cmocka_unit_test(selects_from_anything),
      cmocka_unit_test(tells_a_misuse),         cmocka_unit_test(tells_a_hang),
      cmocka_unit_test(tells_who_freed),        cmocka_unit_test(merges_repeated_reads),
      cmocka_unit_test(tells_who_freed_first),  cmocka_unit_test(tells_waits_apart),
      cmocka_unit_test(marks_every_gap),
  };
  return cmocka_run_group_tests(tests, build, clean);
}
