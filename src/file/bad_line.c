/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors about lines of files; see bad_line.h.
 */
#include "file/bad_line.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

void bad_line(const struct bad_line *w, const char *format, va_list arguments)
{
  int used = w->line ? snprintf(w->error, w->error_size, "%s:%zu: ", w->name, w->line)
                     : snprintf(w->error, w->error_size, "%s: ", w->name);
  if (used >= 0 && (size_t)used < w->error_size)
    vsnprintf(w->error + used, w->error_size - (size_t)used, format, arguments);
}

struct shown show(const char *text)
{
  struct shown s;
  size_t n = 0;
  for (; *text && n < 40; text++)
    s.text[n++] = isprint((unsigned char)*text) && *text != '"' ? *text : '?';
  if (*text)
    n = (size_t)(stpcpy(s.text + 37, "...") - s.text);
  s.text[n] = '\0';
  return s;
}
