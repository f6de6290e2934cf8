/* SPDX-License-Identifier: Apache-2.0
 *
 * What the test frameworks have in common, see the header; and the message of a failed check, taken from the output for
 * those that print it and then stop: cmocka aborts, GoogleTest traps.
 */
#include "worlds/threads/framework/testing.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <stdlib.h>
#include <string.h>

void testing_boot(void)
{
  switch (rt.control->config.framework) {
  case FRAMEWORK_CMOCKA:
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* no handlers for crashes, and an end where a check fails */
    setenv("CMOCKA_MESSAGE_OUTPUT", "STDOUT", 1);
    break;
  case FRAMEWORK_CHECK:
    setenv("CK_FORK", "no", 1);
    break;
  case FRAMEWORK_CRITERION:
    criterion_boot();
    break;
  default:
    break;
  }
}

enum test_framework testing(void)
{
  return hd_self ? rt.control->config.framework : FRAMEWORK_NONE;
}

/* ---- names ---- */

static void list(char mark, const char *name, const char *why)
{
  char line[TEST_NAME_SIZE + 128];
  size_t n = print_text(line, sizeof line, "%c%s%s%s\n", mark, name, why ? "\t" : "", why ? why : "");
  output_write(line, n);
}

bool test_chosen(const char *group, const char *name)
{
  const struct control_config *config = &rt.control->config;
  char full[TEST_NAME_SIZE];
  print_text(full, sizeof full, "%s.%s", group, name);
  if (config->list_tests)
    list(TEST_LISTED, full, NULL);
  return !config->list_tests && (!config->test[0] || !text_compare(config->test, full));
}

void test_left_out(const char *group, const char *name, const char *why)
{
  char full[TEST_NAME_SIZE];
  print_text(full, sizeof full, "%s.%s", group, name);
  if (rt.control->config.list_tests)
    list(TEST_LEFT_OUT, full, why);
}

/* ---- failed checks, as they were printed ---- */

/* A piece of the output; none has start NULL. */
struct piece {
  const char *start, *end;
};

static struct piece printed(void)
{
  const char *start = CONTROL_AT(rt.control, CONTROL_OUTPUT_OFFSET);
  return (struct piece){start, start + rt.control->output_bytes};
}

/* The last line that ends before `end`. */
static struct piece line_before(struct piece all, const char *end)
{
  if (end > all.start && end[-1] == '\n')
    end--;
  const char *start = end;
  while (start > all.start && start[-1] != '\n')
    start--;
  return start < end || end > all.start ? (struct piece){start, end} : (struct piece){0};
}

static bool begins(struct piece p, const char *text)
{
  size_t n = strlen(text);
  return (size_t)(p.end - p.start) >= n && !strncmp(p.start, text, n);
}

static bool ends(struct piece p, const char *text)
{
  size_t n = strlen(text);
  return (size_t)(p.end - p.start) >= n && !strncmp(p.end - n, text, n);
}

static void append(char *out, size_t size, struct piece p)
{
  size_t used = strlen(out);
  while (p.start < p.end && used + 1 < size)
    out[used++] = *p.start++;
  out[used] = 0;
}

/* "0x1 != 0x2\n[   LINE   ] --- counter.c:41: error: Failure!\n" */
static bool read_cmocka(char *where, size_t where_size, char *text, size_t text_size)
{
  static const char before[] = "[   LINE   ] --- ", after[] = ": error: Failure!", error[] = "[  ERROR   ] --- ";
  struct piece all = printed(), last = line_before(all, all.end);
  if (!last.start || !begins(last, before) || !ends(last, after))
    return false;
  append(where, where_size, (struct piece){last.start + strlen(before), last.end - strlen(after)});
  struct piece message = line_before(all, last.start);
  if (message.start && begins(message, error))
    message.start += strlen(error);
  if (!message.start || message.start == message.end || begins(message, "[ "))
    print_text(text, text_size, "fail()");
  else
    append(text, text_size, message);
  return true;
}

/* "counter.cc:5: Failure\nExpected equality of these values:\n  x\n    Which is: 1\n  2\n" in one line. */
static void join_lines(char *text, size_t size, struct piece rest)
{
  static const char value[] = "Which is: ";
  const char *separator = "";
  while (rest.start < rest.end) {
    const char *newline = memchr(rest.start, '\n', (size_t)(rest.end - rest.start));
    struct piece line = {rest.start, newline ? newline : rest.end};
    rest.start = newline ? newline + 1 : rest.end;
    while (line.start < line.end && *line.start == ' ')
      line.start++;
    if (line.start == line.end)
      continue;
    bool is_value = begins(line, value);
    if (is_value)
      line.start += strlen(value);
    separator = is_value ? " = " : separator;
    append(text, size, (struct piece){separator, separator + strlen(separator)});
    append(text, size, line);
    separator = line.end[-1] == ':' ? " " : ", ";
  }
}

static bool read_googletest(char *where, size_t where_size, char *text, size_t text_size)
{
  static const char mark[] = ": Failure";
  struct piece all = printed(), line = line_before(all, all.end);
  const char *end = all.end;
  while (line.start && !ends(line, mark)) {
    end = line.start;
    line = line_before(all, line.start);
  }
  if (!line.start)
    return false;
  append(where, where_size, (struct piece){line.start, line.end - strlen(mark)});
  join_lines(text, text_size, (struct piece){end, all.end});
  return true;
}

void test_failed_as_printed(void)
{
  char where[sizeof((struct bug *)0)->where] = "", text[sizeof((struct bug *)0)->text] = "";
  enum test_framework framework = testing();
  if ((framework == FRAMEWORK_CMOCKA && read_cmocka(where, sizeof where, text, sizeof text)) ||
      (framework == FRAMEWORK_GOOGLETEST && read_googletest(where, sizeof where, text, sizeof text)))
    assertion_failed(where, text, place_in_program(0));
}
