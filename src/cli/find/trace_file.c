/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace log in a file, see the header.
 */
#include "cli/find/trace_file.h"
#include "cli/option/result_file.h"
#include <stdlib.h>

static enum trace_format resolve(enum trace_format format, const char *path)
{
  return format == TRACE_BY_NAME ? trace_format_of(path) : format;
}

bool trace_file_check(const struct options *o)
{
  if (!o->trace_file && o->trace_format != TRACE_BY_NAME) {
    console_error("--trace-format goes with --trace-file");
    return false;
  }
  return true;
}

static enum file_format file_format(enum trace_format format)
{
  return format == TRACE_TEXT ? FILE_LOG_TEXT : format == TRACE_JSON ? FILE_LOG_JSON : FILE_LOG_CHROME;
}

enum file_format trace_file_format(const struct options *o)
{
  return file_format(resolve(o->trace_format, o->trace_file));
}

bool trace_file_write(const char *path, enum trace_format format, const struct story *story,
                      const struct trace_origin *origin)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  bool whole = f && trace_write(f, resolve(format, path), story, origin) && !ferror(f);
  if (f && fclose(f) != 0)
    whole = false;
  bool written =
      result_file_write("--trace-file", path, file_format(resolve(format, path)), whole ? text : NULL, bytes);
  free(text);
  return written;
}
