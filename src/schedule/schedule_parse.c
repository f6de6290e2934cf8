/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of schedule files. The text may be anything: edited by hand, cut short, or no schedule at all. Every way
 * out is either a schedule that holds all invariants of control.h or an error that names the line.
 */
#include "schedule/schedule_file.h"

#include "file/bad_line.h"
#include "file/input_file.h"
#include "schedule/schedule_text.h"
#include "schedule/subset_text.h"
#include "schedule/thread_name.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_SIZE_MAX (UINT64_C(1) << 29)
#define KEYS_MAX 28

struct words {
  char **word; /* point into `text` */
  size_t count, room;
  char *text;
  size_t text_room;
};

struct known_thread {
  char *name;
  bool ran;
};

struct reader {
  struct schedule_file *f;
  const struct schedule_places *places;
  const char *name;
  size_t line;
  char *error;
  size_t error_size;
  struct words words;
  size_t key_line[KEYS_MAX]; /* where a key stood first, 0 for nowhere */
  bool ended;
  bool listed; /* there is a list of threads */
  struct schedule_thread *threads;
  uint64_t processes; /* beside the first */
  struct known_thread *known;
  struct segment *segments;
  struct data_choice *choices;
  size_t thread_count, thread_room, known_room, segment_count, segment_room, choice_count, choice_room;
  uint64_t hash, execution;
  uint32_t strategy;
  bool punctual; /* of the record, too */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bad_line(&(struct bad_line){r->error, r->error_size, r->name, r->line}, format, arguments);
  va_end(arguments);
  return false;
}

/* Makes room for one more element; false when there is no memory. */
static bool grow(void *array, size_t count, size_t *room, size_t size)
{
  void **where = array;
  if (count < *room)
    return true;
  const size_t next = *room ? *room * 2 : 16;
  void *bigger = realloc(*where, next * size);
  if (!bigger)
    return false;
  *where = bigger;
  *room = next;
  return true;
}

/* ---- words ---- */

static bool add_word(struct reader *r, char *start)
{
  struct words *w = &r->words;
  if (!grow(&w->word, w->count, &w->room, sizeof *w->word))
    return fail(r, "no memory");
  w->word[w->count++] = start;
  return true;
}

static bool unescape(struct reader *r, const char **from, const char *end, char **to)
{
  const char *in = *from;
  const char letter = in < end ? *in++ : '\0';
  if (letter == 'n' || letter == 't' || letter == '"' || letter == '\\') {
    *(*to)++ = letter == 'n' ? '\n' : letter == 't' ? '\t' : letter;
  } else if (letter == 'x' && end - in >= 2 && isxdigit((unsigned char)in[0]) && isxdigit((unsigned char)in[1])) {
    const char digits[3] = {in[0], in[1], '\0'};
    const long value = strtol(digits, NULL, 16);
    if (value == 0)
      return fail(r, "\\x00 cannot stand in a text");
    *(*to)++ = (char)value;
    in += 2;
  } else {
    return fail(r, "unknown escape after \\");
  }
  *from = in;
  return true;
}

static bool quoted_word(struct reader *r, const char **from, const char *end, char **to)
{
  const char *in = *from + 1;
  while (in < end && *in != '"') {
    if ((unsigned char)*in < ' ' && *in != '\t')
      return fail(r, "control character 0x%02x in a text", (unsigned char)*in);
    if (*in != '\\') {
      *(*to)++ = *in++;
      continue;
    }
    in++;
    if (!unescape(r, &in, end, to))
      return false;
  }
  if (in == end)
    return fail(r, "a text in quotes does not end");
  in++;
  if (in < end && !strchr(" \t\r#", *in))
    return fail(r, "a blank is missing after a text in quotes");
  *from = in;
  return true;
}

static bool plain_word(struct reader *r, const char **from, const char *end, char **to)
{
  const char *in = *from;
  for (; in < end && !strchr(" \t\r#", *in); in++) {
    const unsigned char c = (unsigned char)*in;
    if (c < ' ' || c == 0x7f)
      return fail(r, "control character 0x%02x", c);
    if (c == '"' || c == '\\')
      return fail(r, "%c must stand inside a text in quotes", c);
    *(*to)++ = *in;
  }
  *from = in;
  return true;
}

/* Splits a line into r->words. */
static bool split(struct reader *r, const char *in, size_t length)
{
  struct words *w = &r->words;
  const char *end = in + length;
  w->count = 0;
  if (memchr(in, '\0', length))
    return fail(r, "a NUL byte: this is not a text file");
  if (w->text_room < 2 * length + 2) { /* each word also needs its terminator */
    char *bigger = realloc(w->text, 2 * length + 2);
    if (!bigger)
      return fail(r, "no memory");
    w->text = bigger;
    w->text_room = 2 * length + 2;
  }
  char *to = w->text;
  while (true) {
    while (in < end && strchr(" \t\r", *in))
      in++;
    if (in == end || *in == '#')
      return true;
    if (!add_word(r, to))
      return false;
    if (!(*in == '"' ? quoted_word(r, &in, end, &to) : plain_word(r, &in, end, &to)))
      return false;
    *to++ = '\0';
  }
}

/* ---- values ---- */

static bool number(struct reader *r, const char *word, uint64_t most, const char *what, uint64_t *out)
{
  if (word[0] == '-' && isdigit((unsigned char)word[1]))
    return fail(r, "%s cannot be negative (%s)", what, show(word).text);
  if (!*word || word[strspn(word, "0123456789")])
    return fail(r, "\"%s\" is not a number (%s)", show(word).text, what);
  errno = 0;
  const unsigned long long value = strtoull(word, NULL, 10);
  if (errno || value > most)
    return fail(r, "%s is too large: %s (at most %" PRIu64 ")", what, show(word).text, most);
  *out = value;
  return true;
}

static bool hexadecimal(struct reader *r, const char *word, const char *what, uint64_t *out)
{
  const size_t length = strlen(word);
  if (length == 0 || length > 16 || word[strspn(word, "0123456789abcdefABCDEF")])
    return fail(r, "\"%s\" is not 1 to 16 hexadecimal digits (%s)", show(word).text, what);
  *out = strtoull(word, NULL, 16);
  return true;
}

static bool one_of(struct reader *r, const char *word, const char *const *names, uint32_t count, const char *what,
                   uint32_t *out)
{
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(names[i], word) == 0) {
      *out = i;
      return true;
    }
  }
  return fail(r, "unknown %s \"%s\"", what, show(word).text);
}

static bool copy_text(struct reader *r, const char *word, char *out, size_t size, const char *what)
{
  if (strlen(word) >= size)
    return fail(r, "%s is longer than %zu bytes", what, size - 1);
  memcpy(out, word, strlen(word) + 1);
  return true;
}

/* ---- threads ---- */

/* The index of a known thread, or SIZE_MAX. The last ones are asked for most. */
static size_t find_thread(const struct reader *r, const char *name)
{
  for (size_t i = 0; i < r->thread_count; i++)
    if (strcmp(r->known[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

static bool declare_thread(struct reader *r, const char *name, const struct schedule_thread *thread)
{
  if (r->thread_count == UINT32_MAX)
    return fail(r, "too many threads");
  if (!grow(&r->threads, r->thread_count, &r->thread_room, sizeof *r->threads) ||
      !grow(&r->known, r->thread_count, &r->known_room, sizeof *r->known))
    return fail(r, "no memory");
  char *copy = strdup(name);
  if (!copy)
    return fail(r, "no memory");
  r->threads[r->thread_count] = *thread;
  r->known[r->thread_count++] = (struct known_thread){.name = copy};
  return true;
}

static bool add_thread(struct reader *r, const char *name)
{
  struct schedule_thread thread = {0};
  char *parent;
  if (!thread_name_valid(name))
    return fail(r, "\"%s\" is not the name of a thread (main, T1, T1.2, P3, ...)", show(name).text);
  if (find_thread(r, name) != SIZE_MAX)
    return fail(r, "thread %s is listed twice", show(name).text);
  if (strcmp(name, "main") == 0)
    return declare_thread(r, name, &thread);
  if (!thread_name_split(name, &parent, &thread.nth))
    return fail(r, "the number of thread %s is too large", show(name).text);
  const size_t index = find_thread(r, parent);
  if (index == SIZE_MAX)
    fail(r, "thread %s stands before its parent %s", show(name).text, show(parent).text);
  thread.parent = (uint32_t)index;
  free(parent);
  if (index != SIZE_MAX)
    thread.process = thread_name_begins_process(name) ? ++r->processes : r->threads[index].process;
  return index != SIZE_MAX && declare_thread(r, name, &thread);
}

/* ---- lines ---- */

/* Handlers see the words of their line; the first is the key, and there are as many as the table allows. */

static bool no_memory_unless(struct reader *r, bool done)
{
  return done || fail(r, "no memory");
}

static bool read_program(struct reader *r, char **word, size_t count)
{
  (void)count;
  if (!word[1][0])
    return fail(r, "the program has no name");
  return no_memory_unless(r, schedule_file_set_program(r->f, word[1]));
}

static bool read_arg(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_add_arg(r->f, word[1]));
}

static bool read_test(struct reader *r, char **word, size_t count)
{
  uint32_t framework = 0;
  (void)count;
  if (!one_of(r, word[1], framework_name, FRAMEWORK_COUNT, "test framework", &framework))
    return false;
  if (strlen(word[2]) >= TEST_NAME_SIZE)
    return fail(r, "the name of the test is too long");
  return no_memory_unless(r, schedule_file_set_test(r->f, framework, word[2]));
}

static bool read_input(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_set_input(r->f, word[1]));
}

static bool read_folder(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_set_folder(r->f, word[1]));
}

static bool read_signature(struct reader *r, char **word, size_t count)
{
  (void)count;
  if (strlen(word[1]) + 1 != sizeof r->f->signature || word[1][strspn(word[1], "0123456789abcdef")])
    return fail(r, "\"%s\" is not a signature", show(word[1]).text);
  return copy_text(r, word[1], r->f->signature, sizeof r->f->signature, "the signature");
}

static bool read_calls(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_set_calls(r->f, word[1]));
}

static bool read_spec(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_set_spec(r->f, word[1]));
}

static bool read_specs(struct reader *r, char **word, size_t count)
{
  (void)count;
  return no_memory_unless(r, schedule_file_set_specs(r->f, word[1]));
}

/* The size of the whole test, and what is left of it. */
static bool read_kept(struct reader *r, char **word, size_t count)
{
  (void)count;
  struct subset kept = {0};
  uint64_t threads, calls;
  if (!number(r, word[1], SUBSET_THREADS, "the number of threads", &threads) ||
      !number(r, word[2], SUBSET_CALLS, "the number of calls", &calls))
    return false;
  kept.threads = (uint32_t)threads;
  kept.calls = (uint32_t)calls;
  if (strcmp(word[3], SUBSET_NOTHING) && !subset_read(&kept, word[3]))
    return fail(r, "\"%s\" names no part of %" PRIu64 " threads with %" PRIu64 " calls", show(word[3]).text, threads,
                calls);
  return no_memory_unless(r, schedule_file_set_kept(r->f, &kept));
}

static bool read_build(struct reader *r, char **word, size_t count)
{
  (void)count;
  if (!*word[1] || word[1][strspn(word[1], "0123456789abcdef")])
    return fail(r, "\"%s\" is not a build id", show(word[1]).text);
  return copy_text(r, word[1], r->f->fingerprint, sizeof r->f->fingerprint, "the build id");
}

/* One of two words; whether it is the second. */
static bool one_of_two(struct reader *r, const char *word, const char *const names[2], const char *what, bool *second)
{
  uint32_t value = 0;
  if (!one_of(r, word, names, 2, what, &value))
    return false;
  *second = value != 0;
  return true;
}

static bool read_points(struct reader *r, char **word, size_t count)
{
  static const char *const names[] = {"calls", "memory"};
  (void)count;
  return one_of_two(r, word[1], names, "kind of points", &r->f->instrumented);
}

static bool read_reset(struct reader *r, char **word, size_t count)
{
  (void)count;
  return one_of(r, word[1], reset_name, RESET_COUNT, "way to reset", &r->f->reset);
}

static bool read_races(struct reader *r, char **word, size_t count)
{
  (void)count;
  return one_of(r, word[1], schedule_race_name, 3, "treatment of races", &r->f->races);
}

static bool read_leaks(struct reader *r, char **word, size_t count)
{
  (void)count;
  return one_of(r, word[1], schedule_race_name, 3, "treatment of leaks", &r->f->leaks);
}

static bool read_spurious(struct reader *r, char **word, size_t count)
{
  static const char *const names[] = {"no", "yes"};
  (void)count;
  return one_of_two(r, word[1], names, "answer", &r->f->spurious);
}

static bool read_files(struct reader *r, char **word, size_t count)
{
  static const char *const names[] = {"overlay", "real"};
  (void)count;
  return one_of_two(r, word[1], names, "kind of files", &r->f->real_files);
}

static bool read_sleeps(struct reader *r, char **word, size_t count)
{
  static const char *const names[] = {"free", "exact"};
  (void)count;
  return one_of_two(r, word[1], names, "way to sleep", &r->punctual);
}

static bool read_expect(struct reader *r, char **word, size_t count)
{
  uint64_t value = 0;
  (void)count;
  r->f->any_exit = strcmp(word[1], "any") == 0;
  if (!r->f->any_exit && !number(r, word[1], 255, "the exit status", &value))
    return false;
  r->f->exit_status = (uint32_t)value;
  return true;
}

static bool read_max_steps(struct reader *r, char **word, size_t count)
{
  (void)count;
  return number(r, word[1], UINT64_MAX, "the number of steps", &r->f->max_steps);
}

static bool read_max_memory(struct reader *r, char **word, size_t count)
{
  (void)count;
  return number(r, word[1], UINT64_MAX, "the number of bytes", &r->f->max_memory);
}

static bool read_found_by(struct reader *r, char **word, size_t count)
{
  (void)count;
  if (strcmp(word[2], "seed") != 0 || strcmp(word[4], "execution") != 0)
    return fail(r, "expected: found-by STRATEGY seed N execution N");
  r->strategy = strategy_by_name(word[1]);
  if (r->strategy == STRATEGY_COUNT)
    return fail(r, "unknown strategy \"%s\"", show(word[1]).text);
  return number(r, word[3], UINT64_MAX, "the seed", &r->f->seed) &&
         number(r, word[5], UINT64_MAX, "the execution", &r->execution);
}

static bool read_bug(struct reader *r, char **word, size_t count)
{
  if (!one_of(r, word[1], bug_kind_name, BUG_KIND_COUNT, "kind of bug", &r->f->bug.kind) ||
      !hexadecimal(r, word[2], "the key of the bug", &r->f->bug.key) ||
      !copy_text(r, word[3], r->f->bug.message, sizeof r->f->bug.message, "the message of the bug"))
    return false;
  if (count > 4 && !copy_text(r, word[4], r->f->bug.where, sizeof r->f->bug.where, "the place of the bug"))
    return false;
  r->f->has_bug = true;
  return true;
}

static bool read_trace(struct reader *r, char **word, size_t count)
{
  (void)count;
  return hexadecimal(r, word[1], "the hash of the trace", &r->hash);
}

static bool read_threads(struct reader *r, char **word, size_t count)
{
  if (r->segment_count)
    return fail(r, "the list of threads must stand before the first segment");
  r->listed = true;
  for (size_t i = 1; i < count; i++)
    if (!add_thread(r, word[i]))
      return false;
  return true;
}

static bool read_choice(struct reader *r, char **word, size_t count)
{
  uint64_t value = 0, n = 0;
  (void)count;
  if (strcmp(word[2], "of") != 0)
    return fail(r, "expected: choice VALUE of N");
  if (!number(r, word[1], UINT32_MAX, "the value chosen", &value) ||
      !number(r, word[3], UINT32_MAX, "the number of values", &n))
    return false;
  if (value >= n)
    return fail(r, "a choice of %" PRIu64 " values cannot be %" PRIu64 " (they count from 0)", n, value);
  if (!grow(&r->choices, r->choice_count, &r->choice_room, sizeof *r->choices))
    return fail(r, "no memory");
  r->choices[r->choice_count++] = (struct data_choice){.n = (uint32_t)n, .value = (uint32_t)value};
  return true;
}

static bool read_end(struct reader *r, char **word, size_t count)
{
  uint64_t segments = 0;
  (void)count;
  if (!number(r, word[1], UINT32_MAX, "the number of segments", &segments))
    return false;
  if (segments != r->segment_count)
    return fail(r, "%zu segments were read, but there should be %" PRIu64, r->segment_count, segments);
  r->ended = true;
  return true;
}

static const struct key {
  const char *name;
  size_t least, most; /* words after the key */
  bool repeats;
  bool (*read)(struct reader *r, char **word, size_t count);
} keys[] = {
    {"program", 1, 1, false, read_program},     {"arg", 1, 1, true, read_arg},
    {"test", 2, 2, false, read_test},           {"input", 1, 1, false, read_input},
    {"build", 1, 1, false, read_build},         {"points", 1, 1, false, read_points},
    {"reset", 1, 1, false, read_reset},         {"races", 1, 1, false, read_races},
    {"leaks", 1, 1, false, read_leaks},         {"spurious", 1, 1, false, read_spurious},
    {"sleeps", 1, 1, false, read_sleeps},       {"expect", 1, 1, false, read_expect},
    {"max-steps", 1, 1, false, read_max_steps}, {"max-memory", 1, 1, false, read_max_memory},
    {"found-by", 5, 5, false, read_found_by},   {"bug", 3, 4, false, read_bug},
    {"trace", 1, 1, false, read_trace},         {"threads", 1, SIZE_MAX, true, read_threads},
    {"choice", 3, 3, true, read_choice},        {"end", 1, 1, false, read_end},
    {"calls", 1, 1, false, read_calls},         {"kept", 3, 3, false, read_kept},
    {"folder", 1, 1, false, read_folder},       {"files", 1, 1, false, read_files},
    {"signature", 1, 1, false, read_signature}, {"spec", 1, 1, false, read_spec},
    {"specs", 1, 1, false, read_specs},
};
_Static_assert(sizeof keys / sizeof *keys <= KEYS_MAX, "key_line is too small");

static bool read_key(struct reader *r)
{
  char **word = r->words.word;
  const size_t count = r->words.count;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strcmp(keys[i].name, word[0]) != 0)
      continue;
    if (count - 1 < keys[i].least)
      return fail(r, "\"%s\" needs %zu more word%s", word[0], keys[i].least - (count - 1),
                  keys[i].least - (count - 1) == 1 ? "" : "s");
    if (count - 1 > keys[i].most)
      return fail(r, "unexpected \"%s\" after \"%s\"", show(word[keys[i].most + 1]).text, word[0]);
    if (!keys[i].repeats && r->key_line[i])
      return fail(r, "\"%s\" was already given in line %zu", word[0], r->key_line[i]);
    r->key_line[i] = r->line;
    return keys[i].read(r, word, count);
  }
  return fail(r, "unknown key \"%s\"", show(word[0]).text);
}

static bool read_place(struct reader *r, char *word, uintptr_t *pc)
{
  char *plus = strrchr(word, '+');
  char *end;
  if (!plus || plus == word || strncmp(plus, "+0x", 3) != 0 || !isxdigit((unsigned char)plus[3]))
    return fail(r, "\"%s\" is not a place (module+0x1234)", show(word).text);
  errno = 0;
  const unsigned long long offset = strtoull(plus + 3, &end, 16);
  if (*end || errno)
    return fail(r, "\"%s\" is not a place (module+0x1234)", show(word).text);
  *plus = '\0';
  if (!r->places || !r->places->to_address || !r->places->to_address(r->places->arg, word, offset, pc))
    *pc = 0;
  return true;
}

/* The thread of a segment: known, or its first use when the file has no list. Its parent must have run before. */
static bool segment_thread(struct reader *r, const char *name, uint32_t *out)
{
  size_t index = find_thread(r, name);
  if (index == SIZE_MAX && r->listed)
    return fail(r, "thread %s is not in the list of threads", show(name).text);
  if (index == SIZE_MAX) {
    if (!add_thread(r, name))
      return false;
    index = r->thread_count - 1;
  }
  const struct schedule_thread *thread = &r->threads[index];
  if (thread->nth && !r->known[thread->parent].ran)
    return fail(r, "thread %s runs before its parent %s has", show(name).text,
                show(r->known[thread->parent].name).text);
  r->known[index].ran = true;
  *out = (uint32_t)index;
  return true;
}

static bool read_segment(struct reader *r)
{
  char **word = r->words.word;
  const size_t count = r->words.count;
  struct segment segment = {0};
  size_t next = 3;
  if (count < 3)
    return fail(r, "a segment needs a thread, its number of operations, and the operation it is then about to do");
  if (!segment_thread(r, word[0], &segment.thread) ||
      !number(r, word[1], UINT64_MAX, "the number of operations", &segment.operations))
    return false;
  const enum op_kind op = op_by_name(word[2]);
  if (op == OP_COUNT)
    return fail(r, "unknown operation \"%s\"", show(word[2]).text);
  segment.op = (uint16_t)op;
  if (next < count && strcmp(word[next], "preempted") != 0 && !read_place(r, word[next++], &segment.pc))
    return false;
  if (next < count && strcmp(word[next], "preempted") == 0) {
    segment.enabled = 1;
    next++;
  }
  if (next < count)
    return fail(r, "unexpected \"%s\" after a segment", show(word[next]).text);
  if (r->segment_count == UINT32_MAX || !grow(&r->segments, r->segment_count, &r->segment_room, sizeof *r->segments))
    return fail(r, "no memory");
  r->segments[r->segment_count++] = segment;
  return true;
}

static bool read_magic(struct reader *r)
{
  char **word = r->words.word;
  uint64_t version = 0;
  if (r->words.count < 3 || strcmp(word[0], "heddle") != 0 || strcmp(word[1], "schedule") != 0)
    return fail(r, "not a heddle schedule (the first line must be \"heddle schedule %d\")", SCHEDULE_FILE_VERSION);
  if (!number(r, word[2], UINT64_MAX, "the version", &version))
    return false;
  if (r->words.count > 3)
    return fail(r, "unexpected \"%s\" after the version", show(word[3]).text);
  if (version > SCHEDULE_FILE_VERSION)
    return fail(r, "version %" PRIu64 " was made by a newer heddle; this one reads version %d", version,
                SCHEDULE_FILE_VERSION);
  if (version < 1)
    return fail(r, "there is no version 0");
  return true;
}

static bool read_line(struct reader *r, const char *text, size_t length)
{
  if (r->line == 1 && (length < 6 || memcmp(text, "heddle", 6) != 0))
    r->words.count = 0; /* may be anything, do not complain about its words */
  else if (!split(r, text, length))
    return false;
  if (r->line == 1)
    return read_magic(r);
  if (r->words.count == 0)
    return true;
  if (r->ended)
    return fail(r, "unexpected \"%s\" after the end", show(r->words.word[0]).text);
  return thread_name_valid(r->words.word[0]) ? read_segment(r) : read_key(r);
}

static bool finish(struct reader *r)
{
  struct schedule_file *f = r->f;
  if (!r->ended)
    return fail(r, "the file is cut short: there is no \"end\" line");
  if (!f->program)
    return fail(r, "there is no \"program\" line");
  const struct schedule_thread main_thread = {0};
  if (r->thread_count == 0 && !declare_thread(r, "main", &main_thread))
    return false;
  if (r->choice_count > UINT32_MAX)
    return fail(r, "too many choices");
  f->record = schedule_record_new((uint32_t)r->thread_count, (uint32_t)r->segment_count, (uint32_t)r->choice_count);
  if (!f->record)
    return fail(r, "the schedule is too long, or there is no memory");
  f->record->hash = r->hash;
  f->record->strategy = r->strategy;
  f->record->punctual = r->punctual;
  f->record->execution = r->execution;
  memcpy(schedule_threads(f->record), r->threads, r->thread_count * sizeof *r->threads);
  if (r->segment_count)
    memcpy(schedule_segments(f->record), r->segments, r->segment_count * sizeof *r->segments);
  if (r->choice_count)
    memcpy(schedule_choices(f->record), r->choices, r->choice_count * sizeof *r->choices);
  return true;
}

static void reader_free(struct reader *r)
{
  for (size_t i = 0; i < r->thread_count; i++)
    free(r->known[i].name);
  free(r->known);
  free(r->threads);
  free(r->segments);
  free(r->choices);
  free(r->words.word);
  free(r->words.text);
}

bool schedule_file_parse(struct schedule_file *f, const char *name, const char *text, size_t length,
                         const struct schedule_places *places, char *error, size_t error_size)
{
  struct reader r = {
      .f = f, .places = places, .name = name, .error = error, .error_size = error_size, .strategy = STRATEGY_replay};
  bool good = true;
  schedule_file_init(f);
  for (size_t at = 0; good && (at < length || r.line == 0);) {
    const char *newline = length > at ? memchr(text + at, '\n', length - at) : NULL;
    const size_t line_length = newline ? (size_t)(newline - (text + at)) : length - at;
    r.line++;
    good = read_line(&r, text + at, line_length);
    at += line_length + 1;
  }
  good = good && finish(&r);
  reader_free(&r);
  if (!good)
    schedule_file_free(f);
  return good;
}

char *schedule_file_load(const char *path, size_t *length, char *error, size_t error_size)
{
  struct stat status;
  char why[256];
  FILE *in = input_open(path, why, sizeof why);
  if (!in) {
    snprintf(error, error_size, "%s %s", path, why);
    return NULL;
  }
  bool small = fstat(fileno(in), &status) == 0 && (uint64_t)status.st_size <= FILE_SIZE_MAX;
  char *text = small ? malloc((size_t)status.st_size + 1) : NULL;
  *length = text ? fread(text, 1, (size_t)status.st_size, in) : 0;
  if (!small)
    snprintf(error, error_size, "%s: not a schedule: too large", path);
  else if (!text || ferror(in))
    snprintf(error, error_size, "%s cannot be read: %s", path, strerror(text ? EIO : ENOMEM));
  if (text && ferror(in)) {
    free(text);
    text = NULL;
  }
  fclose(in);
  return text;
}

bool schedule_file_read(struct schedule_file *f, const char *path, const struct schedule_places *places, char *error,
                        size_t error_size)
{
  size_t length;
  schedule_file_init(f);
  char *text = schedule_file_load(path, &length, error, error_size);
  if (!text)
    return false;
  const bool good = schedule_file_parse(f, path, text, length, places, error, error_size);
  free(text);
  return good;
}
