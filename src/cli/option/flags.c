/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiler options from the environment, see the header. Must not start the compiler or look into
 * files. */
#include "cli/option/flags.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_cxx(const char *name)
{
  static const char *const c[] = {".c", ".i", ".m", ".mi"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof c / sizeof c[0]; i++)
    if (!strcmp(dot, c[i]))
      return false;
  return dot;
}

static const char *variable(const char *name)
{
  const char *value = getenv(name);
  return value ? value : "";
}

bool flags_to_compiler(char *const sources[], size_t n)
{
  bool cxx = false;
  for (size_t i = 0; i < n; i++)
    cxx |= is_cxx(sources[i]);
  const char *name = cxx ? "HEDDLE_CXX" : "HEDDLE_CC";
  const char *flags = variable(cxx ? "CXXFLAGS" : "CFLAGS");
  const char *compiler = variable(name);
  if (!*flags && !*variable("CPPFLAGS") && !*variable("LDFLAGS"))
    return true;
  const char *quote = access(compiler, X_OK) == 0 ? "\"" : ""; /* a path, maybe with blanks; else a command line */
  char *all;
  if (asprintf(&all, "%s%s%s %s %s %s", quote,
               *compiler ? compiler
               : cxx     ? "g++"
                         : "gcc",
               quote, variable("CPPFLAGS"), flags, variable("LDFLAGS")) < 0)
    return false;
  bool set = setenv(name, all, 1) == 0;
  free(all);
  return set;
}

char **sources_and_libraries(char *const sources[], size_t n, size_t *count)
{
  const char *value = variable("LDLIBS");
  size_t bytes = strlen(value) + 1, room = n + bytes; /* a word has a byte at least */
  char **all = malloc(room * sizeof *all + bytes);
  if (!all)
    return NULL;
  char *libraries = memcpy(all + room, value, bytes);
  memcpy(all, sources, n * sizeof *all);
  *count = n;
  char *rest;
  for (char *word = strtok_r(libraries, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
    all[(*count)++] = word;
  return all;
}
