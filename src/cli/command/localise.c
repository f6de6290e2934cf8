/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle localise: which switch of a schedule file is to blame for its bug, and the accesses it came
 * between. */
#include "cli/command/commands.h"
#include "cli/find/blame_trials.h"
#include "cli/find/pages.h"
#include "cli/find/saved_schedule.h"
#include "cli/find/session_report.h"
#include "cli/help/help.h"
#include "cli/option/result_file.h"
#include "report/document/build_json.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>

#define LOCALISE_SECONDS 60.0
#define RANDOM_TRIALS 5 /* as the method was published */

/* The recorded bug in a traced replay, with the schedule as it ran there; NULL: an error was printed. */
static const struct session_bug *replayed_bug(const struct saved_schedule *r, const struct session_result *result)
{
  if (result->end != SESSION_DONE) {
    print_session_error(result, r->symbols);
    return NULL;
  }
  for (int fatal = 1; fatal >= 0; fatal--) /* if the file names none, one that ends the execution */
    for (size_t i = 0; i < result->bug_count; i++) {
      const struct bug *bug = &result->bugs[i].bug;
      if (bug_is_fatal(bug, &r->config) >= fatal && saved_schedule_is_same(r, result, bug) && result->bugs[i].schedule)
        return &result->bugs[i];
    }
  console_error("%s does not show %s: there is nothing to blame a switch for", r->path,
                r->file.has_bug ? "its bug" : "a bug");
  return NULL;
}

static bool save_json(const struct saved_schedule *r, const struct options *o, const struct blame *blame)
{
  bool good = true;
  char message[384], where[256];
  if (!o->json)
    return true;
  json_t *root = container(json_object(), &good);
  bug_message(&blame->story, message, sizeof message);
  bug_where(&blame->story, where, sizeof where);
  set(root, "heddle", text_value(HEDDLE_VERSION), &good);
  set(root, "command", text_value("localise"), &good);
  set(root, "program", text_value(r->target.name), &good);
  set(root, "schedule", text_value(r->path), &good);
  set(root, "kind", text_value(bug_kind_name[blame->story.bug->kind]), &good);
  set(root, "message", text_value(message), &good);
  set(root, "where", text_value(where), &good);
  blame_json(root, &blame->view, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  good = result_file_write("--json", o->json, FILE_JSON, text, text ? strlen(text) : 0);
  free(text);
  return good;
}

/* The page of the failing execution, with what is to blame. */
static bool save_page(const struct saved_schedule *r, const struct options *o, const struct blame *blame)
{
  if (!o->html)
    return true;
  const struct trace_origin origin = saved_schedule_origin(r);
  struct story story = blame->story;
  char *text = blame_json_text(&blame->view);
  story.blame = text;
  const bool good = page_file_write(o, &story, &origin);
  free(text);
  return good;
}

static uint32_t random_trials(const struct options *o)
{
  uint64_t trials = o->runs ? o->runs : RANDOM_TRIALS;
  return o->first == 0 ? 0 : trials < TRIALS_MOST ? (uint32_t)trials : TRIALS_MOST;
}

static int localise(const struct saved_schedule *r, const struct options *o, const struct session_result *result,
                    const struct session_bug *found)
{
  struct blame blame;
  bool good = blame_open(&blame, &(struct blame_request){
                                     .target = &r->target,
                                     .config = &r->config,
                                     .schedule = found->schedule,
                                     .failing = result,
                                     .bug = &found->bug,
                                     .symbols = r->symbols,
                                     .reset = o->reset,
                                     .seconds = o->seconds < 0 ? LOCALISE_SECONDS : o->seconds,
                                     .grace = o->grace,
                                     .random = random_trials(o),
                                     .all = o->all,
                                     .strict = o->strict,
                                 });
  if (good) {
    blame.story.schedule = r->path;
    story_headline(console_out(), &blame.story);
    blame_print(console_out(), &blame.view);
    good = save_json(r, o, &blame);
    good = save_page(r, o, &blame) && good;
  }
  bool known = good && blame.view.verdict != BLAME_UNFAITHFUL && blame.view.verdict != BLAME_TOO_LONG;
  blame_close(&blame);
  return known ? STATUS_OK : STATUS_FAILED;
}

int cmd_localise(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_LOCALISE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("localise", options.all_options);
  if (!result_files_check(&options))
    return STATUS_USAGE;
  struct saved_schedule saved;
  deadline_set(options.seconds);
  int status = saved_schedule_open(&saved, "localise", &options);
  if (status)
    return status;
  saved.config.seed = options.seed;
  struct session_result result;
  saved_schedule_run(&saved, &options, true, &result);
  const struct session_bug *found = replayed_bug(&saved, &result);
  status = found ? localise(&saved, &options, &result, found) : STATUS_FAILED;
  session_free(&result);
  saved_schedule_close(&saved);
  return status;
}
