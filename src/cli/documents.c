/* SPDX-License-Identifier: Apache-2.0
 *
 * Files about many tests, see the header.
 */
#include "cli/documents.h"
#include "cli/hunt.h"
#include "cli/say.h"
#include "trace/atomic_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is there and is no XML was hardly meant: `--junit all.suite`. */
static bool check_junit(const char *path)
{
  char first = '<';
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd < 0)
    return true;
  ssize_t n = read(fd, &first, 1);
  bool folder = n < 0 && errno == EISDIR;
  close(fd);
  if (folder)
    say_error("--junit: %s is a folder", path);
  else if (first != '<')
    say_error("--junit: %s is there and is no XML; it was not overwritten", path);
  return !folder && first == '<';
}

bool documents_check(const struct options *o)
{
  if (o->junit && !strcmp(o->junit, "-"))
    say_error("--junit takes a file; standard output is for the table or for --tap");
  else if (o->tap && o->json && !strcmp(o->json, "-"))
    say_error("--tap and --json - both need standard output");
  else
    return check_json_path(o->json) && check_junit(o->junit);
  return false;
}

static bool write_file(const char *option, const char *path, const char *text)
{
  char error[512] = "no memory left";
  bool done;
  if (text && !strcmp(path, "-"))
    done = fputs(text, stdout) >= 0; /* main looks whether it could be written */
  else
    done = text && atomic_file_write(path, text, strlen(text), error, sizeof error);
  if (!done)
    say_error("%s: %s", option, error);
  return done;
}

bool documents_write(const struct options *o, const struct suite_report *report)
{
  bool good = true;
  if (o->json) {
    char *text = suite_json(report);
    good = write_file("--json", o->json, text);
    free(text);
  }
  if (o->junit) {
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (f)
      suite_junit(f, report);
    bool whole = f && !ferror(f);
    if (f && fclose(f) != 0)
      whole = false;
    good &= write_file("--junit", o->junit, whole ? text : NULL);
    free(text);
  }
  return good;
}

/* Tests get none: whatever ours is, the first one would take it from the others. */
bool drop_input(void)
{
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && dup2(fd, 0) == 0;
  if (!good)
    say_error("/dev/null cannot be opened: %s", strerror(errno));
  if (fd > 0)
    close(fd);
  return good;
}
