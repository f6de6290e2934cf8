/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of a hunt: opening the program, searching, and the end with its JSON document. What is done with a found
 * bug is in reproduce.c.
 */
#include "cli/find/hunt.h"
#include "cli/compile/cc.h"
#include "cli/compile/side_files.h"
#include "cli/find/bug_file.h"
#include "cli/find/cluster_hunt.h"
#include "cli/find/corpus_folder.h"
#include "cli/find/known_bugs.h"
#include "cli/find/ordering_notes.h"
#include "cli/find/pages.h"
#include "cli/find/property_notes.h"
#include "cli/find/specifications.h"
#include "cli/option/flags.h"
#include "cli/option/result_file.h"
#include "core/changed.h"
#include "debuginfo/watch_list.h"
#include "session/child.h"
#include "session/console.h"
#include "session/losses.h"
#include "session/samples.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHRINK_SECONDS_IN_ALL 10.0
#define SUPPRESSIONS "heddle.supp"

bool watch_calls(struct control_config *config, const char *program, const char *list)
{
  char error[256];
  if (!list || watch_list(program, list, config, error, sizeof error))
    return true;
  console_error("--calls: %s", error);
  return false;
}

size_t hunt_news(const struct hunt *hunt)
{
  size_t news = 0;
  for (size_t i = 0; i < hunt->finding_count; i++)
    news += !hunt->findings[i].known;
  return news;
}

const char *hunt_no_bug(const struct hunt *hunt)
{
  return hunt->finding_count || hunt->left_out_count ? "no other bug" : "no bug";
}

/* ---- documents ---- */

struct json_bug json_bug_of(const struct finding *finding)
{
  return (struct json_bug){.story = &finding->story,
                           .preemptions = finding->preemptions,
                           .replayed = true,
                           .known = finding->known,
                           .first_seen = finding->before.first,
                           .blame = finding->blame,
                           .minimised = finding->minimised};
}

bool write_json(const struct options *options, struct json_document *document)
{
  char error[1024];
  if (!options->json)
    return true;
  document->version = HEDDLE_VERSION;
  if (json_write(document, options->json, error, sizeof error))
    return true;
  console_error("%s", error);
  return false;
}

bool write_sarif(const struct options *options, const struct sarif_part *parts, size_t count, int status)
{
  if (!options->sarif)
    return true;
  char *text = sarif_format(&(struct sarif_log){.words = (const char *const *)options->words,
                                                .word_count = options->word_count,
                                                .status = status,
                                                .parts = parts,
                                                .part_count = count});
  bool written = result_file_write("--sarif", options->sarif, FILE_SARIF, text, text ? strlen(text) : 0);
  free(text);
  return written;
}

/* ---- opening ---- */

/* With the options that builds use (CFLAGS and its kin). Not 0: an error was printed. */
static int compile_with_flags(struct hunt *hunt)
{
  const struct options *o = hunt->options;
  char error[512] = "no memory left";
  size_t count;
  char **words = sources_and_libraries(o->operands, o->operand_count, &count);
  bool done = words && flags_to_compiler(o->operands, o->operand_count) &&
              compile_sources(words, count, hunt->files.program, o->quiet, error, sizeof error) == 0;
  free(words);
  if (done)
    return 0;
  console_error("%s", error);
  outfiles_drop_program(&hunt->files);
  return STATUS_USAGE;
}

/* What the person does not want to be told. A search goes on behind what would end it. False: an error was printed. */
static bool open_lists(struct hunt *hunt)
{
  char error[512];
  const struct options *o = hunt->options;
  const char *path = o->suppressions ? o->suppressions : access(SUPPRESSIONS, F_OK) == 0 ? SUPPRESSIONS : NULL;
  if ((path && !suppressions_read(&hunt->suppressions, path, error, sizeof error)) ||
      (o->baseline && !baseline_read(&hunt->baseline, o->baseline, error, sizeof error))) {
    console_error("%s", error);
    return false;
  }
  uint32_t ending = suppressions_kinds(&hunt->suppressions) | hunt->baseline.kinds;
  if (hunt->config.races != RACES_FAIL)
    ending &= ~(1u << BUG_RACE);
  if (hunt->config.leaks != RACES_FAIL)
    ending &= ~(1u << BUG_LEAK);
  hunt->config.keep_going |= ending != 0;
  return true;
}

/* With --build, once, however many programs are hunted in. False: an error was printed. */
static bool build_program(const struct options *o)
{
  static bool built;
  if (!o->build || built)
    return true;
  built = true;
  console_line("build    %s", o->build);
  fflush(console_out());
  char *argv[] = {"sh", "-c", (char *)o->build, NULL};
  struct child child = {.path = "/bin/sh", .argv = argv, .envp = environ};
  int status = 127 << 8;
  const pid_t pid = child_spawn(&child);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (status)
    console_error("--build: %s failed (status %d)", o->build, WIFEXITED(status) ? WEXITSTATUS(status) : status);
  return !status;
}

static int compile(struct hunt *hunt)
{
  const struct options *o = hunt->options;
  char banner[BANNER_SIZE];
  for (size_t i = 0; i < o->operand_count; i++)
    if (access(o->operands[i], R_OK) != 0) {
      console_error("%s: %s", o->operands[i], errno == ENOENT ? "no such source file" : strerror(errno));
      return STATUS_USAGE;
    }
  if (!outfiles_reserve_program(&hunt->files))
    return STATUS_USAGE;
  int status = compile_with_flags(hunt);
  if (status)
    return status;
  hunt_keep_program(hunt);
  compiler_banner(o->operands, o->operand_count, banner);
  if (o->operand_count == 1)
    console_line("compiled %s (%s, instrumented)", o->operands[0], banner);
  else
    console_line("compiled %s and %zu more (%s, instrumented)", o->operands[0], o->operand_count - 1, banner);
  fflush(console_out());
  return 0;
}

/* All operands are sources, or there is one program. */
static int check_operands(const struct hunt *hunt, bool sources, bool *compiling)
{
  const struct options *o = hunt->options;
  size_t source_count = 0;
  for (size_t i = 0; i < o->operand_count; i++)
    source_count += is_source_file(o->operands[i]) || (i && is_schedule_file(o->operands[i]));
  *compiling = sources && source_count == o->operand_count && source_count > 0;
  if (!o->operand_count) {
    console_error("%s needs a program%s: heddle %s PROGRAM [-- ARGUMENTS]", hunt->command,
                  sources ? " or source files" : "", hunt->command);
    return STATUS_USAGE;
  }
  if (!sources && source_count) {
    console_error("%s takes a program, not source files; build it with heddle cc, or use heddle check %s",
                  hunt->command, o->operands[0]);
    return STATUS_USAGE;
  }
  if (!*compiling && o->operand_count > 1) {
    console_error("\"%s\" is one too many: %s takes one program%s; the program's own arguments stand after --",
                  o->operands[1], hunt->command, sources ? " or source files" : "");
    return STATUS_USAGE;
  }
  return 0;
}

int hunt_open(struct hunt *hunt, const char *command, const struct options *options, bool sources)
{
  *hunt = (struct hunt){
      .command = command, .options = options, .shrink_seconds = SHRINK_SECONDS_IN_ALL, .started = now_on_calendar()};
  config_from_options(&hunt->config, options);
  bool compiling;
  int status = check_operands(hunt, sources, &compiling);
  if (status)
    return status;
  if (options->client && options->jobs > 1) {
    console_error("--client goes with one process at a time (-j1): its server's address is for one of them");
    return STATUS_USAGE;
  }
  if (options->init && (options->jobs > 1 || (options->reset != RESET_AUTO && options->reset != RESET_EXEC))) {
    console_error(
        "--init goes with one process at a time (-j1), and with a fresh one for each execution (--reset exec)");
    return STATUS_USAGE;
  }
  outfiles_init(&hunt->files, options->out, options->operands[0]);
  if (!result_files_check(options) || !outfiles_check(&hunt->files) || !open_lists(hunt) || !build_program(options)) {
    hunt_close(hunt);
    return STATUS_USAGE;
  }
  if (compiling && (status = compile(hunt)) != 0) {
    hunt_close(hunt);
    return status;
  }
  const char *program = compiling ? hunt->files.program : options->operands[0];
  if (!target_open(&hunt->target, program, options->args, options->arg_count) || !target_read_stdin(&hunt->target)) {
    hunt_close(hunt);
    return STATUS_USAGE;
  }
  hunt->target.label = options->operands[0];
  snprintf(hunt->title, sizeof hunt->title, "heddle %s %s", command, options->operands[0]);
  hunt->search = (struct live_search){.title = hunt->title, .started = now_seconds(), .limit = options->seconds};
  hunt->target.client = options->client;
  hunt->target.init = options->init;
  if (hunt->target.stress_test && !options->max_steps)
    hunt->config.max_steps = STRESS_STEPS;
  if (!watch_calls(&hunt->config, hunt->target.path, options->calls) ||
      !properties_open(&hunt->config, &hunt->target, options->spec, options->specs) ||
      !changed_since_open(&hunt->changed, options->changed, heuristic_name(options->heuristic), &hunt->target)) {
    hunt_close(hunt);
    return STATUS_USAGE;
  }
  if (options->who != FOR_SUITE)
    changed_since_print(&hunt->changed);
  return 0;
}

void hunt_close(struct hunt *hunt)
{
  if (!hunt->finding_count)
    outfiles_drop_program(&hunt->files); /* nothing refers to it */
  for (size_t i = 0; i < hunt->finding_count; i++) {
    free(hunt->findings[i].threads);
    free(hunt->findings[i].steps);
    free(hunt->findings[i].blame);
    free(hunt->findings[i].minimised);
    free(hunt->findings[i].tried);
    free(hunt->findings[i].path);
    free(hunt->findings[i].page);
  }
  free(hunt->findings);
  suppressions_free(&hunt->suppressions);
  baseline_free(&hunt->baseline);
  free(hunt->left_out);
  live_search_free(&hunt->search);
  covered_free(&hunt->covered);
  hunt_close_corpus(hunt);
  symbols_close(hunt->symbols);
  target_close(&hunt->target);
  outfiles_free(&hunt->files);
}

/* ---- searching ---- */

static struct session_request search_request(struct hunt *hunt, double seconds)
{
  const struct options *o = hunt->options;
  hunt->search.equivalence = equivalence_name[hunt->config.equivalence];
  live_search_try(&hunt->search, (enum strategy_id)hunt->config.strategy);
  return (struct session_request){
      .target = &hunt->target,
      .config = hunt->config,
      .workers = o->jobs                   ? (unsigned)o->jobs
                 : o->output == OUTPUT_ALL ? 1
                                           : core_count(),
      .seconds = seconds,
      .grace = o->grace,
      .live = true,
      .search = o->who == FOR_SUITE ? NULL : &hunt->search, /* it goes from one to the next in slices */
      .notes = true,
      .covered = &hunt->covered,
      .pace = &hunt->pace,
  };
}

bool hunt_has_fatal_bug(const struct hunt *hunt, const struct session_result *result)
{
  bool fatal = false;
  for (size_t i = 0; i < result->bug_count; i++)
    fatal |= bug_is_fatal(&result->bugs[i].bug, &hunt->config);
  return fatal;
}

void hunt_search(struct hunt *hunt, uint64_t executions, double seconds, struct session_result *result)
{
  if (hunt->config.strategy == STRATEGY_rff && !hunt->corpus && !hunt_open_corpus(hunt, result))
    return;
  struct session_request request = search_request(hunt, seconds);
  request.config.executions = executions;
  request.corpus = hunt->corpus;
  struct samples samples = {.total = executions, .fixed = !strategy_table[hunt->config.strategy]->by_number};
  if (hunt->cluster)
    request.samples = &samples;
  cluster_hunt_use(hunt->cluster, hunt->options, &request);
  session_run(&request, result);
  samples_close(&samples);
  if (hunt->corpus && hunt->corpus->error[0])
    console_note("%s", hunt->corpus->error);
  if (hunt->options->output == OUTPUT_ALL)
    print_program_output(result);
}

static double number_or(struct scaled n, double most)
{
  double x = scaled_to_double(n);
  return x < most ? x : most;
}

static void open_symbols(struct hunt *hunt, const struct session_result *result)
{
  char error[256];
  if (!hunt->symbols)
    hunt->symbols = symbols_open(hunt->target.path, error, sizeof error);
  symbols_from_control(hunt->symbols, result->control);
}

void hunt_explore(struct hunt *hunt, struct division *division, double seconds,
                  bool (*enough)(void *, const struct division *, double), void *context, struct session_result *result)
{
  struct session_request request = search_request(hunt, seconds);
  struct forecast_answer answer;
  request.division = division;
  bool reduces = hunt->config.strategy == STRATEGY_dpor && !hunt->config.bound.kind;
  if (hunt->target.changed && hunt->config.heuristic != HEURISTIC_BASIC && !reduces)
    frontier_put_off(&division->frontier);
  request.executor = (enum executor_id)hunt->options->executor;
  cluster_hunt_use(hunt->cluster, hunt->options, &request);
  request.enough = enough;
  request.context = context;
  session_run(&request, result);
  bool resumed = hunt->options->resume || (hunt->cluster && hunt->cluster->resumes);
  if (!resumed && result->complete && properties_are_idle(&hunt->target, result)) {
    result->missed |= LOST_UNCHECKED;
    result->complete = false;
  }
  if (hunt->options->output == OUTPUT_ALL)
    print_program_output(result);
  if (result->missed & LOST_CAUSALITY) {
    open_symbols(hunt, result);
    name_uncovered(result, hunt->symbols);
  }
  double done = (double)result->executions;
  hunt->explored = result->executions;
  hunt->estimate = (struct json_estimate){done > 0, done, done, done};
  if (!result->complete && forecast_get(&division->forecast, &answer))
    hunt->estimate = (struct json_estimate){answer.known, number_or(answer.total, 1e300), number_or(answer.low, 1e300),
                                            number_or(answer.high, 1e300)};
}

/* ---- the end ---- */

static bool save_documents(struct hunt *hunt, const struct coverage_view *view, const struct session_result *result,
                           int status)
{
  const struct options *o = hunt->options;
  struct json_bug *bugs = calloc(hunt->finding_count + 1, sizeof *bugs);
  if (!bugs)
    return false;
  for (size_t i = 0; i < hunt->finding_count; i++)
    bugs[i] = json_bug_of(&hunt->findings[i]);
  struct json_document document = {
      .command = hunt->command,
      .program = hunt->target.label,
      .args = (const char *const *)hunt->target.args,
      .arg_count = hunt->target.arg_count,
      .strategy = strategy_table[hunt->config.strategy]->name,
      .changed = hunt->changed.told,
      .equivalence = hunt->config.strategy == STRATEGY_sources  ? equivalence_name[hunt->config.equivalence]
                     : hunt->config.strategy == STRATEGY_causal ? "causality"
                     : hunt->config.symmetric                   ? "order, up to symmetry"
                                                                : NULL,
      .reset = reset_name[result->reset],
      .reset_reason = *result->reset_reason ? result->reset_reason : NULL,
      .seed = hunt->config.seed,
      .executions = result->executions,
      .blocked_executions = result->blocked,
      .cut_executions = result->cut,
      .estimate = hunt->estimate,
      .complete = status != STATUS_FAILED && !hunt->unreproduced && result->executions &&
                  (result->complete ||
                   (result->exhausted && result->max_threads <= 1 && !result->missed && !hunt->finding_count)),
      .losses = result->missed,
      .found_before = hunt->found_before,
      .instrumented = result->instrumented,
      .unseen_modules = result->unhooked,
      .steps = result->steps,
      .asking = result->asking,
      .planned = result->planned,
      .seconds = result->seconds,
      .bugs = bugs,
      .bug_count = hunt->finding_count,
      .suppressed = hunt->suppressed,
      .pace = &hunt->pace,
      .predictions = hunt->predictions,
      .coverage = view,
      .error = *result->error ? result->error : NULL,
  };
  struct sarif_part part = {NULL, &document};
  bool saved = write_json(o, &document);
  saved &= write_sarif(o, &part, 1, status);
  hunt_write_overview(hunt, &document);
  free(bugs);
  return saved;
}

/* What all executions together show, and the document. Returns the status, which may have become worse. */
static int finish_coverage(struct hunt *hunt, const struct session_result *result, int status)
{
  const struct options *o = hunt->options;
  struct coverage_view view = {.covered = &hunt->covered, .sets = o->coverage, .program = hunt->target.path};
  struct call_site *sites = NULL;
  if (o->coverage) {
    open_symbols(hunt, result);
    view.symbols = hunt->symbols;
    view.sites = sites = call_sites(hunt->target.path, &view.site_count);
    if (!o->quiet)
      coverage_print(console_out(), &view);
  }
  if (!o->quiet || !hotspots_met(&hunt->covered))
    hotspots_print(console_out(), &hunt->covered);
  if (status == STATUS_OK && !hotspots_met(&hunt->covered)) {
    console_error("a hotspot that should be reached sometimes was not; is the search too short, or the test blind?");
    status = STATUS_BUG;
  }
  if (!save_documents(hunt, &view, result, status) && status == STATUS_OK)
    status = STATUS_FAILED;
  free(sites);
  return status;
}

/* How many bugs were not told, and which lines of the list are of no use any more. */
static void print_suppressed(const struct hunt *hunt)
{
  const struct suppressions *s = &hunt->suppressions;
  char lines[256] = "";
  size_t unused = 0;
  for (size_t i = 0; i < s->count; i++) {
    const size_t n = strlen(lines);
    if (s->rule[i].used)
      continue;
    if (n + 24 < sizeof lines)
      snprintf(lines + n, sizeof lines - n, "%s%zu", unused ? ", " : "", s->rule[i].line);
    unused++;
  }
  if (hunt->suppressed)
    console_line("%zu bug%s suppressed by %s", hunt->suppressed, hunt->suppressed == 1 ? "" : "s", s->path);
  if (unused)
    console_note("%s: %zu of %zu suppressions fitted nothing in this search: line%s %s", s->path, unused, s->count,
                 unused == 1 ? "" : "s", lines);
}

/* Why the search is not complete, after `before`; empty if it is, or if the verdict has said it. */
static const char *why_not_complete(const struct hunt *hunt, const struct session_result *r, char out[LOSS_TEXT])
{
  *out = '\0';
  if (r->complete && !hunt->unreproduced)
    return "complete";
  if (r->end == SESSION_TIME)
    return "not complete: the time was up";
  if (r->end == SESSION_INTERRUPTED)
    return "not complete: interrupted";
  if (hunt_news(hunt) && !hunt->config.keep_going)
    return "not complete: it ended at the first bug";
  if (r->missed)
    return loss_text(r, "not complete: ", out);
  return r->finished ? "not complete" : "not complete: samples";
}

static void print_planned(const struct planned *p)
{
  char count[COUNT_SIZE], shown[COUNT_SIZE], subsumed[COUNT_SIZE];
  console_line("planned %s execution%s, of which %s showed what %s to show; %s plan%s subsumed by other executions",
               format_count(p->executions, count), p->executions == 1 ? "" : "s",
               p->shown == p->executions ? "all" : format_count(p->shown, shown),
               p->shown == 1 ? "it was" : "they were", format_count(p->subsumed, subsumed),
               p->subsumed == 1 ? " was" : "s were");
}

void hunt_print_search(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE], rate[COUNT_SIZE], steps[COUNT_SIZE], tried[256], why[LOSS_TEXT];
  char asking[COUNT_SIZE + 32] = "", asked[COUNT_SIZE];
  const double per_second = r->seconds > 0 ? (double)r->executions / r->seconds : 0;
  if (!r->executions || r->max_threads <= 1) /* there was nothing to search */
    return;
  if (r->asking > 0)
    snprintf(asking, sizeof asking, ", %s of it to find out what to run", format_seconds(r->asking, asked));
  console_line("searched %s execution%s in %s (%s/s%s) by %s, put back by %s; at most %llu thread%s, %s step%s; %s",
               format_count(r->executions, count), r->executions == 1 ? "" : "s", format_seconds(r->seconds, seconds),
               format_count((uint64_t)per_second, rate), asking, live_search_tried(&hunt->search, tried, sizeof tried),
               reset_name[r->reset < RESET_COUNT ? r->reset : RESET_AUTO], (unsigned long long)r->max_threads,
               r->max_threads == 1 ? "" : "s", format_count(r->max_steps, steps), r->max_steps == 1 ? "" : "s",
               why_not_complete(hunt, r, why));
  if (r->planned.executions)
    print_planned(&r->planned);
  if (hunt->options->verbose)
    hunt_print_corpus(hunt, r);
}

/* Why nothing was tested at all. */
static void print_no_execution(struct hunt *hunt, const struct session_result *result)
{
  char seconds[COUNT_SIZE], count[COUNT_SIZE], where[640] = "", why[LOSS_TEXT];
  const struct control *control = result->control;
  format_seconds(result->seconds, seconds);
  format_count(result->cut, count);
  if (result->assumed)
    console_error("%s: no execution meets its assumptions (hd_assume): %s %s cut short, and nothing was tested",
                  hunt->target.label, count, result->cut == 1 ? "was" : "were");
  else if (result->likely_outside) {
    open_symbols(hunt, result);
    print_outside(result->likely_outside, hunt->symbols);
  } else if (result->cut)
    console_error("%s: no execution came to its end: %s %s cut short, and nothing was tested; give it more --max-steps",
                  hunt->target.label, count, result->cut == 1 ? "was" : "were");
  else if (control && control->state == WORKER_STARTING)
    console_error("%s did not get to main() in %s; does a constructor block?", hunt->target.label, seconds);
  else if (result->end == SESSION_TIME && hunt->options->cluster)
    console_error(
        "no worker came to the end of one execution of %s in %s; is there one (heddle worker %s), and does it "
        "take part? Else give it more --time",
        hunt->target.label, seconds, hunt->options->cluster);
  else if (result->end == SESSION_TIME) {
    if (*result->stands_at)
      snprintf(where, sizeof where, " (%s)", result->stands_at);
    console_error("%s did not come to the end of one execution in %s%s; give it more --time", hunt->target.label,
                  seconds, where);
  } else
    console_error("%s did not come to the end of one execution%s", hunt->target.label, loss_text(result, ": ", why));
}

int hunt_finish(struct hunt *hunt, const struct session_result *result)
{
  int status = STATUS_OK;
  if (result->end == SESSION_FAILED || result->end == SESSION_DIVERGED) {
    if (!hunt->symbols && result->error_pc)
      open_symbols(hunt, result);
    print_session_error(result, hunt->symbols);
    status = result->status;
  } else if (result->end == SESSION_INTERRUPTED) {
    char count[COUNT_SIZE];
    console_error("interrupted after %s execution%s%s", format_count(result->executions, count),
                  result->executions == 1 ? "" : "s", hunt->finding_count ? "" : "; nothing was found so far");
    status = STATUS_FAILED;
  } else if (hunt->unreproduced) {
    status = STATUS_FAILED;
  } else if (result->outside && !hunt->finding_count) {
    open_symbols(hunt, result);
    print_outside(result->outside, hunt->symbols);
    status = STATUS_FAILED;
  } else if (!result->executions && !hunt->finding_count) {
    print_no_execution(hunt, result);
    status = STATUS_FAILED;
  }
  if (hunt->target.client && status == STATUS_OK && !(result->missed & LOST_CLIENT))
    console_note("the client was not started: the program never waited for anybody outside");
  if (hunt_news(hunt) || (hunt->found_before && status == STATUS_OK))
    status = STATUS_BUG;
  if (status == STATUS_OK)
    print_ordering_notes(result);
  if (status == STATUS_OK && hunt->options->spec && !hunt->options->resume)
    print_property_notes(&hunt->config, &hunt->target, hunt->options->spec, result);
  print_suppressed(hunt);
  return finish_coverage(hunt, result, status);
}
