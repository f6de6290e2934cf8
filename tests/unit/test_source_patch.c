/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of a source: where they stand, what the text is then, and that the diff of them, followed line by line as
 * patch(1) does, gives the same text; and how a file of the user's is changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file/output_file.h"
#include "file/source_patch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char program[] = "int counter;\n"
                              "\n"
                              "void add(void)\n"
                              "{\n"
                              "  counter++;\n"
                              "}\n"
                              "\n"
                              "int get(void)\n"
                              "{\n"
                              "  return counter;\n"
                              "}\n";

static void places(void **unused)
{
  (void)unused;
  struct source_patch p;
  source_patch_open(&p, program, strlen(program));
  assert_int_equal(source_patch_place(&p, 1, 1), 0);
  assert_int_equal(source_patch_place(&p, 2, 9), 13);
  assert_memory_equal(program + source_patch_place(&p, 5, 3), "counter++", 9);
  assert_int_equal(source_patch_place(&p, 100, 1), strlen(program));
  assert_int_equal(source_patch_line(&p, source_patch_place(&p, 5, 3)), 5);
  assert_memory_equal(program + source_patch_line_begin(&p, source_patch_place(&p, 5, 8)), "  counter++", 11);
  source_patch_close(&p);
}

static void shown(void **unused)
{
  (void)unused;
  struct source_patch p;
  size_t length;
  source_patch_open(&p, program, strlen(program));
  const size_t at = source_patch_place(&p, 5, 3);
  assert_true(source_patch_replace(&p, at, at + strlen("counter++;"), "int old = counter;\n  counter = old + 1;"));
  assert_true(source_patch_insert(&p, 0, "#include <heddle.h>\n"));
  char *text = source_patch_apply(&p, &length), *diff = source_patch_diff(&p, "a/x.c", "b/x.c");
  assert_string_equal(text, "#include <heddle.h>\n"
                            "int counter;\n"
                            "\n"
                            "void add(void)\n"
                            "{\n"
                            "  int old = counter;\n"
                            "  counter = old + 1;\n"
                            "}\n"
                            "\n"
                            "int get(void)\n"
                            "{\n"
                            "  return counter;\n"
                            "}\n");
  assert_int_equal(length, strlen(text));
  assert_string_equal(diff, "--- a/x.c\n"
                            "+++ b/x.c\n"
                            "@@ -1,8 +1,10 @@\n"
                            "+#include <heddle.h>\n"
                            " int counter;\n"
                            " \n"
                            " void add(void)\n"
                            " {\n"
                            "-  counter++;\n"
                            "+  int old = counter;\n"
                            "+  counter = old + 1;\n"
                            " }\n"
                            " \n"
                            " int get(void)\n");
  free(text);
  free(diff);
  source_patch_close(&p);
}

static void refused(void **unused)
{
  (void)unused;
  struct source_patch p;
  source_patch_open(&p, "abcdef", 6);
  assert_true(source_patch_replace(&p, 2, 4, "X"));
  assert_false(source_patch_replace(&p, 3, 5, "Y")); /* overlaps */
  assert_false(source_patch_insert(&p, 3, "Y"));
  assert_false(source_patch_insert(&p, 7, "Y")); /* not there */
  assert_true(source_patch_insert(&p, 4, "4"));
  assert_true(source_patch_insert(&p, 2, "2"));
  assert_true(source_patch_insert(&p, 2, "3")); /* behind what came before it */
  size_t length;
  char *text = source_patch_apply(&p, &length);
  assert_string_equal(text, "ab23X4ef");
  free(text);
  source_patch_close(&p);
}

static void nothing(void **unused)
{
  (void)unused;
  struct source_patch p;
  source_patch_open(&p, program, strlen(program));
  assert_true(source_patch_replace(&p, 0, 3, "int"));
  char *diff = source_patch_diff(&p, "x", "x");
  assert_string_equal(diff, "");
  free(diff);
  source_patch_close(&p);
}

/* ---- a diff is followed ---- */

static const char *line_end(const char *at)
{
  const char *end = strchr(at, '\n');
  assert_non_null(end);
  return end + 1;
}

/* Text of one line of a diff that stands in a file, without the newline if the diff says that there is none. */
static size_t line_text(const char **diff, const char **text)
{
  *text = *diff + 1;
  *diff = line_end(*diff);
  size_t n = (size_t)(*diff - *text);
  if (**diff == '\\') {
    *diff = line_end(*diff);
    n--;
  }
  return n;
}

static size_t count_lines(const char *from, const char *to)
{
  size_t lines = 0;
  for (; from < to; from++)
    lines += *from == '\n';
  return lines;
}

/* As patch(1) without any tolerance: numbers of lines and their texts must be right. */
static char *follow(const char *text, const char *diff)
{
  char *out = calloc(1, strlen(text) + strlen(diff) + 1);
  size_t n = 0;
  const char *at = text;
  if (*diff)
    diff = line_end(line_end(diff));
  while (*diff) {
    size_t line, lines, new_line, new_lines;
    assert_int_equal(sscanf(diff, "@@ -%zu,%zu +%zu,%zu @@", &line, &lines, &new_line, &new_lines), 4);
    diff = line_end(diff);
    while (count_lines(text, at) + 1 < line + (lines == 0))
      out[n++] = *at++;
    assert_int_equal(count_lines(out, out + n) + (new_lines != 0), new_line);
    for (const char *start; *diff && *diff != '@';) {
      const char sign = *diff;
      const size_t length = line_text(&diff, &start);
      lines -= sign != '+';
      new_lines -= sign != '-';
      if (sign != '+') {
        assert_memory_equal(at, start, length);
        at += length;
      }
      if (sign != '-') {
        memcpy(out + n, start, length);
        n += length;
      }
    }
    assert_int_equal(lines, 0);
    assert_int_equal(new_lines, 0);
  }
  strcpy(out + n, at);
  return out;
}

static uint32_t random_below(uint32_t *state, uint32_t n)
{
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % n;
}

static void followed(void **unused)
{
  (void)unused;
  static const char *const texts[] = {"", "x", "new\n", "two\nlines\n", "a\nb", "\n", "}\n"};
  for (uint32_t seed = 0; seed < 20000; seed++) {
    uint32_t random = seed;
    char text[200];
    size_t n = random_below(&random, 120);
    for (size_t i = 0; i < n; i++)
      text[i] = "\n\nab}"[random_below(&random, 5)];
    text[n] = 0;
    struct source_patch p;
    source_patch_open(&p, text, n);
    for (unsigned edits = random_below(&random, 6); edits; edits--) {
      const size_t from = random_below(&random, (uint32_t)n + 1);
      const size_t to = from + random_below(&random, (uint32_t)(n - from) / 4 + 1);
      source_patch_replace(&p, from, to, texts[random_below(&random, 7)]);
    }
    size_t length;
    char *edited = source_patch_apply(&p, &length), *diff = source_patch_diff(&p, "x", "x");
    assert_non_null(edited);
    assert_non_null(diff);
    char *again = follow(text, diff);
    assert_string_equal(again, edited);
    free(again);
    free(edited);
    free(diff);
    source_patch_close(&p);
  }
}

/* ---- a file of the user's ---- */

static void write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *text)
{
  char found[64] = "";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  found[fread(found, 1, sizeof found - 1, f)] = 0;
  fclose(f);
  assert_string_equal(found, text);
}

static void changed(void **unused)
{
  (void)unused;
  char folder[] = "/tmp/heddle-change-XXXXXX", path[64], error[256];
  struct stat status;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/x.c", folder);
  write_text(path, "as it was\n");
  chmod(path, 0640);
  assert_false(output_file_change(path, "another\n", 8, "new\n", 4, error, sizeof error));
  assert_non_null(strstr(error, "was changed meanwhile"));
  assert_text(path, "as it was\n");
  assert_true(output_file_change(path, "as it was\n", 10, "new\n", 4, error, sizeof error));
  assert_text(path, "new\n");
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  assert_int_equal(unlink(path), 0);
  assert_false(output_file_change(path, "", 0, "new\n", 4, error, sizeof error)); /* nothing was read from there */
  assert_int_equal(rmdir(folder), 0);                                             /* and nothing is left behind */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),  cmocka_unit_test(shown),    cmocka_unit_test(refused),
      cmocka_unit_test(nothing), cmocka_unit_test(followed), cmocka_unit_test(changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
