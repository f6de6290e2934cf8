/* SPDX-License-Identifier: Apache-2.0
 *
 * Specifications for a program; see specifications.h.
 */
#include "cli/find/specifications.h"
#include "core/property.h"
#include "debuginfo/symbols.h"
#include "debuginfo/watch_list.h"
#include "file/input_file.h"
#include "language/property_compile.h"
#include "session/console.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_MOST (1 << 20) /* bytes */

extern const unsigned char posix_mop[], c11_mop[]; /* language/posix.mop, language/c11.mop */

static const struct {
  const char *name;
  const unsigned char *text[2];
} libraries[] = {{"posix", {posix_mop, c11_mop}}};

/* Where functions are looked for. */
struct program {
  const char *path;
  struct control_config *config;
  bool everywhere;
  bool failed;
  char error[256];
};

/* Where no program is named, functions are known by their names alone. */
static bool add_named(struct program *p, const char *pattern)
{
  struct control_config *config = p->config;
  if (strpbrk(pattern, "*?[")) {
    snprintf(p->error, sizeof p->error, "which functions \"%s\" means is only known with the program", pattern);
    return false;
  }
  for (uint32_t i = 0; i < config->calls; i++)
    if (!strcmp(config->call[i].name, pattern))
      return true;
  if (config->calls == WATCHED_CALLS) {
    snprintf(p->error, sizeof p->error, "more than %d functions are to be watched", WATCHED_CALLS);
    return false;
  }
  struct watched_call *call = &config->call[config->calls++];
  *call = (struct watched_call){0};
  snprintf(call->name, sizeof call->name, "%s", pattern);
  return true;
}

static void find_functions(void *context, const char *pattern, bool after)
{
  struct program *p = context;
  (void)after;
  if (p->failed)
    return;
  /* A function of libc is none that was misspelt, even if the program does not call it. */
  bool everywhere = p->everywhere || dlsym(RTLD_DEFAULT, pattern);
  if (p->path)
    p->failed = !watch_events(p->path, pattern, everywhere, p->config, p->error, sizeof p->error);
  else
    p->failed = !add_named(p, pattern);
}

/* Functions of which a rule says something have events. */
static void note_events(const struct property_set *set, struct control_config *config)
{
  for (uint32_t r = 0; r < set->rules; r++)
    if (set->rule[r].source == EVENT_OF_CALL)
      config->call[set->rule[r].function - 1].has_events[set->rule[r].after] = true;
}

/* Of rules about variables and mutexes, those from the number on. False: an error was printed. */
static bool find_places(const char *program, const char *name, struct property_set *set, uint32_t from)
{
  char error[256];
  struct symbols *symbols = NULL;
  bool right = true;
  for (uint32_t r = from; right && r < set->rules; r++) {
    struct property_rule *rule = &set->rule[r];
    if (rule->source < EVENT_OF_ACCESS)
      continue;
    if (!symbols && !(symbols = symbols_open(program, error, sizeof error))) {
      console_error("%s", error);
      return false;
    }
    right = symbols_find_variable(symbols, rule->mark, &rule->place, &rule->bytes);
    if (!right)
      console_error("%s:%u:%u: the program has no variable \"%s\", or several, or was built without -g", name,
                    rule->line, rule->column, rule->mark);
  }
  if (symbols)
    symbols_close(symbols);
  return right;
}

/* False: an error was printed. */
static bool add_text(struct control_config *config, const struct target *target, const char *name, const char *text,
                     bool must_be_there)
{
  struct program p = {.path = target->path, .config = config, .everywhere = !must_be_there};
  struct language_error error;
  const char *functions[WATCHED_CALLS];
  uint32_t rules = target->properties->rules;
  if (!property_patterns(text, find_functions, &p, &error)) {
    console_error("%s:%u:%u: %s", name, error.line, error.column, error.text);
    return false;
  }
  if (p.failed) {
    console_error("%s: %s", name, p.error);
    return false;
  }
  for (uint32_t i = 0; i < config->calls; i++)
    functions[i] = config->call[i].name;
  if (!property_compile(text, functions, config->calls, must_be_there, target->properties, &error)) {
    console_error("%s:%u:%u: %s", name, error.line, error.column, error.text);
    return false;
  }
  return find_places(target->path, name, target->properties, rules);
}

/* The text of a file, malloc'ed; NULL: an error was printed. */
static char *read_spec(const char *path)
{
  char error[256];
  FILE *file = input_open(path, error, sizeof error);
  char *text = malloc(SPEC_MOST + 1);
  size_t bytes = file && text ? fread(text, 1, SPEC_MOST + 1, file) : 0;
  bool right = file && text && bytes <= SPEC_MOST && !memchr(text, 0, bytes);
  if (!file)
    console_error("%s %s", path, error);
  else if (!right)
    console_error("%s is no specification: it is too long, or no text", path);
  if (file)
    fclose(file);
  if (!right) {
    free(text);
    return NULL;
  }
  text[bytes] = 0;
  return text;
}

static bool add_library(struct control_config *config, const struct target *target, const char *name)
{
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (!strcmp(libraries[i].name, name))
      return add_text(config, target, name, (const char *)libraries[i].text[0], false) &&
             add_text(config, target, name, (const char *)libraries[i].text[1], false);
  console_error("--specs %s is not known; there is: posix", name);
  return false;
}

static bool add_file(struct control_config *config, const struct target *target, const char *path)
{
  char *text = read_spec(path);
  bool right = text && add_text(config, target, path, text, true);
  free(text);
  return right;
}

static bool add_all(struct control_config *config, const struct target *target, const char *spec, const char *specs,
                    unsigned *own)
{
  if (spec && !add_file(config, target, spec))
    return false;
  *own = target->properties->properties;
  if (specs && !add_library(config, target, specs))
    return false;
  note_events(target->properties, config);
  return true;
}

bool properties_open(struct control_config *config, struct target *target, const char *spec, const char *specs)
{
  if (!spec && !specs)
    return true;
  target->properties = calloc(1, sizeof *target->properties);
  if (target->properties)
    return add_all(config, target, spec, specs, &target->own_properties);
  console_error("no memory left");
  return false;
}

bool properties_again(struct control_config *config, const struct target *target, const char *spec, const char *specs)
{
  unsigned own;
  if (!target->properties)
    return true;
  *target->properties = (struct property_set){0};
  return add_all(config, target, spec, specs, &own);
}
