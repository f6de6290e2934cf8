/* SPDX-License-Identifier: Apache-2.0
 *
 * Sampling that learns: reads-from feedback and its corpus, pairs of steps the other way round, ways back to states,
 * walks by the lengths of threads, and few segments first.
 */
#include "file/sealed.h"
#include "session/corpus.h"
#include "session/worker.h"
#include "toy_world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* How many of so many executions show the bug. */
static unsigned bugs_found(const struct toy_program *program, enum strategy_id id, unsigned executions)
{
  struct toy *t = toy_open(program);
  unsigned found = 0;
  toy_use(t, id, 1);
  for (unsigned i = 0; i < executions; i++) {
    toy_run(t);
    found += t->bug;
  }
  toy_close(t);
  return found;
}

/* ---- rff ---- */

static bool half_done_was_seen(const struct toy_state *s)
{
  return s->ended[7] && s->var[2] == 1 && s->var[3] == 0;
}

/* Six threads set the one, then the other; the seventh is to see the first and not the second. */
static void rff_makes_reads_see_what_they_have_not(void **unused)
{
  (void)unused;
  const struct toy_insn *const set = CODE({SET, 0, 1}, {SET, 1, 1});
  struct toy_program p = {.threads = 8, .bug = half_done_was_seen};
  for (int i = 1; i < 7; i++)
    p.code[i] = set;
  p.code[7] = CODE({READ, 0, 0}, {WRITE, 2, 0}, {READ, 1, 0}, {WRITE, 3, 0});
  unsigned by_rff = bugs_found(&p, STRATEGY_rff, 2000), by_pos = bugs_found(&p, STRATEGY_pos, 2000);
  assert_true(by_rff > 2 * by_pos);
}

/* What another one found is gone on from. */
static void rff_takes_what_others_found(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3};
  p.code[1] = CODE({SET, 0, 1});
  p.code[2] = CODE({READ, 0, 0});
  struct toy *one = toy_open(&p), *other = toy_open(&p);
  struct corpus_area *found = CONTROL_AT(one->control, ANSWER_CORPUS_OFFSET);
  one->control->job_bytes[JOB_CORPUS] = other->control->job_bytes[JOB_CORPUS] = sizeof *found;
  toy_use(one, STRATEGY_rff, 1);
  for (unsigned i = 0; i < 50; i++)
    toy_run(one);
  assert_true(found->count > 0 && found->count < 20);
  memcpy(CONTROL_AT(other->control, JOB_CORPUS_OFFSET), found, sizeof *found);
  toy_use(other, STRATEGY_rff, 2);
  for (unsigned i = 0; i < 50; i++)
    toy_run(other);
  const struct corpus_area *more = CONTROL_AT(other->control, ANSWER_CORPUS_OFFSET);
  assert_int_equal(more->count, 0); /* nothing of it was new */
  toy_close(one);
  toy_close(other);
}

/* ---- reversals ---- */

/* In which execution the bug shows first, from 1; 0: in none. How many there are is told by of. */
static unsigned reversals_until(const struct toy_program *program, unsigned *of)
{
  struct toy *t = toy_open(program);
  unsigned found = 0;
  toy_use(t, STRATEGY_reversals, 1);
  bool more = true;
  for (*of = 0; more && *of < 1000;) {
    more = toy_run(t);
    ++*of;
    found = !found && t->bug ? *of : found;
  }
  toy_close(t);
  return found;
}

static bool saw_all_five(const struct toy_state *s)
{
  return s->var[2] == 5;
}

/* The first of six is to be the last. */
static void reversals_bring_the_first_one_last(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 7, .bug = saw_all_five};
  const struct toy_insn *const add = CODE({LOCK, 0, 0}, {READ, 1, 0}, {WRITE, 1, 1}, {UNLOCK, 0, 0});
  p.code[1] = CODE({LOCK, 0, 0}, {READ, 1, 0}, {WRITE, 2, 0}, {UNLOCK, 0, 0});
  for (int i = 2; i < 7; i++)
    p.code[i] = add;
  unsigned of;
  assert_in_range(reversals_until(&p, &of), 2, 7);
}

static bool both_were_seen(const struct toy_state *s)
{
  return s->var[4] == 1 && s->var[5] == 2;
}

/* Two looks must come in between, each at its time: the second reversal is on top of the first. */
static void reversals_come_on_top_of_each_other(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = both_were_seen};
  p.code[1] = CODE({SET, 0, 1}, {SET, 0, 0}, {SET, 0, 2}, {SET, 0, 0});
  p.code[2] = CODE({READ, 0, 0}, {WRITE, 4, 0}, {READ, 0, 0}, {WRITE, 5, 0});
  unsigned of;
  assert_in_range(reversals_until(&p, &of), 3, 40);
}

static bool was_put_back(const struct toy_state *s)
{
  return s->var[0] == 1 && s->var[3] == 9;
}

/* Whoever has looked is held until the other one has put it back and has done all else: step by step it would take
 * twice as long. */
static void reversals_hold_what_is_out_of_date_to_the_end(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = was_put_back};
  p.code[1] = CODE({READ, 0, 0}, {SWAP, 0, 0}, {READ, 2, 0}, {WRITE, 3, 0});
  p.code[2] = CODE({SET, 0, 2}, {SET, 0, 0}, {SET, 2, 1}, {SET, 2, 2}, {SET, 2, 3}, {SET, 2, 4}, {SET, 2, 5},
                   {SET, 2, 6}, {SET, 2, 7}, {SET, 2, 8}, {SET, 2, 9});
  unsigned of;
  assert_in_range(reversals_until(&p, &of), 2, 25);
}

/* What cannot come the other way round is not tried: what a lock keeps apart is one pair, what waits for a post or for
 * its creator none, and when all was tried it ends. */
static void reversals_end(void **unused)
{
  (void)unused;
  struct toy_program ordered = {.threads = 2}, locked = {.threads = 3};
  ordered.code[0] = CODE({SET, 0, 1}, {CREATE, 1, 0}, {JOIN, 1, 0}, {SET, 0, 3});
  ordered.code[1] = CODE({SET, 0, 2}, {READ, 0, 0});
  locked.code[1] = CODE({LOCK, 0, 0}, {READ, 0, 0}, {WRITE, 0, 1}, {READ, 1, 0}, {WRITE, 1, 1}, {UNLOCK, 0, 0});
  locked.code[2] = locked.code[1];
  unsigned of;
  reversals_until(&ordered, &of);
  assert_int_equal(of, 1);
  reversals_until(&locked, &of);
  assert_in_range(of, 2, 4);
}

/* ---- novel ---- */

static bool reached_the_top(const struct toy_state *s)
{
  return s->var[0] == 16 && s->var[1] == 3;
}

/* Sixteen rungs that two threads must take in turns, and a number that was drawn before: chance needs all of that at
 * once, and who can go back, draws included, comes a rung further at a time. */
static void novel_goes_back_and_on(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = reached_the_top};
  p.code[1] = CODE({CHOOSE, 0, 4}, {WRITE, 1, 0}, {SWAP, 0, 0}, {SWAP, 0, 2}, {SWAP, 0, 4}, {SWAP, 0, 6}, {SWAP, 0, 8},
                   {SWAP, 0, 10}, {SWAP, 0, 12}, {SWAP, 0, 14});
  p.code[2] = CODE({SWAP, 0, 1}, {SWAP, 0, 3}, {SWAP, 0, 5}, {SWAP, 0, 7}, {SWAP, 0, 9}, {SWAP, 0, 11}, {SWAP, 0, 13},
                   {SWAP, 0, 15});
  assert_true(bugs_found(&p, STRATEGY_novel, 1000) > 0);
  assert_int_equal(bugs_found(&p, STRATEGY_pos, 1000), 0);
}

/* ---- surw ---- */

static bool short_one_was_last(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1;
}

/* The short thread comes last in one of eleven orders; chance that takes turns needs luck ten times. */
static void surw_makes_interleavings_equally_likely(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = short_one_was_last};
  p.code[1] = CODE({SET, 0, 1});
  p.code[2] = CODE({READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0}, {READ, 0, 0},
                   {READ, 0, 0}, {READ, 0, 0}, {SET, 0, 2});
  assert_true(bugs_found(&p, STRATEGY_surw, 20000) > 20000 / 15);
  assert_true(bugs_found(&p, STRATEGY_random, 20000) < 20000 / 50);
}

static uint64_t name_from_base(void *self, uintptr_t addr)
{
  return addr - *(const uintptr_t *)self;
}

/* Two threads that write two words by turns, ten times each, in a process whose memory begins there; which of them went
 * on, as bits. */
static uint64_t walk(void *state, const struct control *control, uintptr_t base, uint64_t execution)
{
  const struct world world = {.self = &base, .name = name_from_base};
  const struct strategy *surw = strategy_table[STRATEGY_surw];
  struct job job = {.config = &control->config};
  struct thread_state thread[2] = {{.alive = true}, {.alive = true}};
  static const struct thread_info info[2];
  struct threadset enabled = {.word = {3}};
  struct choice c = {.enabled = &enabled, .count = 2, .thread = thread, .info = info, .threads = 2, .world = &world};
  uint64_t went = 1;
  surw->begin(state, &job, execution, execution);
  for (; c.step < 20; c.step++) {
    for (unsigned t = 0; t < 2; t++)
      thread[t].pending = (struct operation){.kind = OP_WRITE, .addr = base + 8 * (1 + thread[t].operations % 2)};
    unsigned t = surw->pick(state, &c);
    went = went << 1 | t;
    c.current = t;
    if (++thread[t].operations == 10) {
      thread[t].alive = false;
      threadset_remove(&enabled, t);
    }
    c.count = threadset_count(&enabled);
  }
  const struct outcome outcome = {.job = &job};
  surw->end(state, &outcome);
  return went;
}

/* What is known of objects holds when another process goes on, whose memory is elsewhere. */
static void surw_knows_objects_in_other_processes(void **unused)
{
  (void)unused;
  struct control *control = toy_memory(CONTROL_MAPPING_SIZE);
  size_t size = strategy_table[STRATEGY_surw]->state_size;
  void *stays = toy_memory(size), *moves = toy_memory(size);
  for (uint64_t i = 0; i < 200; i++)
    assert_true(walk(stays, control, 0x10000, i) == walk(moves, control, 0x10000 + i / 50 * 0x4560, i));
  munmap(stays, size);
  munmap(moves, size);
  munmap(control, CONTROL_MAPPING_SIZE);
}

/* ---- period ---- */

static bool update_lost(const struct toy_state *s)
{
  return s->ended[1] && s->ended[2] && s->var[0] == 1;
}

/* An update between the read and the write of another one needs two segments, and is found by all schedules with two.
 */
static void period_goes_through_all_schedules(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .bug = update_lost};
  p.code[1] = CODE({READ, 1, 0}, {READ, 0, 0}, {WRITE, 0, 1});
  p.code[2] = CODE({READ, 1, 0}, {READ, 0, 0}, {WRITE, 0, 1});
  struct toy *t = toy_open(&p), *again = toy_open(&p);
  const struct reach_line *reach = CONTROL_AT(t->control, ANSWER_REACH_OFFSET);
  uint64_t found[4] = {0}, of[4] = {0};
  toy_use(t, STRATEGY_period, 1);
  toy_use(again, STRATEGY_period, 1);
  while (reach->segments < 4) {
    uint64_t level = reach->segments;
    toy_run(t);
    toy_run(again);
    assert_true(t->engine->hash == again->engine->hash);
    found[level] += t->bug;
    of[level]++;
  }
  assert_int_equal(found[0] + found[1], 0);
  assert_true(found[2] > 0 && found[3] > found[2]);
  assert_int_equal(of[0], 1);
  assert_int_equal(of[1], 2);
  assert_true(of[2] >= 6 && of[3] > of[2]);
  toy_close(t);
  toy_close(again);
}

/* ---- the corpus ---- */

static char path[64];

static struct abstract_schedule entry_with(uint32_t constraints, uint64_t pair)
{
  struct abstract_schedule s = {.constraints = constraints, .pairs = 1, .pair = {pair}};
  for (uint32_t i = 0; i < constraints; i++)
    s.constraint[i] =
        (struct constraint){.read = {0x1234, 5, 1, OP_READ}, .write = {0x88, 7, 2, OP_WRITE}, .location = 64};
  return s;
}

static bool opens(const char *build, struct corpus *corpus, char *error)
{
  return corpus_open(corpus, path, build, error, 512);
}

/* Three entries, one of which another one makes needless. */
static void write_corpus(void)
{
  static struct corpus corpus;
  char error[512];
  struct worker worker = {.control = toy_memory(CONTROL_SEEN_SIZE)};
  struct corpus_area *found = CONTROL_AT(worker.control, ANSWER_CORPUS_OFFSET);
  found->entry[0] = entry_with(3, 11);
  found->entry[1] = entry_with(1, 11);
  found->entry[2] = entry_with(2, 12);
  found->count = 3;
  assert_true(opens("build", &corpus, error));
  corpus_share(&corpus, &worker, 1, 10, true);
  assert_int_equal(corpus.error[0], 0);
  corpus_close(&corpus);
  munmap(worker.control, CONTROL_SEEN_SIZE);
}

static void a_corpus_is_kept_and_minimised(void **unused)
{
  (void)unused;
  static struct corpus corpus;
  char error[512];
  write_corpus();
  assert_true(opens("build", &corpus, error));
  assert_int_equal(corpus.all.count, 2);
  const struct abstract_schedule expected = entry_with(1, 11);
  assert_memory_equal(&corpus.all.entry[0], &expected, sizeof expected);
  assert_int_equal(corpus.all.entry[1].constraints, 2);
  corpus_close(&corpus);
  assert_true(opens("another", &corpus, error));
  assert_int_equal(corpus.all.count, 0);
  corpus_close(&corpus);
  unlink(path);
}

static void write_text(const char *text, size_t bytes)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, bytes, f), bytes);
  fclose(f);
}

/* Whatever stands there, it is refused with one line, or is a corpus. */
static void a_damaged_corpus_is_refused(void **unused)
{
  (void)unused;
  static struct corpus corpus;
  char error[512], text[4096];
  write_corpus();
  FILE *f = fopen(path, "r");
  size_t bytes = fread(text, 1, sizeof text, f);
  fclose(f);
  for (size_t i = 0; i < bytes; i++) {
    text[i] ^= 1;
    write_text(text, bytes);
    assert_false(opens("build", &corpus, error));
    assert_null(strchr(error, '\n'));
    text[i] ^= 1;
  }
  write_text(text, bytes / 2);
  assert_false(opens("build", &corpus, error));
  text[14] = '2';
  write_text(text, bytes);
  assert_false(opens("build", &corpus, error));
  assert_non_null(strstr(error, "a newer heddle"));
  unlink(path);
}

/* A seal says that nobody changed it by chance, not that heddle wrote it. */
static void a_sealed_lie_is_refused(void **unused)
{
  (void)unused;
  static const char *const lies[] = {"build build\nentries 99999\n",
                                     "build build\nentries 1\nschedule 9 0\n",
                                     "build build\nentries 1\nschedule 0 13\n",
                                     "build build\nentries 2\nschedule 0 0\n",
                                     "build build\nentries 1\nschedule 1 0\nsees 40 1 1 1 nothing 1 1 1 write\n",
                                     "build build\nentries 1\nschedule 1 0\nmay 40 1 1 1 read 1 1 1 write\n",
                                     ""};
  static struct corpus corpus;
  for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
    char error[512], *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    seal_begin(f, "heddle corpus 1");
    fputs(lies[i], f);
    fclose(f);
    seal(text, bytes);
    write_text(text, bytes);
    free(text);
    assert_false(opens("build", &corpus, error));
    assert_non_null(strstr(error, "it is damaged"));
  }
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rff_makes_reads_see_what_they_have_not),
      cmocka_unit_test(rff_takes_what_others_found),
      cmocka_unit_test(reversals_bring_the_first_one_last),
      cmocka_unit_test(reversals_come_on_top_of_each_other),
      cmocka_unit_test(reversals_hold_what_is_out_of_date_to_the_end),
      cmocka_unit_test(reversals_end),
      cmocka_unit_test(novel_goes_back_and_on),
      cmocka_unit_test(surw_makes_interleavings_equally_likely),
      cmocka_unit_test(surw_knows_objects_in_other_processes),
      cmocka_unit_test(period_goes_through_all_schedules),
      cmocka_unit_test(a_corpus_is_kept_and_minimised),
      cmocka_unit_test(a_damaged_corpus_is_refused),
      cmocka_unit_test(a_sealed_lie_is_refused),
  };
  snprintf(path, sizeof path, "/tmp/heddle-corpus-%d", (int)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
