/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files: what is written reads back the same, what is wrong is named with its line, and no damage to a file
 * leads to anything but an error or a valid schedule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "schedule/schedule_file.h"
#include "schedule/thread_name.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASE ((uintptr_t)0x555555554000)

static bool to_module(void *arg, uintptr_t pc, const char **module, uint64_t *offset)
{
  *module = arg;
  *offset = pc - BASE;
  return pc >= BASE;
}

static bool to_address(void *arg, const char *module, uint64_t offset, uintptr_t *pc)
{
  *pc = offset + BASE;
  return strcmp(arg, module) == 0;
}

static bool comment(void *arg, uintptr_t pc, char *out, size_t n)
{
  (void)arg;
  snprintf(out, n, "bank.c:%d\n", (int)(pc & 63));
  return true;
}

static const struct schedule_places places = {"my bank", to_module, to_address, comment};

static const char sample[] = "heddle schedule 1\n"
                             "program   ./bank\n"
                             "arg       --fast\n"
                             "build     4b825dc642cb6eb9a060e54bf8d69288\n"
                             "points    memory            # or: calls\n"
                             "reset     snapshot\n"
                             "found-by  pos seed 1 execution 17\n"
                             "bug       assertion 9f3a \"total == 200\" bank.c:41\n"
                             "trace     0123456789abcdef\n"
                             "\n"
                             "# thread  operations  then is about to\n"
                             "main      12          join           # bank.c:35\n"
                             "T1        5           write \"my bank+0x11f3\" preempted # bank.c:23\n"
                             "choice    1 of 3\n"
                             "T2        20          exit\n"
                             "end       3\n";

static bool parse(struct schedule_file *f, const char *text, char *error, size_t size)
{
  error[0] = '\0';
  return schedule_file_parse(f, "x.hd", text, strlen(text), &places, error, size);
}

static void reads_what_a_person_writes(void **state)
{
  (void)state;
  struct schedule_file f;
  char error[256];
  assert_true(parse(&f, sample, error, sizeof error));
  assert_string_equal(f.program, "./bank");
  assert_int_equal(f.arg_count, 1);
  assert_string_equal(f.args[0], "--fast");
  assert_string_equal(f.fingerprint, "4b825dc642cb6eb9a060e54bf8d69288");
  assert_true(f.instrumented);
  assert_int_equal(f.reset, RESET_SNAPSHOT);
  assert_int_equal(f.seed, 1);
  assert_true(f.has_bug);
  assert_int_equal(f.bug.kind, BUG_ASSERTION);
  assert_int_equal(f.bug.key, 0x9f3a);
  assert_string_equal(f.bug.message, "total == 200");
  assert_string_equal(f.bug.where, "bank.c:41");
  assert_int_equal(f.record->hash, 0x0123456789abcdef);
  assert_int_equal(f.record->strategy, STRATEGY_pos);
  assert_int_equal(f.record->execution, 17);
  assert_int_equal(f.record->threads, 3);
  assert_int_equal(f.record->segments, 3);
  assert_int_equal(f.record->choices, 1);
  const struct segment *segment = &schedule_segments(f.record)[1];
  assert_int_equal(segment->thread, 1);
  assert_int_equal(segment->operations, 5);
  assert_int_equal(segment->op, OP_WRITE);
  assert_int_equal(segment->enabled, 1);
  assert_int_equal(segment->pc, BASE + 0x11f3);
  assert_int_equal(schedule_segments(f.record)[0].pc, 0);
  assert_int_equal(schedule_choices(f.record)[0].n, 3);
  assert_int_equal(schedule_choices(f.record)[0].value, 1);
  assert_int_equal(schedule_preemptions(f.record), 1);
  schedule_file_free(&f);
}

static void a_few_lines_are_enough(void **state)
{
  (void)state;
  struct schedule_file f;
  char error[256];
  assert_true(parse(&f, "heddle schedule 1\r\nprogram a\r\nend 0", error, sizeof error));
  assert_int_equal(f.record->threads, 1);
  assert_int_equal(f.record->segments, 0);
  schedule_file_free(&f);
}

/* A record as an execution could have left it: a random tree of threads, each run after its parent. */
static struct schedule_record *random_record(uint64_t *stream)
{
  const uint32_t threads = 1 + rng_below(stream, 20), segments = threads + rng_below(stream, 60);
  struct schedule_record *r = schedule_record_new(threads, segments, rng_below(stream, 10));
  assert_non_null(r);
  uint32_t children[32] = {0};
  for (uint32_t i = 1; i < threads; i++) {
    schedule_threads(r)[i].parent = rng_below(stream, i);
    schedule_threads(r)[i].nth = ++children[schedule_threads(r)[i].parent];
  }
  for (uint32_t i = 0; i < segments; i++)
    schedule_segments(r)[i] = (struct segment){.thread = i < threads ? i : rng_below(stream, threads),
                                               .op = (uint16_t)rng_below(stream, OP_COUNT),
                                               .enabled = (uint16_t)rng_below(stream, 2),
                                               .operations = rng_next(stream) >> rng_below(stream, 64),
                                               .pc = rng_below(stream, 2) ? BASE + rng_below(stream, 100000) : 0};
  for (uint32_t i = 0; i < r->choices; i++) {
    const uint32_t n = 1 + rng_below(stream, 1000);
    schedule_choices(r)[i] = (struct data_choice){.n = n, .value = rng_below(stream, n)};
  }
  r->hash = rng_next(stream);
  r->strategy = rng_below(stream, STRATEGY_COUNT);
  r->execution = rng_next(stream);
  return r;
}

static void random_text(uint64_t *stream, char *out, size_t n)
{
  const size_t length = rng_below(stream, (unsigned)n);
  for (size_t i = 0; i < length; i++)
    out[i] = (char)(1 + rng_below(stream, 255));
  out[length] = '\0';
}

static void random_file(uint64_t *stream, struct schedule_file *f)
{
  char text[64];
  schedule_file_init(f);
  random_text(stream, text, sizeof text);
  assert_true(schedule_file_set_program(f, text[0] ? text : "p"));
  for (unsigned i = rng_below(stream, 4); i > 0; i--) {
    random_text(stream, text, sizeof text);
    assert_true(schedule_file_add_arg(f, text));
  }
  if (rng_below(stream, 2)) {
    random_text(stream, text, sizeof text);
    assert_true(schedule_file_set_input(f, text));
  }
  if (rng_below(stream, 2)) {
    random_text(stream, text, sizeof text);
    assert_true(schedule_file_set_test(f, rng_below(stream, FRAMEWORK_COUNT), text));
  }
  if (rng_below(stream, 2)) {
    random_text(stream, text, sizeof text);
    assert_true(schedule_file_set_calls(f, text));
    assert_true(schedule_file_set_folder(f, text));
    snprintf(f->signature, sizeof f->signature, "%064x", 0xabcdefu);
  }
  if (rng_below(stream, 2)) {
    struct subset kept = {.threads = 1 + rng_below(stream, SUBSET_THREADS),
                          .calls = 1 + rng_below(stream, SUBSET_CALLS)};
    for (unsigned i = rng_below(stream, 40); i > 0; i--)
      subset_add(&kept, rng_below(stream, kept.threads), rng_below(stream, kept.calls));
    assert_true(schedule_file_set_kept(f, &kept));
  }
  snprintf(f->fingerprint, sizeof f->fingerprint, "%016" PRIx64, rng_next(stream));
  f->instrumented = rng_below(stream, 2);
  f->spurious = rng_below(stream, 2);
  f->any_exit = rng_below(stream, 2);
  f->exit_status = f->any_exit ? 0 : rng_below(stream, 256);
  f->reset = rng_below(stream, RESET_COUNT);
  f->races = rng_below(stream, 3);
  f->leaks = rng_below(stream, 3);
  f->max_steps = rng_next(stream) >> rng_below(stream, 64);
  f->max_memory = rng_next(stream) >> rng_below(stream, 64);
  f->seed = rng_next(stream);
  f->has_bug = rng_below(stream, 2);
  if (f->has_bug) {
    f->bug.kind = rng_below(stream, BUG_KIND_COUNT);
    f->bug.key = rng_next(stream);
    random_text(stream, f->bug.message, sizeof f->bug.message);
    random_text(stream, f->bug.where, sizeof f->bug.where);
  }
  f->record = random_record(stream);
}

static void assert_same(const struct schedule_file *a, const struct schedule_file *b)
{
  assert_string_equal(a->program, b->program);
  assert_int_equal(a->arg_count, b->arg_count);
  for (size_t i = 0; i < a->arg_count; i++)
    assert_string_equal(a->args[i], b->args[i]);
  assert_int_equal(a->input != NULL, b->input != NULL);
  if (a->input)
    assert_string_equal(a->input, b->input);
  assert_int_equal(a->framework, b->framework);
  assert_int_equal(a->test != NULL, b->test != NULL);
  if (a->test)
    assert_string_equal(a->test, b->test);
  assert_int_equal(a->folder != NULL, b->folder != NULL);
  if (a->folder)
    assert_string_equal(a->folder, b->folder);
  assert_string_equal(a->signature, b->signature);
  assert_int_equal(a->calls != NULL, b->calls != NULL);
  if (a->calls)
    assert_string_equal(a->calls, b->calls);
  assert_int_equal(a->kept != NULL, b->kept != NULL);
  if (a->kept)
    assert_memory_equal(a->kept, b->kept, sizeof *a->kept);
  assert_string_equal(a->fingerprint, b->fingerprint);
  assert_int_equal(a->instrumented, b->instrumented);
  assert_int_equal(a->spurious, b->spurious);
  assert_int_equal(a->any_exit, b->any_exit);
  assert_int_equal(a->exit_status, b->exit_status);
  assert_int_equal(a->reset, b->reset);
  assert_int_equal(a->races, b->races);
  assert_int_equal(a->leaks, b->leaks);
  assert_int_equal(a->max_steps, b->max_steps);
  assert_int_equal(a->max_memory, b->max_memory);
  assert_int_equal(a->seed, b->seed);
  assert_int_equal(a->has_bug, b->has_bug);
  assert_int_equal(a->bug.kind, b->bug.kind);
  assert_int_equal(a->bug.key, b->bug.key);
  assert_string_equal(a->bug.message, b->bug.message);
  assert_string_equal(a->bug.where, b->bug.where);
  assert_int_equal(a->record->bytes, b->record->bytes);
  assert_memory_equal(a->record, b->record, a->record->bytes);
}

static void round_trips_exactly(void **state)
{
  (void)state;
  uint64_t stream = 1;
  char error[256];
  for (int i = 0; i < 300; i++) {
    struct schedule_file f, g;
    random_file(&stream, &f);
    char *text = schedule_file_format(&f, &places, error, sizeof error);
    assert_non_null(text);
    if (!parse(&g, text, error, sizeof error))
      fail_msg("%s\n%s", error, text);
    assert_same(&f, &g);
    char *again = schedule_file_format(&g, &places, error, sizeof error);
    assert_string_equal(text, again);
    free(text);
    free(again);
    schedule_file_free(&f);
    schedule_file_free(&g);
  }
}

static void writes_whole_files(void **state)
{
  (void)state;
  uint64_t stream = 7;
  struct schedule_file f, g;
  char directory[] = "/tmp/heddle-test-XXXXXX", path[64], error[256] = "";
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/a.hd", directory);
  random_file(&stream, &f);
  for (int i = 0; i < 2; i++) { /* new, then over the old one */
    assert_true(schedule_file_write(&f, path, &places, error, sizeof error));
    assert_true(schedule_file_read(&g, path, &places, error, sizeof error));
    assert_same(&f, &g);
    schedule_file_free(&g);
  }
  unlink(path);
  assert_int_equal(rmdir(directory), 0); /* nothing else was left behind */
  setenv("TMPDIR", directory, 1);        /* it is not there: the file cannot be kept elsewhere either */
  assert_false(schedule_file_write(&f, path, &places, error, sizeof error));
  unsetenv("TMPDIR");
  assert_non_null(strstr(error, "cannot be written"));
  assert_false(schedule_file_read(&g, path, &places, error, sizeof error));
  assert_non_null(strstr(error, "cannot be read"));
  assert_false(schedule_file_read(&g, "/tmp", &places, error, sizeof error));
  assert_non_null(strstr(error, "folder"));
  assert_false(schedule_file_read(&g, "/dev/null", &places, error, sizeof error));
  schedule_file_free(&f);
}

static void refuses_to_write_nonsense(void **state)
{
  (void)state;
  struct schedule_file f;
  char error[256];
  schedule_file_init(&f);
  assert_null(schedule_file_format(&f, NULL, error, sizeof error));
  assert_true(schedule_file_set_program(&f, "p"));
  assert_null(schedule_file_format(&f, NULL, error, sizeof error));
  f.record = schedule_record_new(2, 1, 0);
  assert_null(schedule_file_format(&f, NULL, error, sizeof error)); /* two mains */
  schedule_threads(f.record)[1] = (struct schedule_thread){.parent = 0, .nth = 1};
  schedule_segments(f.record)[0].thread = 9;
  assert_null(schedule_file_format(&f, NULL, error, sizeof error));
  schedule_segments(f.record)[0].thread = 0;
  char *text = schedule_file_format(&f, NULL, error, sizeof error);
  assert_non_null(text);
  free(text);
  schedule_file_free(&f);
}

/* The sample with one line replaced (counting from 1), or inserted before it when the old text is empty. */
static char *edited(unsigned line, const char *replacement, bool insert)
{
  const char *at = sample;
  for (unsigned i = 1; i < line; i++)
    at = strchr(at, '\n') + 1;
  const char *rest = insert ? at : strchr(at, '\n') + 1;
  char *text = malloc(sizeof sample + strlen(replacement) + 2);
  assert_non_null(text);
  sprintf(text, "%.*s%s\n%s", (int)(at - sample), sample, replacement, rest);
  return text;
}

static void says_what_is_wrong_and_where(void **state)
{
  (void)state;
  static const struct {
    unsigned line;
    bool insert;
    const char *text, *error;
  } cases[] = {
      {1, false, "#!/bin/sh", "x.hd:1: not a heddle schedule"},
      {1, false, "heddle schedule 2", "x.hd:1: version 2 was made by a newer heddle"},
      {1, false, "heddle schedule", "x.hd:1: not a heddle schedule"},
      {1, false, "heddle schedule 0", "x.hd:1: there is no version 0"},
      {1, false, "heddle schedule x", "x.hd:1: \"x\" is not a number"},
      {2, false, "program", "x.hd:2: \"program\" needs 1 more word"},
      {2, false, "program \"\"", "x.hd:2: the program has no name"},
      {2, false, "# none", "there is no \"program\" line"},
      {3, false, "program b", "x.hd:3: \"program\" was already given in line 2"},
      {3, false, "arg a b", "x.hd:3: unexpected \"b\" after \"arg\""},
      {3, false, "arg \"a", "x.hd:3: a text in quotes does not end"},
      {3, false, "arg \"\\q\"", "x.hd:3: unknown escape"},
      {3, false, "arg \"\\x00\"", "x.hd:3: \\x00"},
      {3, false, "arg \"a\"b", "x.hd:3: a blank is missing"},
      {3, false, "arg \001", "x.hd:3: control character 0x01"},
      {3, false, "test cmocka", "x.hd:3: \"test\" needs 1 more word"},
      {3, false, "test junit a.b", "x.hd:3: unknown test framework \"junit\""},
      {4, false, "build xyz", "x.hd:4: \"xyz\" is not a build id"},
      {5, false, "points both", "x.hd:5: unknown kind of points \"both\""},
      {6, false, "reset never", "x.hd:6: unknown way to reset"},
      {7, false, "found-by luck seed 1 execution 2", "x.hd:7: unknown strategy \"luck\""},
      {7, false, "found-by pos seed -1 execution 2", "x.hd:7: the seed cannot be negative"},
      {7, false, "found-by pos sed 1 execution 2", "x.hd:7: expected: found-by"},
      {8, false, "bug mistake 1 \"x\"", "x.hd:8: unknown kind of bug"},
      {8, false, "bug crash 12345678901234567 \"x\"", "x.hd:8: \"12345678901234567\" is not 1 to 16"},
      {9, false, "trace 0x1", "x.hd:9: \"0x1\" is not"},
      {9, false, "colour red", "x.hd:9: unknown key \"colour\""},
      {9, false, "expect 256", "x.hd:9: the exit status is too large"},
      {12, false, "main -12 join", "x.hd:12: the number of operations cannot be negative"},
      {12, false, "main 12", "x.hd:12: a segment needs"},
      {12, false, "main 99999999999999999999 join", "x.hd:12: the number of operations is too large"},
      {12, false, "main 12x join", "x.hd:12: \"12x\" is not a number"},
      {12, false, "main 12 fly", "x.hd:12: unknown operation \"fly\""},
      {12, false, "main 12 join bank", "x.hd:12: \"bank\" is not a place"},
      {12, false, "main 12 join bank+0xg", "x.hd:12: \"bank+0xg\" is not a place"},
      {12, false, "main 12 join bank+0x1 preempted x", "x.hd:12: unexpected \"x\""},
      {12, false, "T1 12 join", "x.hd:12: thread T1 stands before its parent main"},
      {13, false, "T1.1 5 write", "x.hd:13: thread T1.1 stands before its parent T1"},
      {13, false, "T99999999999 5 write", "x.hd:13: the number of thread T99999999999 is too large"},
      {13, false, "T01 5 write", "x.hd:13: unknown key \"T01\""},
      {10, true, "threads main T1", "x.hd:16: thread T2 is not in the list of threads"},
      {10, true, "threads main T1 T1", "x.hd:10: thread T1 is listed twice"},
      {10, true, "threads T1 main", "x.hd:10: thread T1 stands before its parent main"},
      {10, true, "threads main Bob", "x.hd:10: \"Bob\" is not the name of a thread"},
      {14, true, "threads main", "x.hd:14: the list of threads must stand before"},
      {14, false, "choice 3 of 3", "x.hd:14: a choice of 3 values cannot be 3"},
      {14, false, "choice 0 of 0", "x.hd:14: a choice of 0"},
      {14, false, "choice 1 in 3", "x.hd:14: expected: choice"},
      {16, false, "end 4", "x.hd:16: 3 segments were read, but there should be 4"},
      {16, false, "", "the file is cut short"},
      {17, true, "T1 3 write", "x.hd:17: unexpected \"T1\" after the end"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct schedule_file f;
    char error[256];
    char *text = edited(cases[i].line, cases[i].text, cases[i].insert);
    if (parse(&f, text, error, sizeof error))
      fail_msg("accepted: %s", cases[i].text);
    if (!strstr(error, cases[i].error))
      fail_msg("%s\n  expected: %s\n  got:      %s", cases[i].text, cases[i].error, error);
    assert_null(f.record);
    free(text);
  }
}

static void survives_damage(void **state)
{
  (void)state;
  uint64_t stream = 42;
  char error[256];
  unsigned refused = 0;
  for (int i = 0; i < 3000; i++) {
    struct schedule_file f, g;
    random_file(&stream, &f);
    char *text = schedule_file_format(&f, &places, error, sizeof error);
    assert_non_null(text);
    size_t length = strlen(text);
    if (i % 3 == 0) {
      length = rng_below(&stream, (unsigned)length);
    } else {
      for (unsigned n = 1 + rng_below(&stream, 8); n > 0; n--)
        text[rng_below(&stream, (unsigned)length)] = (char)rng_below(&stream, 256);
    }
    char *exact = malloc(length ? length : 1); /* so that a read too far is noticed */
    assert_non_null(exact);
    memcpy(exact, text, length);
    error[0] = '\0';
    if (schedule_file_parse(&g, "x.hd", exact, length, &places, error, sizeof error)) {
      char *again = schedule_file_format(&g, &places, error, sizeof error);
      assert_non_null(again); /* whatever is accepted is a valid schedule */
      free(again);
      schedule_file_free(&g);
    } else {
      assert_int_equal(strncmp(error, "x.hd:", 5), 0);
      assert_null(strchr(error, '\n'));
      refused++;
    }
    free(exact);
    free(text);
    schedule_file_free(&f);
  }
  assert_true(refused > 1000);
}

static void copies_records_with_care(void **state)
{
  (void)state;
  uint64_t stream = 3;
  struct schedule_record *r = random_record(&stream);
  struct schedule_record *copy = schedule_record_copy(r, r->bytes);
  assert_non_null(copy);
  assert_memory_equal(r, copy, r->bytes);
  free(copy);
  assert_null(schedule_record_copy(r, r->bytes - 1));
  r->bytes -= 8;
  assert_null(schedule_record_copy(r, 1 << 20));
  free(r);
}

static void threads_are_named_by_path(void **state)
{
  (void)state;
  const struct schedule_thread table[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 1, 0}, {3, 12, 0}, {5, 1, 0}, {9, 1, 0}};
  char name[THREAD_NAME_SIZE];
  static const char *const expected[] = {"main", "T1", "T2", "T1.1", "T1.1.12", "thread 5", "thread 6"};
  for (uint32_t i = 0; i < 7; i++) {
    thread_name(table, 7, i, name, sizeof name);
    assert_string_equal(name, expected[i]);
  }
  thread_name(NULL, 0, 3, name, sizeof name);
  assert_string_equal(name, "thread 3");
  struct schedule_thread chain[100] = {{0, 0, 0}};
  for (uint32_t i = 1; i < 100; i++)
    chain[i] = (struct schedule_thread){.parent = i - 1, .nth = 7};
  thread_name(chain, 100, 99, name, 20);
  assert_string_equal(name, "T7.7.7.7..7.7.7.7.7");
  assert_true(thread_name_valid("T10.2"));
  assert_false(thread_name_valid("T1."));
  assert_false(thread_name_valid("T"));
  assert_false(thread_name_valid("T0"));
  assert_false(thread_name_valid(""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_a_person_writes),
      cmocka_unit_test(a_few_lines_are_enough),
      cmocka_unit_test(round_trips_exactly),
      cmocka_unit_test(writes_whole_files),
      cmocka_unit_test(refuses_to_write_nonsense),
      cmocka_unit_test(says_what_is_wrong_and_where),
      cmocka_unit_test(survives_damage),
      cmocka_unit_test(copies_records_with_care),
      cmocka_unit_test(threads_are_named_by_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
