/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages in files, see the header.
 */
#include "cli/pages.h"
#include "cli/result_file.h"
#include "report/page.h"
#include "trace/atomic_file.h"
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

bool page_file_check(const struct options *o)
{
  return result_file_check("--html", o->html, RESULT_HTML);
}

bool page_file_write(const struct options *o, const struct story *story, const struct trace_origin *origin)
{
  if (!o->html)
    return true;
  struct text text = execution_page(story, origin);
  bool written = result_file_write("--html", o->html, text.data, text.bytes);
  free(text.data);
  return written;
}

static bool wanted(const struct hunt *hunt)
{
  return !hunt->options->no_page && !hunt->options->quiet;
}

/* Takes the text. */
static bool write_file(const char *path, struct text text)
{
  char error[512] = "no memory left";
  bool written = text.data && atomic_file_write(path, text.data, text.bytes, error, sizeof error);
  if (!written)
    say_error("the page %s was not written: %s", path, error);
  free(text.data);
  return written;
}

char *hunt_page_path(const struct hunt *hunt, const char *schedule)
{
  char *path;
  if (!wanted(hunt) || !schedule || asprintf(&path, "%.*s.html", (int)strlen(schedule) - 3, schedule) < 0)
    return NULL;
  return path;
}

bool hunt_write_page(const struct hunt *hunt, const struct story *story)
{
  const struct target *target = &hunt->target;
  const struct trace_origin origin = {.program = target->label,
                                      .args = (const char *const *)target->args,
                                      .arg_count = target->arg_count,
                                      .schedule = story->schedule};
  return !story->page || write_file(story->page, execution_page(story, &origin));
}

void hunt_write_overview(const struct hunt *hunt, const struct json_document *document)
{
  const struct options *o = hunt->options;
  const struct overview overview = {
      .document = document, .words = (const char *const *)o->words, .word_count = o->word_count};
  char *path;
  if (!wanted(hunt) || !(hunt->finding_count || o->coverage) || !outfiles_make_folder(&hunt->files) ||
      asprintf(&path, "%s/index.html", hunt->files.folder) < 0)
    return;
  if (write_file(path, overview_page(&overview)) && o->coverage && !hunt->finding_count)
    say("page     %s", path);
  free(path);
}
