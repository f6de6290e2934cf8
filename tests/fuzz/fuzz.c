/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds the parsers of files with mangled ones: fuzz PARSER RUNS SEED KEEP FILE...
 *
 * Each input is made from one of the files: bytes and numbers changed, lines left out, doubled, exchanged, spliced with
 * another file, cut short. A parser may refuse it or not; it must come back, soon (SECONDS_MOST) and without much
 * memory (MEMORY_MOST). All inputs are tried in one child; when it dies, the input at work is left in the file KEEP.
 * The same seed makes the same inputs.
 */
#include "cli/option/suite_file.h"
#include "core/property_instances.h"
#include "core/rng.h"
#include "estimate/scan.h"
#include "language/property_compile.h"
#include "predict/communication/communication.h"
#include "predict/locks/goodlock.h"
#include "predict/order/atomicity.h"
#include "predict/order/races.h"
#include "predict/protocol/automaton.h"
#include "predict/protocol/protocol.h"
#include "predict/trace/trace.h"
#include "schedule/identity.h"
#include "schedule/schedule_file.h"
#include "session/console.h"
#include "session/division.h"
#include "session/frontier.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MOST (64 << 10)
#define SECONDS_MOST 20
#define MEMORY_MOST (1l << 20) /* KiB */

struct bytes {
  char *at;
  size_t size;
};

static struct bytes input;
static int input_fd;        /* a file in memory with the same bytes, which survives the child */
static char input_path[32]; /* of that file */

/* ---- the parsers ---- */

static void parse_schedule(void)
{
  struct schedule_file file;
  char error[512];
  const struct schedule_places none = {0};
  char *text = malloc(input.size); /* of its size, so that nobody reads beyond it unseen */
  if (!text)
    return;
  memcpy(text, input.at, input.size);
  if (schedule_file_parse(&file, "input", text, input.size, &none, error, sizeof error)) {
    free(schedule_file_format(&file, &none, error, sizeof error));
    schedule_file_free(&file);
  }
  free(text);
}

/* What the analyses rely on: everything that is spoken of is in the tables, */
static bool are_tables_whole(const struct trace *t)
{
  for (uint32_t i = 0; i < t->site_count; i++)
    if (!t->sites[i].text)
      return false;
  for (uint32_t i = 0; i < t->stack_count; i++)
    for (uint32_t k = 0; k < t->stacks[i].depth; k++)
      if (t->stacks[i].sites[k] >= t->site_count)
        return false;
  for (uint32_t i = 0; i < t->thread_count; i++)
    if (!t->threads[i].text || t->threads[i].parent >= t->thread_count || t->threads[i].create >= t->site_count)
      return false;
  for (uint32_t i = 0; i < t->object_count; i++)
    if (!t->objects[i].text || t->objects[i].kind >= OBJECT_KIND_COUNT)
      return false;
  for (uint32_t i = 0; i < t->function_count; i++)
    if (!t->functions[i].name || !t->functions[i].type)
      return false;
  return true;
}

/* and what events speak of as well. */
static bool is_in_tables(const struct trace *t, const struct event *e)
{
  uint32_t seconds = e->op == OP_CALL ? t->function_count : t->object_count;
  return e->thread && e->op < OP_COUNT && e->thread < t->thread_count && e->other < t->thread_count &&
         e->object < t->object_count && e->second < seconds && e->site < t->site_count && e->stack < t->stack_count;
}

static void read_trace(struct trace_reader *reader)
{
  struct event event;
  char error[512] = "";
  while (reader && trace_next(reader, &event, error, sizeof error))
    if (!is_in_tables(trace_tables(reader), &event) || !are_tables_whole(trace_tables(reader)))
      abort();
  trace_close(reader);
}

/* Binary and STD, told apart by their first bytes. */
static void parse_trace(void)
{
  char error[512];
  read_trace(trace_open(input_path, error, sizeof error));
}

static void parse_trace_text(void)
{
  char error[512];
  char *text = strndup(input.at, input.size);
  read_trace(trace_from_text(text, error, sizeof error));
  free(text);
}

/* What is left out of a trace, or is in it twice, must not surprise those who read it. */
static void predict(struct trace_reader *reader, struct predictions *predictions)
{
  const struct communication_options few = {.limits = {.executions = 20, .walks = 2}};
  const struct goodlock_options options = {.naming = NAMING_INDEX, .k = 3};
  struct goodlock *locks = goodlock_open(&options);
  struct goodlock_summary summary;
  struct races *races = races_open();
  struct atomicity *atomicity = atomicity_open(ATOMICITY_OPTIONS);
  struct protocol *protocol = protocol_new(PROTOCOL_DEFAULTS);
  struct communication communication;
  struct event e;
  char error[512] = "";
  const struct trace *t = trace_tables(reader);
  while (trace_next(reader, &e, error, sizeof error)) {
    goodlock_event(locks, t, &e);
    races_event(races, t, &e);
    atomicity_event(atomicity, t, &e);
    protocol_event(protocol, t, &e);
  }
  goodlock_finish(locks, t, predictions, &summary);
  races_finish(races, predictions);
  atomicity_finish(atomicity, predictions);
  struct trace_reader *again = protocol_learn(protocol, t) ? trace_open(input_path, error, sizeof error) : NULL;
  while (again && trace_next(again, &e, error, sizeof error))
    protocol_check(protocol, trace_tables(again), &e);
  if (again)
    protocol_finish(protocol, trace_tables(again), predictions);
  trace_close(again);
  if (communication_analyse(&communication, reader, &few, error, sizeof error)) {
    model_predict(&communication.result, true, predictions);
    communication_free(&communication);
  }
  goodlock_close(locks);
  races_close(races);
  atomicity_close(atomicity);
  protocol_free(protocol);
}

/* The analyses of a trace of any form. */
static void parse_and_predict(void)
{
  struct predictions predictions = {0};
  char error[512];
  struct trace_reader *reader = trace_open(input_path, error, sizeof error);
  if (reader)
    predict(reader, &predictions);
  predictions_free(&predictions);
  trace_close(reader);
}

static void parse_automaton(void)
{
  char error[512];
  FILE *file = fmemopen(input.at, input.size, "r");
  for (struct automaton *a; (a = automaton_read(file, error, sizeof error));)
    automaton_free(a);
  fclose(file);
}

static const char *found_function[64];
static uint32_t found_functions;

static void note_function(void *unused, const char *pattern, bool after)
{
  (void)unused, (void)after;
  if (found_functions < 64)
    found_function[found_functions++] = strdup(pattern);
}

/* And its monitors are read with some events. */
static void parse_property(void)
{
  struct language_error error;
  struct property_set *set = calloc(1, sizeof *set);
  char *text = calloc(1, input.size + 1);
  static struct property_instances monitors;
  found_functions = 0;
  memcpy(text, input.at, input.size);
  if (property_patterns(text, note_function, NULL, &error) &&
      property_compile(text, found_function, found_functions, false, set, &error)) {
    property_instances_begin(&monitors, set);
    for (uint32_t i = 0; i < 64 && set->rules; i++)
      property_instances_read(&monitors,
                              &(struct property_reading){.rule = i * 7 % set->rules, .value = {i % 3, i % 2}});
  }
  while (found_functions)
    free((char *)found_function[--found_functions]);
  free(text);
  free(set);
}

static void parse_suite(void)
{
  struct suite_file file;
  suite_file_read(&file, input_path);
  suite_file_free(&file);
}

static bool take_branch(void *context, const struct estimates *estimates)
{
  (void)context, (void)estimates;
  return true;
}

static void parse_estimate(void)
{
  struct scan scan;
  FILE *file = fmemopen(input.at, input.size, "r");
  scan_init(&scan, file, "input");
  if (scan_learn(&scan))
    scan_replay(&scan, take_branch, NULL);
  scan_free(&scan);
  fclose(file);
}

/* As it is read for --resume: nearly all of it ends at the checksum. */
static void parse_checkpoint(void)
{
  struct division division;
  struct identity nothing = {0};
  if (division_open(&division)) {
    division.identity = &nothing;
    division_resume(&division, input_path);
  }
  division_close(&division);
}

/* Below the checksum: what the search was of. */
static void parse_identity(void)
{
  struct identity identity = {0};
  char difference[512];
  FILE *file = fmemopen(input.at, input.size, "r");
  if (identity_read(&identity, file))
    identity_is_same(&identity, &identity, difference, sizeof difference);
  identity_free(&identity);
  fclose(file);
}

/* And its tree, which is written again if it was read. */
static void parse_frontier(void)
{
  struct frontier frontier;
  struct scaled lazy, eager;
  char error[512], *text = NULL;
  size_t size;
  FILE *file = fmemopen(input.at, input.size, "r"), *again = open_memstream(&text, &size);
  if (frontier_open(&frontier) && frontier_read(&frontier, file, error, sizeof error)) {
    frontier_share(&frontier, &lazy, &eager);
    frontier_write(&frontier, again);
  }
  frontier_close(&frontier);
  fclose(file);
  fclose(again);
  free(text);
}

static const struct parser {
  const char *name;
  void (*parse)(void);
} parsers[] = {{"schedule", parse_schedule},     {"trace", parse_trace},       {"trace-text", parse_trace_text},
               {"automaton", parse_automaton},   {"suite", parse_suite},       {"estimate", parse_estimate},
               {"checkpoint", parse_checkpoint}, {"identity", parse_identity}, {"frontier", parse_frontier},
               {"predict", parse_and_predict},   {"property", parse_property}};

/* ---- the mutator ---- */

static uint64_t rng;

static size_t below(size_t n)
{
  return n ? (size_t)(rng_next(&rng) % n) : 0;
}

/* Replaces `old` bytes at `where` by others. */
static void replace(size_t where, size_t old, const char *with, size_t size)
{
  size_t rest = input.size - where - old;
  if (where + size + rest > INPUT_MOST)
    return;
  char copy[512];
  char *more = size > sizeof copy ? malloc(size) : copy; /* it may be of the input itself */
  if (!more)
    return;
  memcpy(more, with, size);
  memmove(input.at + where + size, input.at + where + old, rest);
  memcpy(input.at + where, more, size);
  input.size = where + size + rest;
  if (more != copy)
    free(more);
}

static size_t line_start(size_t at)
{
  while (at && input.at[at - 1] != '\n')
    at--;
  return at;
}

static size_t line_end(size_t at)
{
  while (at < input.size && input.at[at] != '\n')
    at++;
  return at < input.size ? at + 1 : at;
}

static void change_byte(void)
{
  if (input.size)
    input.at[below(input.size)] = (char)rng_next(&rng);
}

static void flip_bit(void)
{
  if (input.size)
    input.at[below(input.size)] ^= (char)(1 << below(8));
}

/* A number in the text, or eight bytes of a binary file. */
static void change_number(void)
{
  static const char *const texts[] = {"0",
                                      "1",
                                      "-1",
                                      "255",
                                      "65536",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "18446744073709551615",
                                      "99999999999999999999",
                                      "1e308",
                                      "nan",
                                      "ffffffffffffffff",
                                      ""};
  static const uint64_t values[] = {0, 1, 127, 255, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
  size_t at = below(input.size), end;
  while (at < input.size && (input.at[at] < '0' || input.at[at] > '9'))
    at++;
  for (end = at; end < input.size && input.at[end] >= '0' && input.at[end] <= '9';)
    end++;
  if (end > at && below(2)) {
    const char *text = texts[below(sizeof texts / sizeof texts[0])];
    replace(at, end - at, text, strlen(text));
  } else if (input.size >= 8) {
    memcpy(input.at + below(input.size - 7), &values[below(sizeof values / sizeof values[0])], 1u << below(4));
  }
}

static void drop_line(void)
{
  size_t at = line_start(below(input.size));
  replace(at, line_end(at) - at, "", 0);
}

static void double_line(void)
{
  size_t at = line_start(below(input.size)), to = line_start(below(input.size));
  replace(to, 0, input.at + at, line_end(at) - at);
}

static void drop_bytes(void)
{
  size_t at = below(input.size), left = input.size - at;
  replace(at, 1 + below(left < 16 ? left : 16) - (left == 0), "", 0);
}

static void insert_bytes(void)
{
  char bytes[16];
  size_t size = 1 + below(sizeof bytes);
  for (size_t i = 0; i < size; i++)
    bytes[i] = below(2) ? (char)rng_next(&rng) : " \n0-:\"\\%a"[below(9)];
  replace(below(input.size), 0, bytes, size);
}

static void cut(void)
{
  input.size = below(input.size);
}

static void repeat_part(void)
{
  size_t at = below(input.size), size = below(input.size - at);
  replace(below(input.size), 0, input.at + at, size < 4096 ? size : 4096);
}

static void mangle(const struct bytes *files, size_t count)
{
  static void (*const ways[])(void) = {change_byte, flip_bit,   change_number, change_number, drop_line,
                                       double_line, drop_bytes, insert_bytes,  repeat_part};
  const struct bytes *from = &files[below(count)], *other = &files[below(count)];
  input.size = from->size;
  memcpy(input.at, from->at, from->size);
  if (!below(8) && other->size) { /* the beginning of one, the end of another */
    size_t at = below(other->size);
    input.size = below(input.size);
    replace(input.size, 0, other->at + at, other->size - at);
  }
  for (size_t n = 1 + below(6); n && input.size; n--)
    ways[below(sizeof ways / sizeof ways[0])]();
  if (!below(16))
    cut();
}

/* ---- the run ---- */

static bool read_whole(const char *path, struct bytes *out)
{
  FILE *file = fopen(path, "re");
  out->at = malloc(INPUT_MOST);
  if (!file || !out->at)
    return false;
  out->size = fread(out->at, 1, INPUT_MOST / 2, file);
  return fclose(file) == 0;
}

static bool open_input(void)
{
  input.at = malloc(INPUT_MOST);
  input_fd = memfd_create("input", MFD_CLOEXEC);
  snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input_fd);
  return input.at && input_fd >= 0;
}

static bool run_one(const struct parser *parser)
{
  struct rusage usage;
  if (ftruncate(input_fd, (off_t)input.size) != 0 || pwrite(input_fd, input.at, input.size, 0) != (ssize_t)input.size)
    return false;
  alarm(SECONDS_MOST);
  if (input.size)
    parser->parse();
  alarm(0);
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > MEMORY_MOST) {
    printf("fuzz: %s: %ld MiB for an input of %zu bytes\n", parser->name, usage.ru_maxrss >> 10, input.size);
    return false;
  }
  return true;
}

/* The exit status of the child. */
static int run_all(const struct parser *parser, unsigned long long runs, const struct bytes *files, size_t count)
{
  stderr = fopen("/dev/null", "we"); /* what parsers say is of no interest; sanitizers write without it */
  if (!stderr || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return 2;
  for (unsigned long long i = 0; i < runs; i++) {
    mangle(files, count);
    if (!run_one(parser))
      return 1;
  }
  fclose(stderr);
  return 0;
}

static bool keep_input(const char *path)
{
  char bytes[4096];
  off_t at = 0;
  ssize_t n;
  FILE *file = fopen(path, "we");
  while (file && (n = pread(input_fd, bytes, sizeof bytes, at)) > 0) {
    fwrite(bytes, 1, (size_t)n, file);
    at += n;
  }
  return file && fclose(file) == 0;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct parser *parser_named(const char *name)
{
  for (size_t i = 0; i < sizeof parsers / sizeof parsers[0]; i++)
    if (!strcmp(parsers[i].name, name))
      return &parsers[i];
  return NULL;
}

int main(int argc, char **argv)
{
  double begin = now();
  const struct parser *parser = argc > 5 ? parser_named(argv[1]) : NULL;
  size_t count = parser ? (size_t)argc - 5 : 0;
  struct bytes *files = calloc(count + 1, sizeof *files);
  struct rusage used;
  int status = 0;
  if (!parser || !files) {
    fputs("usage: fuzz PARSER RUNS SEED KEEP FILE...\n", stderr);
    return 2;
  }
  rng = strtoull(argv[3], NULL, 10);
  for (size_t i = 0; i < count; i++)
    if (!read_whole(argv[5 + i], &files[i])) {
      perror(argv[5 + i]);
      return 2;
    }
  unsigned long long runs = strtoull(argv[2], NULL, 10);
  pid_t child = open_input() ? fork() : -1;
  if (child == 0)
    status = run_all(parser, runs, files, count);
  else if (child < 0 || waitpid(child, &status, 0) != child)
    return 2;
  for (size_t i = 0; i < count; i++)
    free(files[i].at);
  free(files);
  free(input.at);
  if (child == 0)
    return status;
  if (status == 0) {
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%s: %llu inputs in %.1f s, %ld s of processor time\n", parser->name, runs, now() - begin,
           used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    return 0;
  }
  printf("%s: %s %d; the input is in %s\n", parser->name, WIFSIGNALED(status) ? "signal" : "status",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), argv[4]);
  return keep_input(argv[4]) ? 1 : 2;
}
