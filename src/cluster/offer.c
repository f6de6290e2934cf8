/* SPDX-License-Identifier: Apache-2.0
 *
 * Offers of seats; see the header.
 */
#include "cluster/offer.h"
#include "core/changed.h"
#include "core/control.h"
#include "core/property.h"
#include "session/console.h"
#include "session/launch.h"
#include "session/program_identity.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- making ---- */

/* False: it is no text in UTF-8. */
static bool add_text(json_t *list, const char *text)
{
  return json_array_append_new(list, json_string(text)) == 0;
}

static json_t *strings(char *const *text, size_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    if (!add_text(list, text[i])) {
      json_decref(list);
      return NULL;
    }
  return list;
}

/* What the program is started with here, and no more: what else is in our environment may be secret. */
static json_t *environment_of(const struct target *target)
{
  struct launch launch;
  json_t *list = json_array();
  char *preload = NULL;
  const char *preloaded = getenv("LD_PRELOAD");
  bool good = launch_open(&launch, target);
  if (!good)
    return NULL;
  for (char **e = launch.envp + launch.users; *e && good; e++)
    good = !strncmp(*e, ROOM_ENV "=", sizeof ROOM_ENV) || add_text(list, *e);
  if (preloaded && *preloaded)
    good = good && asprintf(&preload, "LD_PRELOAD=%s", preloaded) > 0 && add_text(list, preload);
  free(preload);
  launch_close(&launch);
  if (good)
    return list;
  json_decref(list);
  return NULL;
}

static json_t *put(struct hub *hub, const void *bytes, size_t size)
{
  struct pieces pieces;
  pieces_name(&pieces, bytes, size);
  return !size || pieces_put(hub, &pieces, bytes)
             ? json_pack("{s:s, s:I}", "hash", pieces.hash, "bytes", (json_int_t)size)
             : NULL;
}

static json_t *put_file(struct hub *hub, const char *path)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  json_t *file = NULL;
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      file = put(hub, bytes, (size_t)st.st_size);
      munmap(bytes, (size_t)st.st_size);
    }
  }
  if (!file)
    console_error("%s cannot be read: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return file;
}

/* What must be the same, as text; malloc'ed. */
static char *identity_text(const struct target *target)
{
  struct identity identity = {0};
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  bool good = f && machine_identity(&identity, target) && identity_write(&identity, f);
  if (f)
    fclose(f);
  identity_free(&identity);
  if (good)
    return text;
  free(text);
  return NULL;
}

char *offer_make(struct hub *hub, const struct target *target, const char *folder, double grace)
{
  char *identity = identity_text(target), *text = NULL;
  json_t *program = identity ? put_file(hub, target->path) : NULL;
  if (program) {
    json_t *offer = json_pack(
        "{s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:f, s:o, s:o, s:o}", "program", program, "name", target->name, "label",
        target->label, "args", strings(target->args, target->arg_count), "environment", environment_of(target),
        "folder", folder, "identity", identity, "grace", grace, "input", put(hub, target->input, target->input_bytes),
        "properties", put(hub, target->properties, target->properties ? sizeof *target->properties : 0), "changed",
        put(hub, target->changed, target->changed ? changed_map_bytes(target->changed) : 0));
    text = offer ? json_dumps(offer, JSON_COMPACT) : NULL;
    json_decref(offer);
    if (!text)
      console_error("%s cannot be offered to workers: no memory left, or a text of its arguments or its environment is "
                    "none in UTF-8",
                    target->label);
  }
  free(identity);
  return text;
}

/* ---- taking ---- */

static bool read_pieces(const json_t *value, struct pieces *pieces)
{
  const char *hash = json_string_value(json_object_get(value, "hash"));
  json_int_t bytes = json_integer_value(json_object_get(value, "bytes"));
  if (!hash || strlen(hash) != PIECE_HASH - 1 || strspn(hash, "0123456789abcdef") != PIECE_HASH - 1 || bytes < 0)
    return false;
  memcpy(pieces->hash, hash, PIECE_HASH);
  pieces->bytes = (uint64_t)bytes;
  return true;
}

bool offer_is_there(struct hub *hub, const char *offer)
{
  static const char *const parts[] = {"program", "input", "properties", "changed"};
  json_t *value = json_loads(offer, 0, NULL);
  bool there = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && there; i++) {
    struct pieces pieces;
    there = read_pieces(json_object_get(value, parts[i]), &pieces) && (!pieces.bytes || pieces_are_there(hub, &pieces));
  }
  json_decref(value);
  return there;
}

/* malloc'ed; NULL: it is empty. False: it is not to be had. */
static bool fetch(struct hub *hub, const json_t *value, void **bytes, size_t *size)
{
  struct pieces pieces;
  *bytes = NULL;
  *size = 0;
  if (!read_pieces(value, &pieces))
    return false;
  if (!pieces.bytes)
    return true;
  *bytes = pieces_get(hub, &pieces);
  *size = pieces.bytes;
  return *bytes;
}

/* Several processes may do so at once: it comes to its place whole. */
static bool write_program(const char *path, const void *bytes, size_t size)
{
  char beside[PATH_MAX + 16];
  snprintf(beside, sizeof beside, "%s.%d", path, (int)getpid());
  int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  bool good = fd >= 0;
  for (const char *at = bytes; good && size;) {
    ssize_t n = write(fd, at, size);
    good = n > 0;
    at += good ? n : 0;
    size -= good ? (size_t)n : 0;
  }
  good = fd >= 0 && close(fd) == 0 && good;
  return good && rename(beside, path) == 0;
}

static bool fetch_program(struct hub *hub, const json_t *value, const char *folder, char path[PATH_MAX])
{
  struct pieces pieces;
  if (!read_pieces(value, &pieces) || snprintf(path, PATH_MAX, "%s/%s", folder, pieces.hash) >= PATH_MAX)
    return false;
  if (access(path, X_OK) == 0)
    return true;
  char *bytes = pieces_get(hub, &pieces);
  bool good = bytes && write_program(path, bytes, pieces.bytes);
  free(bytes);
  return good;
}

/* Borrowed from the value, NULL-terminated, malloc'ed; NULL: it is no list of texts. */
static char **texts(const json_t *list, size_t *count)
{
  *count = json_array_size(list);
  char **text = calloc(*count + 1, sizeof *text);
  for (size_t i = 0; text && i < *count; i++)
    if (!(text[i] = (char *)json_string_value(json_array_get(list, i)))) {
      free(text);
      return NULL;
    }
  return text;
}

static bool runs_the_same(const struct target *target, const char *text, char *error, size_t error_size)
{
  struct identity there = {0}, here = {0};
  FILE *f = fmemopen((char *)text, strlen(text), "r");
  bool good = f && identity_read(&there, f);
  if (!good)
    snprintf(error, error_size, "it does not say what it needs");
  else if (!machine_identity(&here, target))
    good = false, snprintf(error, error_size, "it cannot be prepared here");
  else
    good = identity_is_same(&there, &here, error, error_size);
  if (f)
    fclose(f);
  identity_free(&there);
  identity_free(&here);
  return good;
}

/* Where it runs there; or, on another machine, in an empty place. */
static const char *folder_of(const char *there, const char *here)
{
  struct stat st;
  return there && stat(there, &st) == 0 && S_ISDIR(st.st_mode) ? there : here;
}

static bool read_offer(struct hub *hub, const json_t *value, const char *folder, struct offered *o)
{
  struct target *t = &o->target;
  size_t variables, size;
  char path[PATH_MAX];
  void *properties, *changed, *input;
  o->args = texts(json_object_get(value, "args"), &t->arg_count);
  o->environment = texts(json_object_get(value, "environment"), &variables);
  o->grace = json_number_value(json_object_get(value, "grace"));
  t->name = json_string_value(json_object_get(value, "name"));
  t->label = json_string_value(json_object_get(value, "label"));
  t->folder = folder_of(json_string_value(json_object_get(value, "folder")), folder);
  t->args = o->args;
  if (!o->args || !o->environment || !t->name || !t->label ||
      !fetch_program(hub, json_object_get(value, "program"), folder, path) || !(t->path = strdup(path)))
    return false;
  bool good = fetch(hub, json_object_get(value, "properties"), &properties, &size) &&
              (!properties || size == sizeof *t->properties);
  t->properties = properties;
  good = good && fetch(hub, json_object_get(value, "changed"), &changed, &size) &&
         (!changed || (size >= sizeof *t->changed && size == changed_map_bytes(changed)));
  t->changed = good ? changed : NULL;
  good = good && fetch(hub, json_object_get(value, "input"), &input, &t->input_bytes);
  t->input = good ? input : NULL;
  return good;
}

bool offer_take(struct hub *hub, const char *offer, const char *folder, struct offered *offered, char *error,
                size_t error_size)
{
  json_t *value = json_loads(offer, 0, NULL);
  const char *identity = json_string_value(json_object_get(value, "identity"));
  *offered = (struct offered){.text = value};
  if (!identity || !read_offer(hub, value, folder, offered)) {
    snprintf(error, error_size, "it, or a part of it, is not to be had");
    return false;
  }
  environ = offered->environment;
  return runs_the_same(&offered->target, identity, error, error_size);
}
