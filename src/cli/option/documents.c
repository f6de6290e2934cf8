/* SPDX-License-Identifier: Apache-2.0
 *
 * Files about many tests, see the header.
 */
#include "cli/option/documents.h"
#include "cli/find/hunt.h"
#include "cli/find/pages.h"
#include "cli/option/result_file.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stdout(const char *path)
{
  return path && !strcmp(path, "-");
}

bool documents_check(const struct options *o)
{
  if (is_stdout(o->junit))
    console_error("--junit takes a file; standard output is for the table or for --tap");
  else if (o->tap && (is_stdout(o->json) || is_stdout(o->sarif)))
    console_error("--tap and --%s - both need standard output", is_stdout(o->json) ? "json" : "sarif");
  else
    return result_files_check(o);
  return false;
}

static bool write_junit(const struct options *o, const struct suite_report *report)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  if (f)
    suite_junit(f, report);
  bool whole = f && !ferror(f);
  if (f && fclose(f) != 0)
    whole = false;
  bool good = result_file_write("--junit", o->junit, FILE_JUNIT, whole ? text : NULL, bytes);
  free(text);
  return good;
}

static bool write_findings(const struct options *o, const struct suite_report *report, int status)
{
  struct sarif_part *parts = calloc(report->count + 1, sizeof *parts);
  for (size_t i = 0; parts && i < report->count; i++)
    parts[i] = (struct sarif_part){report->tests[i].name, &report->tests[i].document};
  bool good = parts && write_sarif(o, parts, report->count, status);
  free(parts);
  return good;
}

bool documents_write(const struct options *o, const struct suite_report *report, int status)
{
  bool good = true;
  if (o->json) {
    char *text = suite_json(report);
    good = result_file_write("--json", o->json, FILE_JSON, text, text ? strlen(text) : 0);
    free(text);
  }
  if (o->junit)
    good &= write_junit(o, report);
  suite_write_overview(o, report);
  return write_findings(o, report, status) && good;
}

/* Tests get none: whatever ours is, the first one would take it from the others. */
bool drop_input(void)
{
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && dup2(fd, 0) == 0;
  if (!good)
    console_error("/dev/null cannot be opened: %s", strerror(errno));
  if (fd > 0)
    close(fd);
  return good;
}
