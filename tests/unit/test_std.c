/* SPDX-License-Identifier: Apache-2.0
 *
 * The STD form of traces: what the six operations say, files of other tools, and nothing lost on the way out and
 * in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "predict/locks/goodlock.h"
#include "predict/trace/std.h"
#include "predict_script.h"

struct text {
  char *bytes;
  size_t size;
};

static struct std_writer *begin(struct text *text, bool plain, FILE **file)
{
  *file = open_memstream(&text->bytes, &text->size);
  assert_non_null(*file);
  return std_open(*file, plain);
}

static void end(struct std_writer *w, FILE *file)
{
  assert_true(std_close(w));
  assert_int_equal(fclose(file), 0);
}

static struct text export(const struct script *s, bool plain)
{
  struct text text = {0};
  struct event e;
  FILE *file;
  struct std_writer *w = begin(&text, plain, &file);
  struct trace_reader *r = script_open(s);
  while (script_next(r, &e))
    std_event(w, trace_tables(r), &e);
  end(w, file);
  trace_close(r);
  return text;
}

static struct trace_reader *import(const char *text)
{
  char error[256] = "";
  struct trace_reader *r = trace_from_text(text, error, sizeof error);
  assert_string_equal(error, "");
  return r;
}

/* ---- the same again ---- */

static void same_text(const char *a, const char *b)
{
  assert_int_equal(!a, !b);
  if (a)
    assert_string_equal(a, b);
}

static void same_tables(const struct trace *a, const struct trace *b)
{
  assert_int_equal(a->site_count, b->site_count);
  assert_int_equal(a->stack_count, b->stack_count);
  assert_int_equal(a->thread_count, b->thread_count);
  assert_int_equal(a->object_count, b->object_count);
  same_text(a->program, b->program);
  for (uint32_t i = 1; i < a->site_count; i++) {
    assert_int_equal(a->sites[i].offset, b->sites[i].offset);
    same_text(a->sites[i].module, b->sites[i].module);
    same_text(a->sites[i].text, b->sites[i].text);
  }
  for (uint32_t i = 1; i < a->stack_count; i++) {
    assert_int_equal(a->stacks[i].depth, b->stacks[i].depth);
    for (uint32_t n = 0; n < a->stacks[i].depth; n++)
      assert_int_equal(a->stacks[i].sites[n], b->stacks[i].sites[n]);
  }
  for (uint32_t i = 1; i < a->thread_count; i++) {
    assert_int_equal(a->threads[i].parent, b->threads[i].parent);
    assert_int_equal(a->threads[i].create, b->threads[i].create);
    same_text(a->threads[i].text, b->threads[i].text);
    assert_memory_equal(&a->threads[i].origin, &b->threads[i].origin, sizeof(struct origin));
  }
  for (uint32_t i = 1; i < a->object_count; i++) {
    assert_int_equal(a->objects[i].kind, b->objects[i].kind);
    assert_int_equal(a->objects[i].type, b->objects[i].type);
    assert_int_equal(a->objects[i].generation, b->objects[i].generation);
    assert_int_equal(a->objects[i].addr, b->objects[i].addr);
    same_text(a->objects[i].text, b->objects[i].text);
    assert_memory_equal(&a->objects[i].origin, &b->objects[i].origin, sizeof(struct origin));
  }
  assert_int_equal(a->function_count, b->function_count);
  for (uint32_t i = 1; i < a->function_count; i++) {
    same_text(a->functions[i].name, b->functions[i].name);
    same_text(a->functions[i].type, b->functions[i].type);
  }
}

/* Without the lines of heddle's own it is what other tools get. */
static void same_without_comments(char *full, const char *plain)
{
  for (char *rest = full, *line; (line = strtok_r(rest, "\n", &rest));)
    if (line[0] != '#') {
      size_t length = strlen(line);
      assert_memory_equal(line, plain, length);
      assert_int_equal(plain[length], '\n');
      plain += length + 1;
    }
  assert_int_equal(*plain, 0);
}

static void round_trip(const struct script *s)
{
  struct text full = export(s, false), plain = export(s, true);
  struct trace_reader *before = script_open(s), *after = import(full.bytes);
  struct event a, b;
  unsigned count = 0;
  while (script_next(before, &a)) {
    assert_true(script_next(after, &b));
    assert_memory_equal(&a, &b, sizeof a);
    count++;
  }
  assert_false(script_next(after, &b));
  assert_true(count > 0);
  same_tables(trace_tables(before), trace_tables(after));
  trace_close(before);
  trace_close(after);
  same_without_comments(full.bytes, plain.bytes);
  free(full.bytes);
  free(plain.bytes);
}

static void every_operation(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "origin L1 11*1 6*2 11 5");
  script_line(&s, "origin T1 50*3 50");
  script_line(&s, "main create T1 @ 10");
  for (unsigned op = OP_NONE + 1; op < OP_COUNT; op++)
    switch (op_table[op].object) {
    case OBJECT_NOTHING:
      script_line(&s, "main %s @ 3 value=%u", op_table[op].name, op);
      break;
    case OBJECT_THREAD:
      script_line(&s, "main %s T1", op_table[op].name);
      break;
    case OBJECT_MEMORY:
      script_line(&s, "T1 %s x+%u @ 7 value=0xffffffffffffffff length=8 order=5", op_table[op].name, op % 8);
      break;
    default:
      script_line(&s, "T1 %s o%u L1 @ f.c:%u cause=3 hidden", op_table[op].name, op_table[op].object, op);
      script_line(&s, "T1 %s o%u failed timed", op_table[op].name, op_table[op].object);
      script_line(&s, "T1 %s o%u nested", op_table[op].name, op_table[op].object);
      script_line(&s, "main %s o%u pending", op_table[op].name, op_table[op].object);
    }
  round_trip(&s);
  script_free(&s);
}

static void what_the_six_say(void **unused)
{
  (void)unused;
  struct script s = {0};
  script_line(&s, "main create T1 @ 1"); /* main is T1, T1 is T2 */
  script_line(&s, "T1 start T1");
  script_line(&s, "T1 mutex-lock m @ 2"); /* L1 */
  script_line(&s, "T1 mutex-lock m @ 2 nested");
  script_line(&s, "T1 mutex-unlock m @ 2 nested");
  script_line(&s, "T1 cond-wait c m @ 3"); /* L2 */
  script_line(&s, "main cond-signal c @ 4");
  script_line(&s, "T1 cond-wake c m @ 3 cause=7");
  script_line(&s, "T1 mutex-unlock m @ 5");
  script_line(&s, "main rwlock-rdlock r @ 1"); /* L3 */
  script_line(&s, "T1 rwlock-rdlock r @ 1");
  script_line(&s, "main rwlock-unlock r @ 1");
  script_line(&s, "T1 rwlock-unlock r @ 1");
  script_line(&s, "T1 rwlock-wrlock r @ 1");
  script_line(&s, "T1 mutex-trylock m @ 1 failed");
  script_line(&s, "T1 rwlock-unlock r @ 1");
  script_line(&s, "T1 read x @ 2"); /* object 4: address 0x100020 */
  script_line(&s, "T1 atomic-rmw x @ 2");
  script_line(&s, "T1 atomic-rmw x @ 2 failed");
  script_line(&s, "T1 sem-post s @ 1"); /* L5 */
  script_line(&s, "T1 exit T1");
  script_line(&s, "main join T1 @ 5");
  struct text plain = export(&s, true);
  assert_string_equal(plain.bytes, "T1|fork(T2)|1\n"
                                   "T2|acq(L1)|2\n"
                                   "T2|rel(L1)|3\n"
                                   "T1|acq(L2)|4\nT1|rel(L2)|4\n"
                                   "T2|acq(L2)|3\nT2|rel(L2)|3\nT2|acq(L1)|3\n"
                                   "T2|rel(L1)|5\n"
                                   "T1|acq(L3)|1\nT1|rel(L3)|1\n"
                                   "T2|acq(L3)|1\nT2|rel(L3)|1\n"
                                   "T1|acq(L3)|1\nT1|rel(L3)|1\n"
                                   "T2|acq(L3)|1\nT2|rel(L3)|1\n"
                                   "T2|acq(L3)|1\n"
                                   "T2|rel(L3)|1\n"
                                   "T2|r(V100020)|2\n"
                                   "T2|acq(A100020)|2\nT2|r(V100020)|2\nT2|w(V100020)|2\nT2|rel(A100020)|2\n"
                                   "T2|acq(A100020)|2\nT2|r(V100020)|2\nT2|rel(A100020)|2\n"
                                   "T2|acq(L5)|1\nT2|rel(L5)|1\n"
                                   "T1|join(T2)|5\n");
  free(plain.bytes);
  round_trip(&s);
  script_free(&s);
}

/* A lock taken twice, with no flag that says so, is taken and released once. */
static void outermost_only(void **unused)
{
  (void)unused;
  struct script s = {0};
  NEST(&s, "T1", "a 1", "a 2");
  struct text plain = export(&s, true);
  assert_string_equal(plain.bytes, "T1|acq(L1)|1\nT1|rel(L1)|0\n");
  free(plain.bytes);
  round_trip(&s);
  script_free(&s);
}

/* Plain locking, which the six say in full, stays short. */
static void no_more_than_needed(void **unused)
{
  (void)unused;
  struct script s = {0};
  for (unsigned i = 0; i < 100; i++)
    NEST(&s, "T1", "a 1", "b 2");
  struct text full = export(&s, false);
  assert_null(strstr(full.bytes, "#event"));
  free(full.bytes);
  round_trip(&s);
  script_free(&s);
}

/* ---- tables and events that no text has: all fields, odd names ---- */

#define ENTRIES 20

struct odd {
  struct trace tables;
  struct trace_site sites[ENTRIES];
  struct trace_stack stacks[ENTRIES];
  struct trace_thread threads[ENTRIES];
  struct trace_object objects[ENTRIES];
  struct trace_function functions[ENTRIES];
  uint32_t stack_sites[ENTRIES][ENTRIES];
};

static struct origin odd_origin(uint64_t *rng)
{
  struct origin o = {.fixed = rng_below(rng, 2) ? rng_next(rng) : 0, .inside = rng_below(rng, 2) ? rng_next(rng) : 0};
  o.index_length = rng_below(rng, ORIGIN_DEPTH + 1);
  o.chain_length = rng_below(rng, ORIGIN_DEPTH + 1);
  for (uint32_t i = 0; i < o.index_length; i++)
    o.index[i].site = rng_next(rng), o.index[i].count = rng_next(rng);
  for (uint32_t i = 0; i < o.chain_length; i++)
    o.chain[i] = rng_next(rng);
  return o;
}

static void fill(struct odd *odd, uint64_t *rng)
{
  static const char *const names[] = {"main", "a b",    "%",         "100%25",       "x=y",
                                      "|",    "#event", "q->lock\n", "\x7f\xc3\xa4", ""};
  const unsigned count = sizeof names / sizeof names[0];
  *odd = (struct odd){.tables = {.program = "./pro gram"}};
  for (uint32_t i = 1; i < ENTRIES; i++) {
    odd->sites[i].offset = rng_next(rng);
    odd->sites[i].module = rng_below(rng, 2) ? names[rng_below(rng, count)] : NULL;
    odd->sites[i].text = names[rng_below(rng, count)];
    odd->stacks[i].depth = rng_below(rng, ENTRIES);
    for (uint32_t n = 0; n < odd->stacks[i].depth; n++)
      odd->stack_sites[i][n] = rng_below(rng, i + 1);
    odd->stacks[i].sites = odd->stack_sites[i];
    odd->threads[i].parent = rng_below(rng, i);
    odd->threads[i].create = rng_below(rng, i + 1);
    odd->threads[i].text = names[rng_below(rng, count)];
    odd->threads[i].origin = odd_origin(rng);
    odd->objects[i].kind = (uint16_t)rng_below(rng, OBJECT_KIND_COUNT);
    odd->objects[i].type = (uint16_t)rng_below(rng, 3);
    odd->objects[i].generation = rng_below(rng, 3);
    odd->objects[i].addr = rng_next(rng);
    odd->objects[i].text = names[rng_below(rng, count)];
    odd->objects[i].origin = odd_origin(rng);
    odd->functions[i].name = names[rng_below(rng, count)];
    odd->functions[i].type = names[rng_below(rng, count)];
  }
  odd->tables.sites = odd->sites;
  odd->tables.stacks = odd->stacks;
  odd->tables.threads = odd->threads;
  odd->tables.objects = odd->objects;
  odd->tables.functions = odd->functions;
}

/* The tables grow with the events. */
static void grow(struct odd *odd, uint32_t count)
{
  odd->tables.site_count = odd->tables.stack_count = odd->tables.thread_count = odd->tables.object_count =
      odd->tables.function_count = count;
}

static struct event odd_event(uint64_t *rng, uint64_t number, uint32_t count)
{
  struct event e = {.number = number,
                    .thread = 1 + rng_below(rng, count - 1),
                    .op = (uint16_t)rng_below(rng, OP_COUNT),
                    .object = rng_below(rng, count),
                    .site = rng_below(rng, count)};
  if (rng_below(rng, 4) == 0)
    return e;
  e.order = (uint8_t)rng_below(rng, 6);
  e.flags = (uint8_t)(rng_below(rng, 2) ? rng_below(rng, 32) : 0);
  e.second = rng_below(rng, count);
  e.stack = rng_below(rng, count);
  e.other = rng_below(rng, count);
  e.length = rng_below(rng, 3) ? rng_below(rng, 9) : UINT32_MAX;
  e.addr = rng_next(rng);
  e.value = rng_below(rng, 2) ? rng_next(rng) : 0;
  e.cause = rng_below(rng, 2) ? rng_next(rng) : 0;
  return e;
}

static void any_field(void **unused)
{
  (void)unused;
  static struct odd odd;
  static struct event events[500];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t rng = seed, number = 0;
    struct text text = {0};
    FILE *file;
    struct std_writer *w = begin(&text, false, &file);
    fill(&odd, &rng);
    for (uint32_t i = 0; i < 500; i++) {
      uint32_t count = 2 + i * (ENTRIES - 2) / 499;
      number += rng_below(&rng, 10) ? 1 : 5;
      events[i] = odd_event(&rng, number, count);
      grow(&odd, count);
      std_event(w, &odd.tables, &events[i]);
    }
    end(w, file);
    struct trace_reader *r = import(text.bytes);
    struct event e;
    for (uint32_t i = 0; i < 500; i++) {
      assert_true(script_next(r, &e));
      assert_memory_equal(&e, &events[i], sizeof e);
    }
    assert_false(script_next(r, &e));
    same_tables(&odd.tables, trace_tables(r));
    trace_close(r);
    free(text.bytes);
  }
}

/* ---- files of other tools ---- */

static void written_by_others(void **unused)
{
  (void)unused;
  static const char text[] = "T0|r(V123)|345\n"
                             "T1|w(V234.23[0])|456\r\n"
                             "T0|fork(T2)|123\n"
                             "T2|begin|7\n"
                             "\n"
                             "T2|acq(L34)|120\n"
                             "T2|rel(L34)|130\n"
                             "T0|join(T2)|134\n"
                             "T0|r(V234.23[0])|345";
  static const uint16_t ops[] = {OP_READ, OP_WRITE, OP_CREATE, OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, OP_JOIN, OP_READ};
  struct event e[8];
  unsigned n = 0;
  struct trace_reader *r = import(text);
  while (n < 8 && script_next(r, &e[n]))
    n++;
  assert_int_equal(n, 7);
  const struct trace *t = trace_tables(r);
  for (unsigned i = 0; i < n; i++) {
    assert_int_equal(e[i].op, ops[i]);
    assert_int_equal(e[i].number, i + 1);
  }
  assert_int_equal(t->thread_count, 4);
  assert_string_equal(t->threads[e[1].thread].text, "T1");
  assert_int_equal(e[2].other, e[3].thread);
  assert_int_equal(t->threads[e[3].thread].parent, e[0].thread);
  assert_string_equal(t->objects[e[3].object].text, "L34");
  assert_int_equal(e[1].addr, e[6].addr);
  assert_int_not_equal(e[0].addr, e[1].addr);
  assert_int_equal(e[0].site, e[6].site);
  assert_int_equal(t->sites[e[3].site].offset, 120);
  trace_close(r);
}

/* Locks of other tools are taken again without a flag. */
static void predicts_from_others(void **unused)
{
  (void)unused;
  struct trace_reader *r = import("A|acq(x)|1\nA|acq(x)|2\nA|rel(x)|3\nA|acq(y)|4\nA|rel(y)|5\nA|rel(x)|6\n"
                                  "B|acq(y)|7\nB|acq(x)|8\nB|rel(x)|9\nB|rel(y)|10\n");
  struct goodlock *g = goodlock_open(&(struct goodlock_options){0});
  struct goodlock_summary summary;
  struct predictions found = {0};
  struct event e;
  while (script_next(r, &e))
    goodlock_event(g, trace_tables(r), &e);
  goodlock_finish(g, trace_tables(r), &found, &summary);
  assert_int_equal(summary.dependencies, 4);
  assert_int_equal(found.count, 1);
  predictions_free(&found);
  goodlock_close(g);
  trace_close(r);
}

static void wrong_files(void **unused)
{
  (void)unused;
  static const char *const files[] = {
      "T0|r(V1)|1\nT0|r(V1)\n",
      "T0|r(V1)|1\nT0|snooze(V1)|2\n",
      "T0|r(V1)|1\nT0|r(V1|2\n",
      "T0|r(V1)|1\n|r(V1)|2\n",
      STD_MAGIC "\n#site 2 text=x\n",
      STD_MAGIC "\n#thread 1 text=main\n#event read thread=0x2 lines=0\n",
      STD_MAGIC "\n#thread 1 text=main\n#event reed thread=0x1 lines=0\n",
      STD_MAGIC "\n#thread 1 text=main\n#event read thread=0x1 site=0x7 lines=0\n",
      STD_MAGIC "\n#thread 1 text=main\nT1|acq(L1)|0\n",
      STD_MAGIC "\n#stack\n",
      STD_MAGIC "\n#thread 1\n",
      STD_MAGIC "\n#thread 1 text=T1 parent=0x2\n",
      STD_MAGIC "\n#thread 1 text=T1 create=0x1\n",
      STD_MAGIC "\n#site 1 text=x\n#stack 1 1,2\n",
      STD_MAGIC "\n#object 1 kind=0x1\n",
      STD_MAGIC "\n#object 1 kind=0xffff text=L\n",
  };
  for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
    char error[256] = "";
    struct event e;
    struct trace_reader *r = trace_from_text(files[i], error, sizeof error);
    assert_non_null(r);
    while (trace_next(r, &e, error, sizeof error))
      ;
    if (!error[0])
      fail_msg("nothing wrong with file %u", i);
    trace_close(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation),      cmocka_unit_test(what_the_six_say), cmocka_unit_test(outermost_only),
      cmocka_unit_test(no_more_than_needed),  cmocka_unit_test(any_field),        cmocka_unit_test(written_by_others),
      cmocka_unit_test(predicts_from_others), cmocka_unit_test(wrong_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
