/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle.conf and HEDDLE_OPTIONS, see the header.
 */
#include "cli/option/config_file.h"
#include "cli/option/consent.h"
#include "file/input_file.h"
#include "file/paths.h"
#include "schedule/setting_text.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_NAME "heddle.conf"
#define VARIABLE "HEDDLE_OPTIONS"
#define BLANKS " \t\r\n"

/* One for each run of heddle: options point into it. */
static struct {
  char *folder, *path; /* of heddle.conf; NULL: there is none */
  char *words;         /* of the variable */
  char **value;        /* of the file, malloc'ed */
  size_t values;
} config;

/* ---- where it is ---- */

static bool has_config(const char *folder, bool here)
{
  struct stat status;
  char *path = path_join(folder, CONFIG_NAME);
  const bool has = path && stat(path, &status) == 0 && (here || status.st_uid == geteuid());
  free(path);
  return has;
}

static void find_config(void)
{
  char *folder = realpath(".", NULL);
  for (bool here = true; folder && !has_config(folder, here); here = false) {
    char *slash = strrchr(folder, '/');
    if (slash == folder) {
      free(folder);
      return;
    }
    *slash = '\0';
  }
  config.folder = folder;
  config.path = folder ? path_join(folder, CONFIG_NAME) : NULL;
}

/* ---- its values ---- */

static const struct setting *setting_by_name(const char *name)
{
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
    if (!strcmp(s->name, name))
      return s;
  return NULL;
}

static bool names_file(const struct setting *s)
{
  return s->argument && (!strcmp(s->argument, "FILE") || !strcmp(s->argument, "DIR"));
}

static bool is_read(const struct setting *s)
{
  return !strcmp(s->name, "suppressions") || !strcmp(s->name, "baseline") || !strcmp(s->name, "protocol");
}

static bool leads_out(const char *path)
{
  if (*path == '/')
    return true;
  for (; *path; path += strcspn(path, "/"), path += *path == '/')
    if (!strncmp(path, "..", 2) && (!path[2] || path[2] == '/'))
      return true;
  return false;
}

/* As seen from here. */
static char *path_from_here(const char *path)
{
  char *here = realpath(".", NULL);
  char *way = here ? path_relative(here, config.folder) : NULL;
  char *result = way && strcmp(way, ".") ? path_join(way, path) : strdup(path);
  free(here);
  free(way);
  return result;
}

static char *keep_value(char *value)
{
  char **grown = value ? realloc(config.value, (config.values + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free(value);
    return NULL;
  }
  config.value = grown;
  return grown[config.values++] = value;
}

static bool complain(size_t line, const char *what, const char *name)
{
  console_error("%s:%zu: %s%s%s", config.path, line, name ? name : "", name ? " " : "", what);
  return false;
}

/* yes, no and their kin. */
static bool read_flag(const char *value, bool *on)
{
  static const char *const words[] = {"no", "yes", "off", "on", "false", "true"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (!strcmp(words[i], value)) {
      *on = i % 2;
      return true;
    }
  return false;
}

static bool set_flag(struct options *o, const struct setting *s, const char *value, size_t line)
{
  bool on;
  if (!read_flag(value, &on))
    return complain(line, "is yes or no", s->name);
  return !on || options_set(o, s, NULL, (struct setting_origin){ORIGIN_FILE, (uint32_t)line});
}

static bool set_value(struct options *o, const struct setting *s, const char *value, size_t line)
{
  if (!strcmp(s->name, "help") || !strcmp(s->name, "all-options") || !strcmp(s->name, "program"))
    return complain(line, "stands on the command line only", s->name);
  if (names_file(s) && !is_read(s) && leads_out(value))
    return complain(line, "must be below the folder of this file", s->name);
  if (!setting_use(s, o->who))
    return true;
  if (s->kind == SETTING_FLAG)
    return set_flag(o, s, value, line);
  char *kept = keep_value(names_file(s) && strcmp(value, "-") ? path_from_here(value) : strdup(value));
  if (!kept)
    return complain(line, "no memory left", NULL);
  return options_set(o, s, kept, (struct setting_origin){ORIGIN_FILE, (uint32_t)line}) ||
         complain(line, "is wrong here", s->name);
}

static bool read_line(struct options *o, char *line, size_t number)
{
  char *name = line + strspn(line, BLANKS), *equals = strchr(name, '=');
  if (!*name || *name == '#')
    return true;
  if (!equals)
    return complain(number, "a line is \"option = value\"", NULL);
  char *value = equals + 1 + strspn(equals + 1, BLANKS), *end = value + strlen(value);
  while (end > value && strchr(BLANKS, end[-1]))
    *--end = '\0';
  while (equals > name && strchr(BLANKS, equals[-1]))
    equals--;
  *equals = '\0';
  const struct setting *s = setting_by_name(name);
  if (!s) {
    const char *names[SETTINGS];
    for (size_t i = 0; i < SETTINGS; i++)
      names[i] = settings_table[i].name;
    const char *near = nearest_name(name, names, SETTINGS);
    console_error("%s:%zu: there is no option \"%s\"%s%s%s", config.path, number, name, near ? "; did you mean " : "",
                  near ? near : "", near ? "?" : "");
    return false;
  }
  return *value ? set_value(o, s, value, number) : complain(number, "has no value", s->name);
}

static bool read_config(struct options *o)
{
  char error[256], *line = NULL;
  size_t room = 0, number = 0;
  bool good = true;
  find_config();
  if (!config.path)
    return true;
  FILE *in = input_open(config.path, error, sizeof error);
  if (!in) {
    console_error("%s %s", config.path, error);
    return false;
  }
  while (good && input_line(&line, &room, in, NULL) >= 0)
    good = read_line(o, line, ++number);
  free(line);
  fclose(in);
  return good;
}

/* ---- the variable ---- */

/* The next word, in which quotes of both kinds keep blanks together; NULL: there is none. */
static char *next_word(char **rest)
{
  char *from = *rest + strspn(*rest, BLANKS), *to = from, *word = from, quote = 0;
  if (!*from)
    return NULL;
  for (; *from && (quote || !strchr(BLANKS, *from)); from++)
    if (quote ? *from == quote : *from == '"' || *from == '\'')
      quote = quote ? 0 : *from;
    else
      *to++ = *from;
  *rest = *from ? from + 1 : from;
  *to = '\0';
  return word;
}

static bool read_word(struct options *o, char *word, char **rest)
{
  char *equals = strchr(word, '=');
  if (strncmp(word, "--", 2)) {
    console_error(VARIABLE " has \"%s\", which is no option: they begin with --", word);
    return false;
  }
  if (equals)
    *equals = '\0';
  const struct setting *s = setting_by_name(word + 2);
  if (!s || !strcmp(s->name, "help") || !strcmp(s->name, "all-options")) {
    console_error(VARIABLE " has %s, and there is no such option", word);
    return false;
  }
  const char *value = s->kind == SETTING_FLAG ? NULL : equals ? equals + 1 : next_word(rest);
  if (s->kind != SETTING_FLAG && !value) {
    console_error(VARIABLE ": --%s needs a value", s->name);
    return false;
  }
  return !setting_use(s, o->who) || options_set(o, s, value, (struct setting_origin){ORIGIN_VARIABLE, 0});
}

static bool read_variable(struct options *o)
{
  const char *text = getenv(VARIABLE);
  bool good = true;
  config.words = text ? strdup(text) : NULL;
  char *rest = config.words, *word;
  while (good && rest && (word = next_word(&rest)))
    good = read_word(o, word, &rest);
  return good;
}

bool config_apply(struct options *o)
{
  return read_config(o) && read_variable(o);
}

/* ---- commands ---- */

bool config_commands_agreed(const struct options *o)
{
  for (size_t i = 0; i < SETTINGS; i++) {
    const struct setting *s = &settings_table[i];
    if (o->origin[i].from != ORIGIN_FILE || !s->argument || strcmp(s->argument, "COMMAND"))
      continue;
    const char *command = *(const char *const *)((const char *)&o->settings + s->offset);
    if (!consent_given(&(struct consent){config.folder, config.path, o->origin[i].line, s->name, command}))
      return false;
  }
  return true;
}

/* ---- telling ---- */

void config_print(const struct options *o)
{
  char text[SETTING_TEXT_SIZE];
  if (config.path)
    console_line("options in %s, " VARIABLE " and the command line:", config.path);
  for (size_t i = 0; i < SETTINGS; i++) {
    const struct setting *s = &settings_table[i];
    const struct setting_origin from = o->origin[i];
    setting_text(s, &o->settings, text);
    if (from.from == ORIGIN_FILE)
      console_line("  %s = %s  (%s:%u)", s->name, s->kind == SETTING_FLAG ? "yes" : text, CONFIG_NAME, from.line);
    else if (from.from != ORIGIN_NONE)
      console_line("  %s = %s  (%s)", s->name, s->kind == SETTING_FLAG ? "yes" : text,
                   from.from == ORIGIN_VARIABLE ? VARIABLE : "command line");
  }
}
