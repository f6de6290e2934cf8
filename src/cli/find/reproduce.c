/* SPDX-License-Identifier: Apache-2.0
 *
 * From a bug that a search saw to one that is reported: shrink its schedule, replay it in a fresh process with a trace,
 * write the schedule file, tell the story; if asked for, make a stress test smaller and find the switch to blame. The
 * ways to replay are tried from the best to the plainest; when none shows the bug again, it is not
 * reported. */
#include "cli/command/minimise.h"
#include "cli/find/blame_trials.h"
#include "cli/find/bug_file.h"
#include "cli/find/hunt.h"
#include "cli/find/pages.h"
#include "cli/find/simplify.h"
#include "report/story/gcc_text.h"
#include "report/story/story_words.h"
#include "report/story/tried_text.h"
#include "schedule/schedule_file.h"
#include "session/console.h"
#include "strategy/schedule_replay.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHRINK_SECONDS 2.0
#define SHRINK_EXECUTIONS 3000
#define EXPLAIN_SECONDS 10.0
#define MINIMISE_SECONDS 20.0
#define CLIENT_TIMES 3 /* each way is tried, if there is a client: that one need not do twice the same */
#define ASIDES 3       /* that are told beside a bug that ends executions */

/* In which order bugs are told: calls that share a state of the library's, since a wrong value most likely comes of
 * that; those that end executions, what was seen beside them, and what is no matter of schedules. */
enum rank { RANK_CALLS, RANK_FATAL, RANK_BESIDE, RANK_CONSTANT, RANKS };

static enum rank rank_of(const struct hunt *hunt, const struct bug *bug)
{
  if (bug->kind == BUG_RACE && bug->detail == RACE_OF_CALLS)
    return RANK_CALLS;
  return bug_is_fatal(bug, &hunt->config) ? RANK_FATAL : bug->kind == BUG_EXIT ? RANK_CONSTANT : RANK_BESIDE;
}

/* ---- shrinking ---- */

/* A simpler schedule with the same bug, malloc'ed; NULL when there is none. */
static struct schedule_record *shrink_schedule(struct hunt *hunt, const struct session_bug *found)
{
  double seconds = hunt->shrink_seconds < SHRINK_SECONDS ? hunt->shrink_seconds : SHRINK_SECONDS;
  if (seconds > deadline_left() / 2) /* the replay and the story need some of it */
    seconds = deadline_left() / 2;
  if (seconds <= 0 || found->bug.kind == BUG_HANG) /* a hang must stay fair to all threads */
    return NULL;
  struct session_result result;
  struct schedule_record *best = simplify_schedule(&(struct simplify){.target = &hunt->target,
                                                                      .config = &hunt->config,
                                                                      .schedule = found->schedule,
                                                                      .key = found->bug.key,
                                                                      .seconds = seconds,
                                                                      .grace = hunt->options->grace,
                                                                      .executions = SHRINK_EXECUTIONS},
                                                   &result);
  hunt->shrink_seconds -= result.seconds;
  session_free(&result);
  if (best) { /* it is the same find, made simpler */
    best->strategy = found->schedule->strategy;
    best->execution = found->bug.execution;
  }
  return best;
}

/* ---- replaying ---- */

/* The same bug in a replay: by its key; or by kind and words, for what stops at no place of its own (a hang is cut off
 * anywhere). What is reported is always what the replay showed. */
static const struct bug *bug_in(const struct session_result *result, const struct bug *wanted)
{
  const struct bug *alike = NULL;
  for (size_t i = 0; i < result->bug_count; i++) {
    const struct bug *bug = &result->bugs[i].bug;
    if (bug->key == wanted->key)
      return bug;
    if (!alike && bug->kind == wanted->kind && !strcmp(bug->text, wanted->text))
      alike = bug;
  }
  return alike;
}

/* One way to replay. True when the bug showed, with *result for the caller to free. */
static bool replay_shows(struct hunt *hunt, const struct schedule_record *schedule, const struct bug *bug,
                         enum reset_mode reset, struct session_result *result)
{
  struct control_config config = hunt->config;
  config.replay_hang = bug->kind == BUG_HANG ? 1 + (bug->detail == 1) : 0;
  replay_schedule(&hunt->target, &config, schedule, reset, true, hunt->options->grace, result);
  return bug_in(result, bug) != NULL;
}

/* ---- one bug ---- */

static struct finding *new_finding(struct hunt *hunt)
{
  struct finding *grown = realloc(hunt->findings, (hunt->finding_count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  hunt->findings = grown;
  struct finding *finding = &grown[hunt->finding_count++];
  *finding = (struct finding){0};
  for (size_t i = 0; i + 1 < hunt->finding_count; i++) /* they moved */
    grown[i].story.bug = &grown[i].bug;
  return finding;
}

/* Keeps of a story what the documents need after its session is gone. */
static void keep_story(struct finding *finding, const struct story *story)
{
  size_t bytes = story->thread_count * sizeof *story->threads;
  for (uint32_t i = 0; i < party_count(&finding->bug); i++)
    finding->bug.party[i].holder_pc = party_holder_pc(story, &finding->bug.party[i]);
  finding->story = *story;
  finding->story.events = NULL;
  finding->story.event_count = finding->story.event_total = 0;
  finding->story.left = NULL;
  finding->story.left_count = 0;
  finding->steps = story_steps(story, &finding->story.step_count);
  finding->story.steps = finding->steps;
  finding->story.bug = &finding->bug;
  finding->threads = malloc(bytes ? bytes : 1);
  if (finding->threads)
    memcpy(finding->threads, story->threads, bytes);
  finding->story.threads = finding->threads;
  finding->story.thread_count = finding->threads ? story->thread_count : 0;
}

/* Beside a bug that ends executions, what is merely reported gets its headline: the story is in the file. */
static bool is_aside(const struct hunt *hunt, const struct bug *bug)
{
  bool fatal = false;
  for (size_t i = 0; i + 1 < hunt->finding_count; i++)
    fatal |= bug_is_fatal(&hunt->findings[i].bug, &hunt->config);
  return fatal && !bug_is_fatal(bug, &hunt->config);
}

static void print_shortly(const struct hunt *hunt, const struct story *story)
{
  story_headline(console_out(), story);
  if (!hunt->options->quiet)
    story_command(console_out(), story, "replay", "replay");
}

static void print_aside(struct hunt *hunt, const struct story *story)
{
  if (++hunt->asides <= ASIDES || hunt->options->quiet)
    print_shortly(hunt, story);
}

/* ---- explaining ---- */

/* The smallest part of a stress test that fails, with a story of its own. False: it is not known. */
static bool minimise(struct hunt *hunt, struct finding *finding, const struct story *story,
                     struct schedule_record *schedule)
{
  struct minimisation m;
  struct failure f = {.schedule = schedule,
                      .path = story->schedule,
                      .config = hunt->config,
                      .key = finding->bug.key,
                      .kind = finding->bug.kind};
  if (f.kind != BUG_RACE)
    f.config.races = RACES_IGNORE;
  if (f.kind != BUG_LEAK)
    f.config.leaks = RACES_IGNORE;
  double left = deadline_left();
  if (left <= 0 || f.kind == BUG_HANG ||
      !minimisation_open(&m, hunt->options, &hunt->target, left < MINIMISE_SECONDS ? left : MINIMISE_SECONDS))
    return false;
  print_shortly(hunt, story);
  fflush(console_out());
  bug_message(story, m.message, sizeof m.message);
  bug_where(story, m.where, sizeof m.where);
  m.report.kind = bug_kind_name[finding->bug.kind];
  bool done = minimise_failure(&m, &f) == STATUS_BUG;
  finding->minimised = done ? minimised_text(&m.report) : NULL;
  minimisation_close(&m);
  return done;
}

/* Which switch is to blame, below the story. */
static void localise(struct hunt *hunt, struct finding *finding, const struct session_result *replay,
                     const struct bug *shown)
{
  struct schedule_record *schedule = NULL;
  for (size_t i = 0; i < replay->bug_count; i++)
    if (&replay->bugs[i].bug == shown)
      schedule = replay->bugs[i].schedule;
  if (!schedule || time_is_up())
    return;
  struct blame blame;
  if (blame_open(&blame, &(struct blame_request){.target = &hunt->target,
                                                 .config = &hunt->config,
                                                 .schedule = schedule,
                                                 .failing = replay,
                                                 .bug = shown,
                                                 .symbols = hunt->symbols,
                                                 .reset = hunt->options->reset,
                                                 .seconds = EXPLAIN_SECONDS,
                                                 .grace = hunt->options->grace})) {
    if (!hunt->options->quiet && shown->kind != BUG_RACE) /* its story has said all of it */
      blame_print(console_out(), &blame.view);
    finding->blame = blame_json_text(&blame.view);
  }
  blame_close(&blame);
}

/* That it is no news. */
static void print_before(const struct seen_before *before)
{
  char date[32] = "";
  const time_t first = (time_t)(before->first / 1000);
  struct tm local;
  if (before->first && localtime_r(&first, &local) && strftime(date, sizeof date, "%Y-%m-%d %H:%M", &local))
    console_line("  known    since %s, by %llu search%s before this one", date, (unsigned long long)before->searches,
                 before->searches == 1 ? "" : "es");
}

/* The story, with the switch to blame if that is asked for. */
static void print_story(struct hunt *hunt, struct finding *finding, const struct story *story,
                        const struct session_result *replay, const struct bug *shown)
{
  FILE *out = console_out();
  const struct options *o = hunt->options;
  struct story told = *story;
  told.explained =
      o->explain && !story->warning && shown->kind != BUG_HANG; /* its schedule is long, as it must be fair */
  if (o->quiet)
    story_headline(out, story);
  else
    story_tell(out, &told);
  fflush(out);
  if (told.explained)
    localise(hunt, finding, replay, shown);
  if (o->quiet)
    return;
  story_tries(out, story);
  story_commands(out, story);
  print_before(&finding->before);
  if (hunt->target.stress_test && !story->warning)
    story_command(out, story, "smaller", "minimise");
  if (o->output == OUTPUT_FAILING)
    print_program_output(replay);
}

static bool is_race(const struct bug *bug)
{
  return bug->kind == BUG_RACE && party_count(bug) == 2 && bug->detail != RACE_OF_CALLS;
}

/* Whether a race on the same variable was told already. */
static bool is_another_race(const struct hunt *hunt, const struct finding *finding)
{
  for (size_t i = 0; i < hunt->finding_count; i++) {
    const struct finding *told = &hunt->findings[i];
    if (told != finding && is_race(&told->bug) && is_race(&finding->bug) &&
        told->bug.party[0].addr == finding->bug.party[0].addr)
      return true;
  }
  return false;
}

/* A stress test is explained by its smallest part. */
static void tell(struct hunt *hunt, struct finding *finding, const struct story *story,
                 const struct session_result *replay, const struct bug *shown, struct schedule_record *schedule)
{
  if (finding->known) {
    print_shortly(hunt, story);
    console_line("  known    it is in %s", hunt->options->baseline);
    return;
  }
  if (hunt->options->format == TOLD_AS_GCC) {
    story_gcc(console_out(), story);
    fflush(console_out());
    return;
  }
  bool smaller = hunt->options->explain && hunt->target.stress_test && !story->warning;
  if (is_aside(hunt, &finding->bug))
    print_aside(hunt, story);
  else if (!hunt->options->quiet && !hunt->options->explain && is_another_race(hunt, finding))
    story_another_race(console_out(), story);
  else if (!smaller || !minimise(hunt, finding, story, schedule))
    print_story(hunt, finding, story, replay, shown);
  fflush(console_out());
}

#define IDENTITY_SIZE (OBJECT_SIZE + 2 * 256 + 16)

/* What makes two data races one to a person: the variable and the two lines, whatever the instructions. */
static void race_identity(struct symbols *symbols, const struct bug *bug, char out[IDENTITY_SIZE])
{
  const struct story story = {.bug = bug, .symbols = symbols};
  char object[OBJECT_SIZE], place[2][256];
  describe_party_object(&story, &bug->party[0], object);
  for (size_t i = 0; i < 2; i++)
    symbols_format_place(symbols, party_pc(&story, &bug->party[i]), place[i], sizeof place[i]);
  bool swap = strcmp(place[0], place[1]) > 0;
  snprintf(out, IDENTITY_SIZE, "%s: %s and %s", object, place[swap], place[!swap]);
}

/* Whether it is told already. */
static bool is_known(const struct hunt *hunt, const struct bug *bug)
{
  char now[IDENTITY_SIZE], before[IDENTITY_SIZE];
  bool race = bug->kind == BUG_RACE && party_count(bug) == 2 && hunt->symbols;
  if (race)
    race_identity(hunt->symbols, bug, now);
  for (size_t i = 0; i < hunt->finding_count; i++) {
    const struct bug *told = &hunt->findings[i].bug;
    if (told->key == bug->key)
      return true;
    if (!race || told->kind != BUG_RACE || party_count(told) != 2)
      continue;
    race_identity(hunt->symbols, told, before);
    if (!strcmp(now, before))
      return true;
  }
  return false;
}

/* Whether a person does not want to be told of it. key: as the search knows the bug. */
static bool is_suppressed(struct hunt *hunt, const struct story *story, uint64_t key)
{
  for (size_t i = 0; i < hunt->left_out_count; i++)
    if (hunt->left_out[i].key == key)
      return true;
  if (!suppressions_fit(&hunt->suppressions, story))
    return false;
  struct left_out *grown = realloc(hunt->left_out, (hunt->left_out_count + 1) * sizeof *grown);
  if (!grown)
    return true;
  hunt->left_out = grown;
  struct left_out *now = &grown[hunt->left_out_count++];
  *now = (struct left_out){key, bug_identity(story, "")};
  const struct left_out *same = grown;
  while (strcmp(same->identity.exact, now->identity.exact))
    same++;
  hunt->suppressed += same == now;
  return true;
}

static void report(struct hunt *hunt, const struct session_bug *found, const struct session_result *replay,
                   struct schedule_record *schedule)
{
  char error[256];
  const struct bug *shown = bug_in(replay, &found->bug);
  if (!hunt->symbols)
    hunt->symbols = symbols_open(hunt->target.path, error, sizeof error);
  symbols_from_control(hunt->symbols, replay->control);
  if (is_known(hunt, shown))
    return;
  const struct story shown_story = story_from_session(replay, shown, hunt->symbols);
  if (is_suppressed(hunt, &shown_story, found->bug.key))
    return;
  struct finding *finding = new_finding(hunt);
  if (!finding) {
    console_error("no memory left");
    return;
  }
  finding->bug = *shown;
  finding->bug.execution = found->bug.execution;
  finding->bug.detectors |= found->bug.detectors;
  finding->bug.constant = found->bug.constant;
  if (rank_of(hunt, &finding->bug) == RANK_CONSTANT)
    snprintf(finding->bug.text, sizeof finding->bug.text,
             "the program ended with exit status %lld, whatever the schedule; if that is right, say so with "
             "--exit-status any",
             (long long)finding->bug.detail);
  finding->preemptions = schedule_preemptions(schedule);
  struct story story = story_from_session(replay, &finding->bug, hunt->symbols);
  story.executions = found->bug.execution + 1;
  story.warning = !bug_is_fatal(&finding->bug, &hunt->config);
  finding->path = hunt_write_schedule(hunt, &story, schedule, replay->instrumented, &finding->before);
  finding->known = hunt_is_in_baseline(hunt, &story);
  story.schedule = finding->path;
  story.tried = finding->tried = tried_text(&story, replay->control, &found->tried);
  story.client = hunt->target.client;
  story.page = finding->page = time_is_up() ? NULL : hunt_page_path(hunt, finding->path);
  tell(hunt, finding, &story, replay, shown, schedule);
  deadline_bug_told();
  story.blame = finding->blame;
  story.minimised = finding->minimised;
  if (!hunt_write_page(hunt, &story)) {
    free(finding->page);
    story.page = finding->page = NULL;
  }
  keep_story(finding, &story);
}

static void print_no_time(const struct session_bug *found, const char *message)
{
  console_error("not reported: \"%s\" in execution %llu was not replayed, %s", message,
                (unsigned long long)found->bug.execution + 1,
                interrupt_count() ? "since heddle was interrupted" : "since the time was up; give it more --time");
}

/* Why a fresh process goes another way. One that heddle puts back differs from it where heddle is wrong. */
static const char *why_unreproduced(const struct hunt *hunt, bool only_there, enum reset_mode found_by, char *out,
                                    size_t size)
{
  if (hunt->target.client)
    return "its client runs uncontrolled";
  if (!only_there)
    return "the program is nondeterministic under control";
  snprintf(out, size, "it shows only where the program is put back by %s, so search with --reset exec",
           reset_name[found_by]);
  return out;
}

static void print_unreproduced(struct hunt *hunt, const struct session_bug *found, const struct session_result *replay,
                               bool only_there, enum reset_mode found_by)
{
  char error[256], message[384], other[384], place[256] = "", why[128];
  hunt->unreproduced++;
  struct symbols *symbols = symbols_open(hunt->target.path, error, sizeof error);
  symbols_from_control(symbols, replay->control);
  struct story story = {.bug = &found->bug, .symbols = symbols};
  bug_message(&story, message, sizeof message);
  if (seconds_to_finish() <= 0 || replay->end == SESSION_TIME || replay->end == SESSION_INTERRUPTED) {
    print_no_time(found, message);
    symbols_close(symbols);
    return;
  }
  if (replay->error_pc)
    symbols_format_place(symbols, replay->error_pc, place, sizeof place);
  const char *instead = *replay->error ? replay->error : "the program went another way and passed";
  if (!*replay->error && replay->bug_count) {
    story.bug = &replay->bugs[0].bug;
    bug_message(&story, other, sizeof other);
    instead = other;
  }
  console_error("not reported: \"%s\" in execution %llu does not show again in a fresh process: %s; "
                "instead: %s%s%s",
                message, (unsigned long long)found->bug.execution + 1,
                why_unreproduced(hunt, only_there, found_by, why, sizeof why), instead, *place ? ", at " : "", place);
  symbols_close(symbols);
}

/* Whether it shows where it was found, though not in a fresh process. */
static bool shows_where_found(struct hunt *hunt, const struct session_bug *found, enum reset_mode found_by)
{
  if (found_by == RESET_EXEC || hunt->target.client || seconds_to_finish() <= 0)
    return false;
  struct session_result replay = {0};
  bool shown = replay_shows(hunt, found->schedule, &found->bug, found_by, &replay);
  session_free(&replay);
  return shown;
}

/* The shrunk schedule first, then the one that was found. */
static void reproduce_bug(struct hunt *hunt, const struct session_bug *found, enum reset_mode found_by, bool shrink)
{
  if (!found->schedule || found->schedule->segments > REPLAY_SEGMENTS) {
    console_note("a bug in execution %llu is not reported: its schedule is too long to be kept",
                 (unsigned long long)found->bug.execution + 1);
    hunt->unreproduced++;
    return;
  }
  struct schedule_record *shrunk = shrink ? shrink_schedule(hunt, found) : NULL;
  struct schedule_record *schedules[] = {shrunk, found->schedule};
  struct session_result replay = {0};
  bool shown = false;
  size_t count = sizeof schedules / sizeof schedules[0], times = hunt->target.client ? CLIENT_TIMES : 1;
  for (size_t n = 0; n < count * times && !shown && seconds_to_finish() > 0; n++) {
    struct schedule_record *schedule = schedules[n / times];
    if (!schedule)
      continue;
    session_free(&replay);
    shown = replay_shows(hunt, schedule, &found->bug, RESET_EXEC, &replay);
    if (shown)
      report(hunt, found, &replay, schedule);
  }
  if (!shown)
    print_unreproduced(hunt, found, &replay, shows_where_found(hunt, found, found_by), found_by);
  session_free(&replay);
  free(shrunk);
}

/* Whether there is time for it: one bug is always worth a last moment. */
static bool is_in_time(const struct hunt *hunt, enum rank rank)
{
  return !time_is_up() || (seconds_to_finish() > 0 && (rank <= RANK_FATAL || !hunt->finding_count));
}

/* Whether it is suppressed, as far as that can be told without a replay. */
static bool is_left_out(struct hunt *hunt, const struct session_result *result, const struct session_bug *found)
{
  char error[256];
  if (!hunt->suppressions.count)
    return false;
  if (!hunt->symbols)
    hunt->symbols = symbols_open(hunt->target.path, error, sizeof error);
  symbols_from_control(hunt->symbols, result->control);
  const struct story story = {.bug = &found->bug, .symbols = hunt->symbols};
  return is_suppressed(hunt, &story, found->bug.key);
}

/* In the order in which they were found, but races on one variable together. Returns their numbers, malloc'ed; NULL: no
 * memory. */
static size_t *order_by_variable(const struct session_result *result)
{
  size_t *order = calloc(result->bug_count + 1, sizeof *order), count = 0;
  bool *taken = calloc(result->bug_count + 1, sizeof *taken);
  for (size_t i = 0; order && taken && i < result->bug_count; i++)
    for (size_t k = i; k < result->bug_count && !taken[i]; k++) {
      const struct bug *first = &result->bugs[i].bug, *bug = &result->bugs[k].bug;
      if (taken[k] || (k > i && (!is_race(first) || !is_race(bug) || first->party[0].addr != bug->party[0].addr)))
        continue;
      order[count++] = k;
      taken[k] = k > i;
    }
  if (!taken) {
    free(order);
    order = NULL;
  }
  free(taken);
  return order;
}

void hunt_reproduce_all(struct hunt *hunt, const struct session_result *result, bool shrink)
{
  enum reset_mode reset = result->reset < RESET_COUNT && result->reset ? result->reset : RESET_SNAPSHOT;
  size_t left_out = 0, *order = order_by_variable(result);
  if (!order)
    console_error("no memory left");
  for (enum rank rank = RANK_CALLS; order && rank < RANKS; rank++)
    for (size_t i = 0; i < result->bug_count; i++) {
      const struct session_bug *found = &result->bugs[order[i]];
      if (rank_of(hunt, &found->bug) != rank || is_known(hunt, &found->bug) || is_left_out(hunt, result, found))
        continue;
      if (is_in_time(hunt, rank))
        reproduce_bug(hunt, found, reset, shrink);
      else
        left_out++;
    }
  free(order);
  if (hunt->asides > ASIDES && !hunt->options->quiet)
    console_line("and %zu more, in %s", hunt->asides - ASIDES, hunt->files.folder);
  hunt->asides = 0;
  hunt->unreproduced += left_out;
  if (left_out)
    console_note("%zu more thing%s seen in executions, but the time was up before %s could be replayed", left_out,
                 left_out == 1 ? " was" : "s were", left_out == 1 ? "it" : "they");
  if (result->bugs_left_out)
    console_note("there were more data races and leaks than the %d that are kept", CONTROL_ASIDES);
}
