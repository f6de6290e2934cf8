/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages, URIs and locations of a SARIF log.
 */
#include "report/document/sarif_parts.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

json_t *sarif_message(const char *text, bool *good)
{
  json_t *message = container(json_object(), good);
  char *doubled = malloc(2 * strlen(text) + 1), *end = doubled;
  for (const char *c = text; doubled && *c; c++) {
    if (*c == '{' || *c == '}')
      *end++ = *c;
    *end++ = *c;
  }
  if (doubled)
    *end = '\0';
  set(message, "text", doubled ? text_value(doubled) : NULL, good);
  free(doubled);
  return message;
}

/* ---- URIs ---- */

/* A path with what URIs do not hold as %20 and the like; cut when it does not fit. */
static void escape_uri(const char *path, char *out, size_t n)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+@,=";
  size_t used = 0;
  for (; *path && used + 4 < n; path++)
    if (strchr(plain, *path))
      out[used++] = *path;
    else
      used += (size_t)snprintf(out + used, n - used, "%%%02X", (unsigned char)*path);
  out[used] = '\0';
}

static const char *below(const char *folder, const char *path)
{
  const size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* The part of a path below the current folder; NULL when it is not there. */
static const char *below_here(const char *path, char resolved[PATH_MAX])
{
  char here[PATH_MAX];
  const bool winding = strstr(path, "/../") || strstr(path, "/./") || strncmp(path, "../", 3) == 0;
  if (!winding && path[0] != '/')
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
  if (!getcwd(here, sizeof here))
    return NULL;
  const char *part = winding ? NULL : below(here, path);
  return part ? part : realpath(path, resolved) ? below(here, resolved) : NULL;
}

json_t *sarif_artifact(const char *path, bool *good)
{
  char resolved[PATH_MAX], uri[3 * PATH_MAX + 16] = "file://";
  json_t *artifact = container(json_object(), good);
  const char *part = below_here(path, resolved);
  if (part) {
    escape_uri(part, uri, sizeof uri);
    set(artifact, "uri", text_value(uri), good);
    set(artifact, "uriBaseId", text_value(SARIF_ROOT), good);
  } else {
    escape_uri(path, uri + (path[0] == '/' ? strlen(uri) : 0), sizeof uri - strlen(uri));
    set(artifact, "uri", text_value(uri), good);
  }
  return artifact;
}

json_t *sarif_roots(bool *good)
{
  char here[PATH_MAX], uri[3 * PATH_MAX + 16] = "file://";
  json_t *roots = container(json_object(), good), *root = container(json_object(), good);
  if (getcwd(here, sizeof here)) {
    escape_uri(here, uri + strlen(uri), sizeof uri - strlen(uri) - 2);
    if (uri[strlen(uri) - 1] != '/')
      strcat(uri, "/");
    set(root, "uri", text_value(uri), good);
  }
  set(root, "description", sarif_message("The folder heddle was started in.", good), good);
  set(roots, SARIF_ROOT, root, good);
  return roots;
}

/* ---- locations ---- */

static json_t *region_value(uint32_t line, const char *source, bool *good)
{
  json_t *region = container(json_object(), good);
  set(region, "startLine", integer(line), good);
  if (source) {
    json_t *snippet = container(json_object(), good);
    set(snippet, "text", text_value(source), good);
    set(region, "snippet", snippet, good);
  }
  return region;
}

static void set_physical(json_t *location, const char *path, uint32_t line, const char *source, bool *good)
{
  json_t *physical = container(json_object(), good);
  set(physical, "artifactLocation", sarif_artifact(path, good), good);
  if (line)
    set(physical, "region", region_value(line, source, good), good);
  set(location, "physicalLocation", physical, good);
}

static void set_logical(json_t *location, const struct source_place *place, bool *good)
{
  json_t *all = container(json_array(), good), *one = container(json_object(), good);
  set(one, "fullyQualifiedName", text_value(place->function), good);
  set(one, "kind", text_value("function"), good);
  add(all, one, good);
  set(location, "logicalLocations", all, good);
}

json_t *sarif_location(const struct story *story, uintptr_t pc, const char *message, bool *good)
{
  json_t *location = container(json_object(), good);
  struct source_place place = {0};
  if (pc && symbols_line(story->symbols, pc, &place)) {
    if (place.file && place.line && !(place.library && place.file[0] != '/')) /* of a build tree elsewhere */
      set_physical(location, place.file, place.line, symbols_source_line(story->symbols, place.file, place.line), good);
    if (place.function)
      set_logical(location, &place, good);
  }
  if (message)
    set(location, "message", sarif_message(message, good), good);
  return location;
}

json_t *sarif_file_location(const char *path, uint32_t line, bool *good)
{
  json_t *location = container(json_object(), good);
  set_physical(location, path, line, NULL, good);
  return location;
}
