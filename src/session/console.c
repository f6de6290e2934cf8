/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines for the user. Must not call into the supervisor or end the process.
 */
#include "session/console.h"
#include "report/story/story.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static struct {
  bool quiet;
  bool colour;
  bool stdout_taken;
  char last_error[2048];
} state;

double now_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool terminal_is_dumb(void)
{
  const char *term = getenv("TERM");
  return !term || !*term || !strcmp(term, "dumb");
}

static bool wants_colour(enum color_mode color, int fd)
{
  if (color != COLOR_AUTO)
    return color == COLOR_ALWAYS;
  const char *no = getenv("NO_COLOR");
  return isatty(fd) && !terminal_is_dumb() && !(no && *no);
}

void console_setup(bool quiet, bool plain, enum color_mode color, bool stdout_taken)
{
  state.quiet = quiet;
  state.stdout_taken = stdout_taken;
  state.colour = wants_colour(color, stdout_taken ? 2 : 1);
  live_setup(!quiet && !plain && isatty(2) && !terminal_is_dumb());
}

bool console_quiet(void)
{
  return state.quiet;
}

bool console_colour(void)
{
  return state.colour;
}

FILE *console_out(void)
{
  live_erase();
  return state.stdout_taken ? stderr : stdout;
}

unsigned console_width(void)
{
  struct winsize w;
  int fd = state.stdout_taken ? 2 : 1;
  if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &w) != 0)
    return 0;
  return w.ws_col;
}

/* Names of files, tests and threads may hold anything. */
static void print_line(FILE *out, const char *before, const char *format, va_list arguments)
{
  char *line;
  if (vasprintf(&line, format, arguments) < 0)
    return;
  fputs(before, out);
  print_escaped(out, line);
  fputc('\n', out);
  free(line);
}

void console_line(const char *format, ...)
{
  if (state.quiet)
    return;
  va_list arguments;
  va_start(arguments, format);
  print_line(console_out(), "", format, arguments);
  va_end(arguments);
}

static void console_stderr(const char *format, va_list arguments)
{
  live_erase();
  fflush(stdout);
  print_line(stderr, "heddle: ", format, arguments);
}

void console_note(const char *format, ...)
{
  if (state.quiet)
    return;
  va_list arguments;
  va_start(arguments, format);
  console_stderr(format, arguments);
  va_end(arguments);
}

void console_error(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(state.last_error, sizeof state.last_error, format, arguments);
  va_end(arguments);
  va_start(arguments, format);
  console_stderr(format, arguments);
  va_end(arguments);
}

const char *console_last_error(void)
{
  return state.last_error;
}

const char *format_preemptions(unsigned n, char out[COUNT_SIZE])
{
  snprintf(out, COUNT_SIZE, n == 1 ? "%u of them a preemption" : "%u of them preemptions", n);
  return out;
}

const char *format_count(uint64_t n, char out[COUNT_SIZE])
{
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
  char *to = out;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      *to++ = ',';
    *to++ = digits[i];
  }
  *to = 0;
  return out;
}

const char *format_estimate(struct scaled n, char out[COUNT_SIZE])
{
  _Static_assert(COUNT_SIZE >= SCALED_TEXT_SIZE, "a count has room for an estimate");
  const double x = scaled_to_double(n);
  return x < 1e15 ? format_count((uint64_t)x, out) : scaled_text(n, out);
}

const char *format_seconds(double seconds, char out[COUNT_SIZE])
{
  int decimals = seconds < 1 ? 2 : seconds < 10 ? 1 : 0;
  snprintf(out, COUNT_SIZE, "%.*f s", decimals, seconds);
  return out;
}

static void print_lines(FILE *out, const char *text, size_t length)
{
  while (length) {
    const char *newline = memchr(text, '\n', length);
    size_t line = newline ? (size_t)(newline - text) : length;
    char raw[1024], escaped[4096 + 16];
    size_t taken = line < sizeof raw - 1 ? line : sizeof raw - 1;
    for (size_t i = 0; i < taken; i++) /* a NUL ends a string, but not the program's line */
      raw[i] = text[i] ? text[i] : ' ';
    raw[taken] = 0;
    escape_text(raw, escaped, sizeof escaped);
    fprintf(out, "    %s%s\n", escaped, taken < line ? " ..." : "");
    size_t skip = line + (newline != NULL);
    text += skip;
    length -= skip;
  }
}

void print_indented(FILE *out, const char *text, size_t length)
{
  enum { SHOWN = 8192 }; /* of the start and of the end: a screen or two of each */
  if (length <= 2 * SHOWN) {
    print_lines(out, text, length);
    return;
  }
  const char *head = memrchr(text, '\n', SHOWN);
  size_t first = head ? (size_t)(head - text) + 1 : SHOWN;
  const char *tail = memchr(text + length - SHOWN, '\n', SHOWN);
  size_t last = tail ? length - (size_t)(tail - text) - 1 : SHOWN;
  char count[COUNT_SIZE];
  print_lines(out, text, first);
  fprintf(out, "    ... (%s bytes left out) ...\n", format_count(length - first - last, count));
  print_lines(out, text + length - last, last);
}
