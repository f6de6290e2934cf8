/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages in files, see the header.
 */
#include "cli/find/pages.h"
#include "cli/option/result_file.h"
#include "report/page/page.h"
#include <stdlib.h>
#include <string.h>

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

/* Takes the document. The path, malloc'ed; NULL: none is wanted, or it could not be written, which was told. */
static char *write_overview(const struct options *o, const char *title, char *document)
{
  struct outfiles files = {.folder = o->out};
  const struct overview overview = {
      .title = title, .document = document, .words = (const char *const *)o->words, .word_count = o->word_count};
  char *path = NULL;
  if (!wanted(o) || !document || !outfiles_make_folder(&files) || asprintf(&path, "%s/index.html", o->out) < 0)
    path = NULL;
  if (path && !write_file(path, overview_page(&overview))) {
    free(path);
    path = NULL;
  }
  free(document);
  return path;
}

void hunt_write_overview(const struct hunt *hunt, const struct json_document *document)
{
  if (!hunt->finding_count && !hunt->options->coverage)
    return;
  char *path = write_overview(hunt->options, document->program, json_format(document));
  if (path && !hunt->finding_count)
    console_line("page     %s", path);
  free(path);
}

void suite_write_overview(const struct options *o, const struct suite_report *report)
{
  if (!suite_count(report, SUITE_BUG))
    return;
  char *path = write_overview(o, report->file, suite_json(report));
  if (path && !o->tap)
    console_line("page     %s", path);
  free(path);
}
