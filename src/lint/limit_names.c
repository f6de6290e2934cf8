/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether what is asked is a limit by the names in it, `clients < max_clients`, `too_many(server)`: whoever wrote that
 * meant one. Of how long something is, or which descriptor it has, it says nothing about how many there are.
 */
#include "lint/bounding_parts.h"
#include <ctype.h>
#include <string.h>

#define PART_SIZE 32

static const char *const limits[] = {"max",   "maximum", "limit", "limits", "limited",    "exceeds",  "exceeded",
                                     "quota", "many",    "full",  "busy",   "overloaded", "capacity", "throttle"};
static const char *const others[] = {"fd",   "fds",     "sock",  "socket", "sockets", "len",  "length",
                                     "size", "buf",     "bytes", "path",   "name",    "line", "prio",
                                     "time", "timeout", "age",   "error",  "errors",  "pid",  "setsize"};

static bool is_one_of(const char *part, const char *const *word, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(part, word[i]))
      return true;
  return false;
}

/* What a name is made of. */
struct name_parts {
  bool limit, other;
};

/* `maxfd` is `max` and `fd`. */
static void add_part(struct name_parts *n, const char *part)
{
  const bool glued = !strncmp(part, "max", 3) && part[3];
  const char *const rest = glued && strncmp(part, "maximum", 7) != 0 ? part + 3 : part;
  n->limit |= rest != part || is_one_of(part, limits, sizeof limits / sizeof limits[0]);
  n->other |= is_one_of(rest, others, sizeof others / sizeof others[0]);
}

static bool is_of_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Whether a new part begins at a character: `max_clients`, `maxClients`. */
static bool begins_part(const char *at, const char *name)
{
  return at == name || at[-1] == '_' || (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

/* The name that a text begins with, and its end. */
static const char *read_name(const char *name, struct name_parts *n)
{
  char part[PART_SIZE] = "";
  size_t length = 0;
  const char *at = name;
  for (;; at++) {
    if (length && (!is_of_name(*at) || *at == '_' || begins_part(at, name))) {
      part[length] = '\0';
      add_part(n, part);
      length = 0;
    }
    if (!is_of_name(*at))
      return at;
    if (*at != '_' && length + 1 < PART_SIZE)
      part[length++] = (char)tolower((unsigned char)*at);
  }
}

bool names_limit(const char *text)
{
  for (const char *at = text; *at;) {
    struct name_parts n = {false, false};
    if (is_of_name(*at))
      at = read_name(at, &n);
    else
      at++;
    if (n.limit && !n.other && strncmp(at, "::", 2) != 0) /* what it is in says nothing */
      return true;
  }
  return false;
}
