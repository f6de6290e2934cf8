/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages in files, see the header.
 */
#include "cli/find/pages.h"
#include "cli/find/known_bugs.h"
#include "cli/option/result_file.h"
#include "file/paths.h"
#include "report/page/page.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A page as text. */
struct text {
  char *data; /* malloc'ed; NULL: there is no memory */
  size_t bytes;
};

/* Ends the writing of a text. */
static struct text finished(FILE *f, const struct text *text, bool good)
{
  bool whole = f && good && !ferror(f);
  if (f && fclose(f) != 0)
    whole = false;
  if (whole)
    return *text;
  free(text->data);
  return (struct text){0};
}

static struct text execution_page(const struct story *story, const struct trace_origin *origin)
{
  struct text text = {0};
  FILE *f = open_memstream(&text.data, &text.bytes);
  return finished(f, &text, f && page_write(f, story, origin));
}

static struct text overview_page(const struct overview *overview)
{
  struct text text = {0};
  FILE *f = open_memstream(&text.data, &text.bytes);
  return finished(f, &text, f && overview_write(f, overview));
}

bool page_file_write(const struct options *o, const struct story *story, const struct trace_origin *origin)
{
  if (!o->html)
    return true;
  struct text text = execution_page(story, origin);
  bool written = result_file_write("--html", o->html, FILE_PAGE, text.data, text.bytes);
  free(text.data);
  return written;
}

static bool wanted(const struct options *o)
{
  return !o->no_page && !o->quiet;
}

/* Takes the text. */
static bool write_file(const char *path, struct text text)
{
  char error[1024] = "no memory left";
  bool written = text.data && output_file_write(path, FILE_PAGE, text.data, text.bytes, error, sizeof error);
  if (!written)
    console_error("the page %s was not written: %s", path, error);
  free(text.data);
  return written;
}

char *hunt_page_path(const struct hunt *hunt, const char *schedule)
{
  char *path;
  if (!wanted(hunt->options) || !schedule || asprintf(&path, "%.*s.html", (int)strlen(schedule) - 3, schedule) < 0)
    return NULL;
  return path;
}

bool hunt_write_page(const struct hunt *hunt, const struct story *story)
{
  const struct target *target = &hunt->target;
  const struct trace_origin origin = {.program = target->label,
                                      .args = (const char *const *)target->args,
                                      .arg_count = target->arg_count,
                                      .schedule = story->schedule,
                                      .client = target->client};
  return !story->page || write_file(story->page, execution_page(story, &origin));
}

/* Those of the folder that this search did not see; malloc'ed. */
static struct overview_bug *earlier_bugs(const struct options *o, const struct known_bugs *known, int64_t started,
                                         size_t *count)
{
  struct overview_bug *list = calloc(known->count + 1, sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < known->count; i++) {
    const struct known_bug *bug = &known->bug[i];
    char *page = known_bugs_file(o->out, bug->name, ".html");
    if (bug->last < started)
      list[(*count)++] = (struct overview_bug){bug->name,
                                               bug->kind,
                                               bug->message,
                                               bug->where,
                                               bug_state_word[bug->state],
                                               bug->last,
                                               page && access(page, R_OK) == 0};
    free(page);
  }
  return list;
}

static bool write_index(const struct options *o, const char *path, struct overview *overview, int64_t started)
{
  char error[512];
  struct known_bugs known = {.lock = -1};
  known_bugs_open(&known, o->out, false, error, sizeof error); /* if it cannot, none are shown */
  struct overview_bug *earlier = earlier_bugs(o, &known, started, &overview->known_count);
  overview->known = earlier;
  const bool written = write_file(path, overview_page(overview));
  free(earlier);
  known_bugs_close(&known);
  return written;
}

/* Takes the document. The path, malloc'ed; NULL: none is wanted, or it could not be written, which was told. */
static char *write_overview(const struct options *o, const char *title, char *document, int64_t started)
{
  struct outfiles files = {.folder = o->out};
  struct overview overview = {
      .title = title, .document = document, .words = (const char *const *)o->words, .word_count = o->word_count};
  char *path = NULL;
  if (!wanted(o) || !document || !outfiles_make_folder(&files) || asprintf(&path, "%s/index.html", o->out) < 0)
    path = NULL;
  if (path && !write_index(o, path, &overview, started)) {
    free(path);
    path = NULL;
  }
  free(document);
  return path;
}

/* Whether there is one of an earlier search, which would be out of date. */
static bool has_index(const struct options *o)
{
  char *path = path_join(o->out, "index.html");
  const bool there = path && access(path, F_OK) == 0;
  free(path);
  return there;
}

void hunt_write_overview(const struct hunt *hunt, const struct json_document *document)
{
  const bool asked = hunt->options->coverage;
  if (!hunt->finding_count && !asked && !has_index(hunt->options))
    return;
  char *path = write_overview(hunt->options, document->program, json_format(document), hunt->started);
  if (path && !hunt->finding_count && asked)
    console_line("page     %s", path);
  free(path);
}

void suite_write_overview(const struct options *o, const struct suite_report *report)
{
  const bool found = suite_count(report, SUITE_BUG);
  if (!found && !has_index(o))
    return;
  char *path =
      write_overview(o, report->file, suite_json(report), now_on_calendar() - (int64_t)(1000 * report->seconds) - 1000);
  if (path && found && !o->tap)
    console_line("page     %s", path);
  free(path);
}
