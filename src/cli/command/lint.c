/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle lint: what can be said of concurrency by reading sources (lint/lint.h).
 */
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/find/changed_findings.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cli/option/result_file.h"
#include "lint/gather.h"
#include "report/document/lint_document.h"
#include "session/console.h"
#include "session/deadline.h"
#include "session/live.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ERROR_SIZE 1024
#define STACK_ROOM (100u << 20) /* bytes: what Linux leaves below the stack */

struct linting {
  const struct options *options;
  struct lint_choice choice;
  struct vocabulary vocabulary;
  struct compile_commands commands;
  struct whole_program program;
  struct findings findings;
  struct gather gather;
  double started;
  char error[ERROR_SIZE];
};

/* ---- --explain ---- */

static void list_rules(FILE *out)
{
  int width = 0;
  for (unsigned i = 0; i < LINT_RULES; i++)
    width = (int)strlen(lint_rules[i].name) > width ? (int)strlen(lint_rules[i].name) : width;
  for (unsigned i = 0; i < LINT_RULES; i++)
    fprintf(out, "%-*s %s  %s\n", width, lint_rules[i].name, lint_rules[i].usual ? "on " : "off", lint_rules[i].title);
}

static void list_patterns(FILE *out)
{
  fputs("What bounds how often a loop creates something (--patterns takes the numbers):\n\n", out);
  for (unsigned i = 1; i <= LINT_PATTERNS; i++)
    fprintf(out, "  %2u  %s\n", i, lint_pattern_text[i]);
  fputs("\n7, 8 and 10 bound how many there are at once, not how many there are in total.\n", out);
}

static void list_words(FILE *out)
{
  fputs("A file for --patterns-file has a line for each name that means something:\n\n"
        "  WORD NAME [ARGUMENT]\n\n"
        "NAME may have * and ?. ARGUMENT counts from 1. Words:\n\n",
        out);
#define X(constant, word, what, argument) fprintf(out, "  %-12s %s\n", word, what);
  HD_LINT_WORDS(X)
#undef X
}

static void put_example(FILE *out, const char *title, const char *code)
{
  fprintf(out, "\n%s:\n\n", title);
  for (const char *end; *code; code = end + 1) {
    end = strchr(code, '\n');
    fprintf(out, "%s%.*s\n", end > code ? "    " : "", (int)(end - code), code);
  }
}

static int explain(const struct options *o)
{
  FILE *out = console_out();
  if (!o->operand_count) {
    list_rules(out);
    return STATUS_OK;
  }
  if (!strcmp(o->operands[0], "patterns")) {
    list_patterns(out);
    return STATUS_OK;
  }
  if (!strcmp(o->operands[0], "words")) {
    list_words(out);
    return STATUS_OK;
  }
  const unsigned rule = lint_rule_by_name(o->operands[0]);
  if (rule == UINT_MAX) {
    console_error("there is no rule %s; heddle lint --explain lists them", o->operands[0]);
    return STATUS_USAGE;
  }
  const struct lint_rule *r = &lint_rules[rule];
  fprintf(out, "%s (%s by default)\n\n%s\n\n%s\n\nWhat to do: %s\n", r->name, r->usual ? "on" : "off", r->title,
          r->text, r->help);
  if (r->trial)
    fprintf(out, "\nTo try it: %s.\n", r->trial);
  const struct lint_example *example = lint_example_of(r->name);
  put_example(out, "Told", example->wrong);
  put_example(out, "Not told", example->right);
  return STATUS_OK;
}

/* ---- what was chosen ---- */

/* "1-6,9" as a set; false: it is no such list. */
static bool read_patterns(const char *text, unsigned *set)
{
  *set = 0;
  while (*text) {
    char *end;
    const unsigned long from = strtoul(text, &end, 10);
    unsigned long to = from;
    if (end == text)
      return false;
    if (*end == '-') {
      text = end + 1;
      to = strtoul(text, &end, 10);
    }
    if (!from || to > LINT_PATTERNS || from > to || (*end && *end != ','))
      return false;
    for (unsigned long i = from; i <= to; i++)
      *set |= 1u << i;
    text = *end ? end + 1 : end;
  }
  return *set;
}

static bool read_rules(const char *text, uint32_t *set)
{
  char *copy = strdup(text), *rest = copy, *name;
  bool good = copy;
  *set = 0;
  while (good && (name = strsep(&rest, ","))) {
    const unsigned rule = lint_rule_by_name(name);
    if (!strcmp(name, "all"))
      *set = (UINT32_C(1) << LINT_RULES) - 1;
    else if (rule == UINT_MAX)
      console_error("--rules: there is no rule %s; heddle lint --explain lists them", name), good = false;
    else
      *set |= UINT32_C(1) << rule;
  }
  free(copy);
  return good;
}

static bool read_choice(const struct options *o, struct lint_choice *c)
{
  *c = (struct lint_choice){
      .calls = LINT_CALLS, .loops = (unsigned)o->loops, .patterns = LINT_ALL_PATTERNS, .direct_only = o->direct_only};
  for (unsigned i = 0; i < LINT_RULES; i++)
    c->rules |= (uint32_t)lint_rules[i].usual << i;
  char *end = NULL;
  if (o->calls && (!(c->calls = (unsigned)strtoul(o->calls, &end, 10)) || *end || c->calls > 16)) {
    console_error("--calls takes a number from 1 to 16, not %s", o->calls);
    return false;
  }
  if (o->loops > 8) {
    console_error("--loops takes at most 8, not %llu", (unsigned long long)o->loops);
    return false;
  }
  if (o->patterns && !read_patterns(o->patterns, &c->patterns)) {
    console_error("--patterns takes numbers from 1 to %d, such as 1-6,9, not %s", LINT_PATTERNS, o->patterns);
    return false;
  }
  return !o->rules || read_rules(o->rules, &c->rules);
}

/* ---- which sources ---- */

static bool read_database(struct linting *l, const char *folder)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/compile_commands.json", folder) >= PATH_MAX || access(path, R_OK) != 0)
    return true;
  return compile_commands_read(&l->commands, path, l->error, ERROR_SIZE);
}

static bool search_database(struct linting *l)
{
  char *here = getcwd(NULL, 0);
  snprintf(l->error, ERROR_SIZE, "the current folder is not there");
  bool good = here && compile_commands_search(&l->commands, here, NULL, l->error, ERROR_SIZE);
  free(here);
  if (good && !l->commands.count) {
    snprintf(l->error, ERROR_SIZE,
             "there is no compile_commands.json here or above: name its folder (-p DIR), a program that heddle cc "
             "built, or a command: heddle lint -- cc -Iinclude file.c");
    good = false;
  }
  return good;
}

static bool add_operand(struct linting *l, char *operand)
{
  char *words[] = {"cc", operand};
  if (access(operand, R_OK) != 0) {
    snprintf(l->error, ERROR_SIZE, "%s is not there, or cannot be read", operand);
    return false;
  }
  if (is_source_file(operand))
    return compile_commands_of_words(&l->commands, words, 2, l->error, ERROR_SIZE);
  const size_t before = l->commands.count;
  if (!compile_commands_of_program(&l->commands, operand, l->error, ERROR_SIZE))
    return false;
  if (l->commands.count == before)
    snprintf(l->error, ERROR_SIZE, "%s does not know how it was compiled: build it with heddle cc", operand);
  return l->commands.count > before;
}

static bool find_sources(struct linting *l)
{
  const struct options *o = l->options;
  if (o->arg_count)
    return compile_commands_of_words(&l->commands, o->args, o->arg_count, l->error, ERROR_SIZE);
  bool good = true;
  for (size_t i = 0; good && i < o->operand_count; i++)
    good = add_operand(l, o->operands[i]);
  if (o->operand_count)
    return good;
  if (!o->commands)
    return search_database(l);
  if (!read_database(l, o->commands))
    return false;
  if (!l->commands.count)
    snprintf(l->error, ERROR_SIZE, "%s has no compile_commands.json that names a source", o->commands);
  return l->commands.count;
}

/* ---- the work ---- */

static void tell_problem(void *data, bool lost, const char *line)
{
  struct linting *l = data;
  console_note("%s", line);
  findings_notice(&l->findings, lost ? NOTICE_LOST : NOTICE_PARTLY, "%s", line);
}

static void tell_progress(size_t done, size_t all)
{
  char remark[64];
  snprintf(remark, sizeof remark, "%zu of %zu sources read", done, all);
  live_line(remark);
}

/* STATUS_OK, or that of an end before there were findings. */
static int read_program(struct linting *l)
{
  struct fact_cache cache;
  if (!find_sources(l)) {
    console_error("%s", l->error);
    return STATUS_USAGE;
  }
  if (!fact_cache_open(&cache, !l->options->no_cache, l->error, ERROR_SIZE)) {
    console_error("%s", l->error);
    return STATUS_FAILED;
  }
  l->gather = (struct gather){.cache = &cache,
                              .commands = &l->commands,
                              .jobs = l->options->jobs ? (unsigned)l->options->jobs : core_count(),
                              .stop = time_is_up,
                              .progress = tell_progress,
                              .problem = tell_problem,
                              .data = l};
  program_open(&l->program, &l->vocabulary);
  const enum gather_end end = gather_all(&l->gather, &l->program, l->error, ERROR_SIZE);
  live_erase();
  fact_cache_close(&cache);
  if (end == GATHER_STOPPED)
    console_error(interrupt_count() ? "interrupted" : "the time was up before all sources were read (--time)");
  else if (end == GATHER_FAILED)
    console_error("%s", l->error);
  else if (!l->gather.read && !l->gather.cached)
    console_error(l->gather.lost ? "no source could be read" : "there is no source of C or C++ among the commands");
  return end == GATHER_DONE && l->gather.read + l->gather.cached ? STATUS_OK : STATUS_FAILED;
}

/* What keys of findings are seen from, with '/' at its end: the work tree of git around all that was read, or else the
 * folder that all of it has in common. */
static void find_project(const struct whole_program *p, char folder[PATH_MAX])
{
  char mark[PATH_MAX + 8];
  folder[0] = '\0';
  for (uint32_t i = 0; i < p->functions && !folder[0]; i++) {
    const char *file = p->function[i].file;
    if (strncmp(file, "/usr/", 5) != 0 && p->folder && p->folder < PATH_MAX)
      snprintf(folder, PATH_MAX, "%.*s", (int)p->folder, file);
  }
  for (size_t end = strlen(folder); end; end--) {
    if (folder[end - 1] != '/')
      continue;
    snprintf(mark, sizeof mark, "%.*s.git", (int)end, folder);
    if (access(mark, F_OK) == 0) {
      folder[end] = '\0';
      return;
    }
  }
}

/* Which findings count. */
static bool sift(struct linting *l)
{
  const struct options *o = l->options;
  char project[PATH_MAX];
  find_project(&l->program, project);
  findings_add_files_to_keys(&l->findings, project);
  findings_suppress(&l->findings, lint_rule_name, LINT_RULES);
  return (!o->baseline || findings_known(&l->findings, o->baseline, l->error, ERROR_SIZE)) &&
         (!o->diff || leave_unchanged_findings(&l->findings, &l->program, o->diff, l->error, ERROR_SIZE));
}

static bool write_results(const struct linting *l, const struct lint_view *view)
{
  const struct options *o = l->options;
  char error[ERROR_SIZE];
  char *json = o->json ? lint_json(view) : NULL, *sarif = o->sarif ? lint_sarif(view) : NULL;
  bool good = (!o->json || result_file_write("--json", o->json, FILE_JSON, json, json ? strlen(json) : 0)) &&
              (!o->sarif || result_file_write("--sarif", o->sarif, FILE_SARIF, sarif, sarif ? strlen(sarif) : 0));
  if (good && o->write_baseline &&
      !findings_write_baseline(&l->findings, o->write_baseline, lint_rule_name, error, sizeof error)) {
    console_error("%s", error);
    good = false;
  }
  free(json);
  free(sarif);
  return good;
}

#define NAMED_MOST 3 /* of functions that were given up; the documents have all */

/* What was not looked at, and comments that mean nothing; what is wrong with sources was told when they were read. */
static void tell_notices(const struct findings *f)
{
  char names[ERROR_SIZE] = "";
  size_t large = 0;
  for (size_t i = 0; i < f->notices; i++) {
    const size_t used = strlen(names);
    if (f->notice[i].kind == NOTICE_COMMENT)
      console_note("%s", f->notice[i].text);
    if (f->notice[i].kind == NOTICE_LARGE && large++ < NAMED_MOST)
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", f->notice[i].text);
  }
  if (large)
    console_note("%zu function%s %s too large to follow: %s%s", large, large == 1 ? "" : "s",
                 large == 1 ? "was" : "were", names, large > NAMED_MOST ? ", ..." : "");
}

static void tell_sum(const struct linting *l, size_t new)
{
  char time[COUNT_SIZE], partly[COUNT_SIZE + 64] = "", lost[COUNT_SIZE + 64] = "", taken_back[2 * COUNT_SIZE + 64] = "";
  if (l->gather.partly)
    snprintf(partly, sizeof partly, ", %zu of them not whole (see their errors)", l->gather.partly);
  if (l->gather.lost)
    snprintf(lost, sizeof lost, ", %zu lost", l->gather.lost);
  const size_t loops = findings_in(&l->findings, FINDING_BOUNDED), known = findings_in(&l->findings, FINDING_KNOWN),
               quiet = findings_in(&l->findings, FINDING_SUPPRESSED);
  if (quiet)
    snprintf(taken_back, sizeof taken_back, "; %zu suppressed", quiet);
  if (known)
    snprintf(taken_back + strlen(taken_back), sizeof taken_back - strlen(taken_back), "%s %zu in the baseline",
             quiet ? "," : ";", known);
  console_line("%zu finding%s; %zu loop%s with a bound%s; %zu source%s read%s%s in %s", new, new == 1 ? "" : "s", loops,
               loops == 1 ? "" : "s", taken_back, l->gather.read + l->gather.cached,
               l->gather.read + l->gather.cached == 1 ? "" : "s", partly, lost,
               format_seconds(now_seconds() - l->started, time));
}

static int analyse(struct linting *l)
{
  if (!lint_run(&l->program, &l->choice, &l->findings)) {
    console_error("no memory left");
    return STATUS_FAILED;
  }
  if (!sift(l)) {
    console_error("%s", l->error);
    return STATUS_USAGE;
  }
  const size_t new = findings_in(&l->findings, FINDING_NEW);
  const int status = new ? STATUS_BUG : l->gather.lost ? STATUS_FAILED : STATUS_OK;
  const struct lint_view view = {.findings = &l->findings,
                                 .choice = &l->choice,
                                 .words = (const char *const *)l->options->words,
                                 .word_count = l->options->word_count,
                                 .status = status,
                                 .units = l->commands.count,
                                 .cached = l->gather.cached,
                                 .lost = l->gather.lost,
                                 .partly = l->gather.partly,
                                 .seconds = now_seconds() - l->started};
  lint_lines(console_out(), &view, l->options->all, console_colour());
  tell_notices(&l->findings);
  tell_sum(l, new);
  if (status == STATUS_FAILED)
    console_error("%zu source%s could not be read, so that nothing was found does not mean that nothing is wrong",
                  l->gather.lost, l->gather.lost == 1 ? "" : "s");
  return write_results(l, &view) ? status : STATUS_FAILED;
}

static int lint(struct linting *l)
{
  int status = STATUS_FAILED;
  if (!vocabulary_open(&l->vocabulary)) {
    console_error("no memory left");
  } else if (l->options->patterns_file &&
             !vocabulary_read(&l->vocabulary, l->options->patterns_file, l->error, ERROR_SIZE)) {
    console_error("%s", l->error);
    status = STATUS_USAGE;
  } else {
    status = read_program(l);
    if (status == STATUS_OK)
      status = analyse(l);
  }
  findings_close(&l->findings);
  program_close(&l->program);
  compile_commands_free(&l->commands);
  vocabulary_close(&l->vocabulary);
  return status;
}

/* What is read from a source nests as deep as the source does: thousands of questions behind each other. */
static void make_stack_deep(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_ROOM) {
    limit.rlim_cur = limit.rlim_max < STACK_ROOM ? limit.rlim_max : STACK_ROOM;
    setrlimit(RLIMIT_STACK, &limit);
  }
}

int cmd_lint(int argc, char **argv)
{
  struct options options;
  struct linting l = {.options = &options, .started = now_seconds()};
  if (!options_parse(&options, FOR_LINT, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("lint", options.all_options);
  if (options.explain)
    return explain(&options);
  if (!read_choice(&options, &l.choice) || !result_files_check(&options))
    return STATUS_USAGE;
  deadline_set(options.seconds);
  make_stack_deep();
  if (!signals_open()) {
    console_error("there is no timer");
    return STATUS_FAILED;
  }
  return lint(&l);
}
