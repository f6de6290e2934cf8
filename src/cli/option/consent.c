/* SPDX-License-Identifier: Apache-2.0
 *
 * Consent, see the header. The answer is read from the terminal itself: standard input may be the program's.
 */
#include "cli/option/consent.h"
#include "cli/find/signature.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/paths.h"
#include "file/sha256.h"
#include "report/story/story.h"
#include "report/story/terminal_text.h"
#include "session/console.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "agreed"
#define FIRST_LINE "# heddle agreed 1"
#define DIGITS (2 * SHA256_BYTES)

static void hash_of(const struct consent *c, char out[DIGITS + 1])
{
  const char *const words[] = {"heddle consent 1", c->folder, c->option, c->command};
  unsigned char bytes[SHA256_BYTES];
  struct sha256 hash;
  sha256_begin(&hash);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    sha256_add(&hash, words[i], strlen(words[i]) + 1);
  sha256_end(&hash, bytes);
  for (size_t i = 0; i < SHA256_BYTES; i++)
    snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* The whole list, malloc'ed; NULL: there is none. */
static char *read_list(const char *path)
{
  char error[256], *text = NULL;
  size_t room = 0;
  FILE *in = input_open(path, error, sizeof error);
  if (in && getdelim(&text, &room, '\0', in) < 0) {
    free(text);
    text = NULL;
  }
  if (in)
    fclose(in);
  return text;
}

static bool has(const char *list, const char *hash)
{
  for (const char *at = list; at && (at = strstr(at, hash)); at++)
    if (at > list && at[-1] == '\n' && at[DIGITS] == '\n')
      return true;
  return false;
}

static void remember(const char *path, const char *list, const char *hash)
{
  char error[512], *text = NULL;
  if (asprintf(&text, "%s%s\n", list ? list : FIRST_LINE "\n", hash) < 0)
    return;
  if (!output_file_write(path, FILE_AGREED, text, strlen(text), error, sizeof error))
    console_note("%s", error);
  free(text);
}

/* The answer of the person at the terminal; false without one. */
static bool ask(FILE *terminal, const struct consent *c)
{
  char answer[16] = "";
  fprintf(terminal, "%s:%zu names a command (%s), which would be run with sh:\n\n    ", c->file, c->line, c->option);
  print_escaped(terminal, c->command);
  fputs("\n\nRun it, now and whenever it stands there? [y/N] ", terminal);
  fflush(terminal);
  return fgets(answer, sizeof answer, terminal) && (*answer == 'y' || *answer == 'Y');
}

bool consent_given(const struct consent *c)
{
  char hash[DIGITS + 1], word[4096];
  char *folder = private_folder(), *path = folder ? path_join(folder, FILE_NAME) : NULL;
  char *list = path ? read_list(path) : NULL;
  hash_of(c, hash);
  bool given = has(list, hash);
  if (!given) {
    FILE *terminal = isatty(STDERR_FILENO) ? fopen("/dev/tty", "r+e") : NULL;
    given = terminal && ask(terminal, c);
    if (given && path)
      remember(path, list, hash);
    shell_word(c->command, word, sizeof word);
    if (!given && terminal)
      console_error("%s was not run, and nothing else: you did not agree", word);
    else if (!given)
      console_error("%s:%zu names a command that nobody agreed to, and there is nobody to ask; if it is right, say "
                    "--%s %s",
                    c->file, c->line, c->option, word);
    if (terminal)
      fclose(terminal);
  }
  free(folder);
  free(path);
  free(list);
  return given;
}
