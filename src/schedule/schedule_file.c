/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files: the structure in memory, and the writer. The reader is schedule_parse.c; whatever is written here it
 * must read back the same. Nothing is printed, nothing but the named file is touched.
 */
#include "schedule/schedule_file.h"

#include "file/output_file.h"
#include "schedule/schedule_text.h"
#include "schedule/subset_text.h"
#include "schedule/thread_name.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const schedule_race_name[3] = {"ignore", "report", "fail"};

struct schedule_record *schedule_record_new(uint32_t threads, uint32_t segments, uint32_t choices)
{
  const uint64_t bytes = sizeof(struct schedule_record) + (uint64_t)threads * sizeof(struct schedule_thread) +
                         (uint64_t)segments * sizeof(struct segment) + (uint64_t)choices * sizeof(struct data_choice);
  if (bytes > JOB_SCHEDULE_MOST)
    return NULL;
  struct schedule_record *record = calloc(1, bytes);
  if (!record)
    return NULL;
  record->bytes = bytes;
  record->threads = threads;
  record->segments = segments;
  record->choices = choices;
  return record;
}

struct schedule_record *schedule_record_copy(const struct schedule_record *record, uint64_t available)
{
  if (available < sizeof *record || record->bytes > available)
    return NULL;
  /* The header may change under our hands while a process still runs: only the copy's sizes count. */
  struct schedule_record *copy = schedule_record_new(record->threads, record->segments, record->choices);
  if (!copy)
    return NULL;
  if (copy->bytes != record->bytes) {
    free(copy);
    return NULL;
  }
  copy->hash = record->hash;
  copy->strategy = record->strategy;
  copy->execution = record->execution;
  copy->punctual = record->punctual;
  memcpy(copy + 1, record + 1, copy->bytes - sizeof *copy);
  return copy;
}

void schedule_file_init(struct schedule_file *f)
{
  *f = (struct schedule_file){.races = RACES_REPORT, .leaks = RACES_REPORT, .reset = RESET_AUTO};
}

void schedule_file_free(struct schedule_file *f)
{
  for (size_t i = 0; i < f->arg_count; i++)
    free(f->args[i]);
  free(f->args);
  free(f->program);
  free(f->test);
  free(f->input);
  free(f->calls);
  free(f->spec);
  free(f->specs);
  free(f->kept);
  free(f->folder);
  free(f->record);
  schedule_file_init(f);
}

bool schedule_file_add_arg(struct schedule_file *f, const char *arg)
{
  char **args = realloc(f->args, (f->arg_count + 1) * sizeof *args);
  if (!args)
    return false;
  f->args = args;
  args[f->arg_count] = strdup(arg);
  return args[f->arg_count] && ++f->arg_count;
}

static bool set_string(char **where, const char *text)
{
  char *copy = strdup(text);
  if (!copy)
    return false;
  free(*where);
  *where = copy;
  return true;
}

bool schedule_file_set_program(struct schedule_file *f, const char *program)
{
  return set_string(&f->program, program);
}

bool schedule_file_set_input(struct schedule_file *f, const char *input)
{
  return set_string(&f->input, input);
}

bool schedule_file_set_test(struct schedule_file *f, enum test_framework framework, const char *test)
{
  f->framework = framework;
  return set_string(&f->test, test);
}

bool schedule_file_set_calls(struct schedule_file *f, const char *calls)
{
  return set_string(&f->calls, calls);
}

bool schedule_file_set_spec(struct schedule_file *f, const char *spec)
{
  return set_string(&f->spec, spec);
}

bool schedule_file_set_specs(struct schedule_file *f, const char *specs)
{
  return set_string(&f->specs, specs);
}

bool schedule_file_set_kept(struct schedule_file *f, const struct subset *kept)
{
  struct subset *copy = malloc(sizeof *copy);
  if (!copy)
    return false;
  *copy = *kept;
  free(f->kept);
  f->kept = copy;
  return true;
}

bool schedule_file_set_folder(struct schedule_file *f, const char *folder)
{
  return set_string(&f->folder, folder);
}

uint32_t schedule_preemptions(struct schedule_record *record)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i + 1 < record->segments; i++)
    n += schedule_segments(record)[i].enabled != 0;
  return n;
}

static bool places_to_module(void *arg, uintptr_t pc, const char **module, uint64_t *offset)
{
  return symbols_module_offset(arg, symbols_named_address(arg, pc), module, offset);
}

static bool places_to_address(void *arg, const char *module, uint64_t offset, uintptr_t *pc)
{
  if (!symbols_module_address(arg, module, offset, pc))
    return false;
  *pc = symbols_address_name(arg, *pc);
  return *pc;
}

static bool places_comment(void *arg, uintptr_t pc, char *out, size_t n)
{
  struct source_place place;
  if (!symbols_line(arg, symbols_named_address(arg, pc), &place) || place.line == 0)
    return false;
  snprintf(out, n, "%s:%u", place.display, place.line);
  return true;
}

struct schedule_places schedule_places_of(struct symbols *s)
{
  if (!s)
    return (struct schedule_places){0};
  return (struct schedule_places){s, places_to_module, places_to_address, places_comment};
}

/* Whether the reader would take the word for itself without quotes. */
static bool plain_word(const char *word)
{
  if (*word == '\0')
    return false;
  for (const unsigned char *c = (const unsigned char *)word; *c; c++)
    if (*c <= ' ' || *c == 0x7f || *c == '"' || *c == '#' || *c == '\\')
      return false;
  return true;
}

static void put_quoted(FILE *out, const char *word)
{
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c == '\n')
      fputs("\\n", out);
    else if (*c == '\t')
      fputs("\\t", out);
    else if (*c < ' ' || *c == 0x7f)
      fprintf(out, "\\x%02x", *c);
    else
      fputc(*c, out);
  }
  fputc('"', out);
}

static void put_word(FILE *out, const char *word)
{
  if (plain_word(word))
    fputs(word, out);
  else
    put_quoted(out, word);
}

static void put_key(FILE *out, const char *key, const char *value)
{
  fprintf(out, "%-9s ", key);
  put_word(out, value);
  fputc('\n', out);
}

static void put_bug(FILE *out, const struct schedule_file *f)
{
  fprintf(out, "%-9s %s %016" PRIx64 " ", "bug", bug_kind_name[f->bug.kind], f->bug.key);
  put_quoted(out, f->bug.message);
  if (f->bug.where[0]) {
    fputc(' ', out);
    put_word(out, f->bug.where);
  }
  fputc('\n', out);
}

static void put_header(FILE *out, const struct schedule_file *f)
{
  fprintf(out, "heddle schedule %d\n", SCHEDULE_FILE_VERSION);
  put_key(out, "program", f->program);
  if (f->folder)
    put_key(out, "folder", f->folder);
  for (size_t i = 0; i < f->arg_count; i++)
    put_key(out, "arg", f->args[i]);
  if (f->test) {
    fprintf(out, "%-9s %s ", "test", framework_name[f->framework]);
    put_word(out, f->test);
    fputc('\n', out);
  }
  if (f->input)
    put_key(out, "input", f->input);
  if (f->fingerprint[0])
    put_key(out, "build", f->fingerprint);
  if (f->signature[0])
    put_key(out, "signature", f->signature);
  put_key(out, "points", f->instrumented ? "memory" : "calls");
  if (f->calls)
    put_key(out, "calls", f->calls);
  if (f->spec)
    put_key(out, "spec", f->spec);
  if (f->specs)
    put_key(out, "specs", f->specs);
  if (f->kept) {
    fprintf(out, "%-9s %" PRIu32 " %" PRIu32 " ", "kept", f->kept->threads, f->kept->calls);
    if (subset_thread_count(f->kept))
      subset_print(out, f->kept);
    else
      fputs(SUBSET_NOTHING, out);
    fputc('\n', out);
  }
  put_key(out, "reset", reset_name[f->reset]);
  put_key(out, "races", schedule_race_name[f->races]);
  put_key(out, "leaks", schedule_race_name[f->leaks]);
  if (f->spurious)
    put_key(out, "spurious", "yes");
  if (f->real_files)
    put_key(out, "files", "real");
  if (f->record->punctual)
    put_key(out, "sleeps", "exact");
  if (f->any_exit)
    put_key(out, "expect", "any");
  else if (f->exit_status)
    fprintf(out, "%-9s %" PRIu32 "\n", "expect", f->exit_status);
  if (f->max_steps)
    fprintf(out, "%-9s %" PRIu64 "\n", "max-steps", f->max_steps);
  if (f->max_memory)
    fprintf(out, "%-9s %" PRIu64 "\n", "max-memory", f->max_memory);
  fprintf(out, "%-9s %s seed %" PRIu64 " execution %" PRIu64 "\n", "found-by",
          strategy_table[f->record->strategy]->name, f->seed, f->record->execution);
  if (f->has_bug)
    put_bug(out, f);
  fprintf(out, "%-9s %016" PRIx64 "\n", "trace", f->record->hash);
}

static void put_threads(FILE *out, char *const *names, uint32_t count)
{
  size_t column = 0;
  for (uint32_t i = 0; i < count; i++) {
    const size_t length = strlen(names[i]) + 1;
    if (column == 0 || column + length > 110) {
      fprintf(out, "%s%-9s", column ? "\n" : "", "threads");
      column = 9;
    }
    fprintf(out, " %s", names[i]);
    column += length;
  }
  fputc('\n', out);
}

/* A comment must stay in its line, whatever a source file is called. */
static void put_comment(FILE *out, const char *text)
{
  fputs("  # ", out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    fputc(*c < ' ' || *c == 0x7f ? '?' : *c, out);
}

static void put_segment(FILE *out, const struct segment *segment, const char *thread,
                        const struct schedule_places *places)
{
  char text[512];
  const char *module;
  uint64_t offset;
  const char *op = op_table[segment->op].name;
  fprintf(out, "%-9s %-11" PRIu64 " %s", thread, segment->operations, op);
  if (places && places->to_module && segment->pc && places->to_module(places->arg, segment->pc, &module, &offset)) {
    snprintf(text, sizeof text, "%.480s+0x%" PRIx64, module, offset);
    fprintf(out, "%*s", strlen(op) < 15 ? 16 - (int)strlen(op) : 1, "");
    put_word(out, text);
  }
  if (segment->enabled)
    fputs("  preempted", out);
  if (places && places->comment && segment->pc && places->comment(places->arg, segment->pc, text, sizeof text))
    put_comment(out, text);
  fputc('\n', out);
}

static void put_body(FILE *out, const struct schedule_file *f, char *const *names, const struct schedule_places *places)
{
  struct schedule_record *record = f->record;
  put_threads(out, names, record->threads);
  if (record->choices)
    fputs("\n# choices of data, in order\n", out);
  for (uint32_t i = 0; i < record->choices; i++)
    fprintf(out, "%-9s %" PRIu32 " of %" PRIu32 "\n", "choice", schedule_choices(record)[i].value,
            schedule_choices(record)[i].n);
  fputs("\n# thread  operations  then is about to\n", out);
  for (uint32_t i = 0; i < record->segments; i++)
    put_segment(out, &schedule_segments(record)[i], names[schedule_segments(record)[i].thread], places);
  fprintf(out, "%-9s %" PRIu32 "\n", "end", record->segments);
}

static const char *inconsistent_record(struct schedule_record *record)
{
  const struct schedule_thread *threads = schedule_threads(record);
  if (record->threads == 0 || threads[0].nth != 0)
    return "the first thread is not main";
  for (uint32_t i = 1; i < record->threads; i++)
    if (threads[i].parent >= i || threads[i].nth == 0)
      return "a thread stands before its parent";
  for (uint32_t i = 0; i < record->segments; i++) {
    const struct segment *segment = &schedule_segments(record)[i];
    if (segment->thread >= record->threads || segment->op >= OP_COUNT || segment->enabled > 1)
      return "a segment has an unknown thread or operation";
  }
  for (uint32_t i = 0; i < record->choices; i++)
    if (schedule_choices(record)[i].value >= schedule_choices(record)[i].n)
      return "a choice is out of its range";
  if (record->strategy >= STRATEGY_COUNT)
    return "its strategy is unknown";
  return NULL;
}

static const char *inconsistent(const struct schedule_file *f)
{
  if (!f->program || !f->program[0])
    return "it has no program";
  if (!f->record)
    return "it has no schedule";
  if (f->reset >= RESET_COUNT || f->races > RACES_FAIL || f->leaks > RACES_FAIL || f->exit_status > 255)
    return "an option is out of its range";
  if (f->has_bug && f->bug.kind >= BUG_KIND_COUNT)
    return "its kind of bug is unknown";
  return inconsistent_record(f->record);
}

static void free_names(char **names, uint32_t count)
{
  for (uint32_t i = 0; names && i < count; i++)
    free(names[i]);
  free(names);
}

static char **all_names(struct schedule_record *record)
{
  char **names = calloc(record->threads, sizeof *names);
  for (uint32_t i = 0; names && i < record->threads; i++) {
    names[i] = thread_name_new(schedule_threads(record), record->threads, i);
    if (!names[i]) {
      free_names(names, i);
      return NULL;
    }
  }
  return names;
}

char *schedule_file_format(const struct schedule_file *f, const struct schedule_places *places, char *error,
                           size_t error_size)
{
  const char *wrong = inconsistent(f);
  if (wrong) {
    snprintf(error, error_size, "cannot write the schedule: %s", wrong);
    return NULL;
  }
  char *text = NULL;
  size_t length;
  char **names = all_names(f->record);
  FILE *out = names ? open_memstream(&text, &length) : NULL;
  bool done = false;
  if (out) {
    put_header(out, f);
    put_body(out, f, names, places);
    done = !ferror(out);
    done = fclose(out) == 0 && done;
  }
  free_names(names, f->record->threads);
  if (done)
    return text;
  free(text);
  snprintf(error, error_size, "cannot write the schedule: no memory");
  return NULL;
}

bool schedule_file_write(const struct schedule_file *f, const char *path, const struct schedule_places *places,
                         char *error, size_t error_size)
{
  char *text = schedule_file_format(f, places, error, error_size);
  if (!text)
    return false;
  const bool written = output_file_write(path, FILE_SCHEDULE, text, strlen(text), error, error_size);
  free(text);
  return written;
}
