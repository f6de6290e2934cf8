/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a reduced test, see the header. Lines of the source keep their places (#line), so that the failure is told in
 * them; files it includes from its own folder are named by their whole path.
 */
#include "cli/find/standalone.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the source ---- */

/* A file's name between quotes, as the preprocessor reads it. */
static void print_quoted(FILE *out, const char *before, const char *name)
{
  fprintf(out, "%s\"", before);
  for (; *name; name++)
    fprintf(out, strchr("\"\\", *name) ? "\\%c" : "%c", *name);
  fputc('"', out);
}

/* Prints the line; as it is, unless it includes a file that lies beside the source. */
static void copy_line(FILE *out, const char *line, const char *folder)
{
  char name[PATH_MAX], path[2 * PATH_MAX + 2], whole[PATH_MAX];
  if (sscanf(line, " # include \"%4095[^\"]\"", name) == 1 && name[0] != '/') {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (realpath(path, whole)) {
      fprintf(out, "#include \"%s\"", whole); /* there are no escapes in it */
      line = strchr(strchr(line, '"') + 1, '"') + 1;
    }
  }
  fputs(line, out);
  if (!strchr(line, '\n'))
    fputc('\n', out);
}

static bool copy_source(FILE *out, const char *source)
{
  char error[256];
  FILE *in = input_open(source, error, sizeof error);
  if (!in)
    return false;
  char *own = strdup(source), *line = NULL;
  size_t size = 0;
  const char *folder = own ? dirname(own) : ".";
  while (getline(&line, &size, in) >= 0)
    copy_line(out, line, folder);
  bool good = !ferror(in) && own;
  fclose(in);
  free(line);
  free(own);
  return good;
}

static unsigned count_lines(const char *text, size_t bytes)
{
  unsigned lines = 0;
  for (size_t i = 0; i < bytes; i++)
    lines += text[i] == '\n';
  return lines;
}

/* ---- the calls ---- */

static uint32_t count_threads(const struct stress_calls *calls)
{
  uint32_t threads = 0;
  for (size_t i = 0; i < calls->count; i++)
    threads += !i || calls->list[i].thread != calls->list[i - 1].thread;
  return threads;
}

static void print_threads(FILE *out, const struct stress_calls *calls)
{
  for (size_t i = 0; i < calls->count; i++) {
    const struct test_call *c = &calls->list[i];
    if (!i || c[-1].thread != c->thread)
      fprintf(out, "\nstatic void *thread_%u(void *arg)\n{\n", c->thread);
    fprintf(out, "  %s(%u, %u);\n", c->operation, c->a, c->b);
    if (i + 1 == calls->count || c[1].thread != c->thread)
      fprintf(out, "  return arg;\n}\n");
  }
}

static void print_main(FILE *out, const struct stress_calls *calls)
{
  uint32_t threads = count_threads(calls), n = 0;
  fprintf(out, "\nint main(void)\n{\n  pthread_t thread[%u];\n  %s();\n", threads, calls->setup);
  for (size_t i = 0; i < calls->count; i++)
    if (!i || calls->list[i].thread != calls->list[i - 1].thread)
      fprintf(out, "  pthread_create(&thread[%u], NULL, thread_%u, NULL);\n", n++, calls->list[i].thread);
  for (uint32_t i = 0; i < threads; i++)
    fprintf(out, "  pthread_join(thread[%u], NULL);\n", i);
  fprintf(out, "  %s();\n  return 0;\n}\n", calls->check);
}

/* What would end the comment cannot stand in it. */
static void print_in_comment(FILE *out, const char *text)
{
  for (char before = 0; *text; before = *text++)
    fputc(*text == '/' && before == '*' ? '?' : *text, out);
}

static void print_head(FILE *out, char *const *sources, size_t count, const struct stress_calls *calls)
{
  char word[PATH_MAX];
  fprintf(out,
          "/* The part of a stress test that is left: %u of %u threads, %zu of %u calls, seed %llu. The test "
          "is that of\n * ",
          count_threads(calls), calls->threads, calls->count, calls->threads * calls->calls,
          (unsigned long long)calls->seed);
  print_in_comment(out, calls->file);
  fprintf(out, ", as it was; main and its threads are at the end. Written by heddle minimise.\n"
               " *\n"
               " *     heddle check");
  for (size_t i = 0; i < count; i++) {
    shell_word(sources[i], word, sizeof word);
    fputc(' ', out);
    print_in_comment(out, word);
  }
  fprintf(out, "\n */\n#define HD_STRESS_REDUCED\n");
}

bool standalone_write(char *const *sources, size_t count, const char *whole, const struct stress_calls *calls)
{
  const char *path = sources[0];
  char *text = NULL, error[512] = "no memory left";
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) {
    console_error("%s", error);
    return false;
  }
  print_head(out, sources, count, calls);
  print_quoted(out, "#line 1 ", calls->file);
  fputc('\n', out);
  bool read_it = copy_source(out, whole);
  if (!read_it)
    snprintf(error, sizeof error, "%s, the source of the test, cannot be read: %s", whole, strerror(errno));
  fflush(out);
  fprintf(out, "#line %u", count_lines(text, bytes) + 2);
  print_quoted(out, " ", path);
  fputc('\n', out);
  print_threads(out, calls);
  print_main(out, calls);
  bool written = fclose(out) == 0 && read_it && output_file_write(path, FILE_PLAIN, text, bytes, error, sizeof error);
  free(text);
  if (!written)
    console_error("%s", error);
  return written;
}
