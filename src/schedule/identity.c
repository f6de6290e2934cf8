/* SPDX-License-Identifier: Apache-2.0
 *
 * The identity of a search, see the header.
 */
#include "schedule/identity.h"
#include "core/hash.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_word[IDENTITY_KINDS] = {
#define X(kind, word) [IDENTITY_##kind] = word,
    HD_IDENTITY_PARTS(X)
#undef X
};

/* ---- the parts ---- */

static struct identity_part *find(const struct identity *identity, enum identity_kind kind, const char *name)
{
  for (size_t i = 0; i < identity->count; i++)
    if (identity->part[i].kind == kind && !strcmp(identity->part[i].name, name))
      return &identity->part[i];
  return NULL;
}

static void free_part(struct identity_part *part)
{
  free(part->name);
  free(part->value);
}

static bool append(struct identity *identity, struct identity_part part)
{
  struct identity_part *grown =
      part.name && part.value ? realloc(identity->part, (identity->count + 1) * sizeof *grown) : NULL;
  if (!grown) {
    free_part(&part);
    identity->failed = true;
    return false;
  }
  identity->part = grown;
  grown[identity->count++] = part;
  return true;
}

void identity_add(struct identity *identity, enum identity_kind kind, const char *name, const char *value)
{
  struct identity_part *old = find(identity, kind, name);
  if (!old) {
    append(identity, (struct identity_part){kind, strdup(name), strdup(value)});
    return;
  }
  char *both;
  if (asprintf(&both, "%s+%s", old->value, value) < 0) {
    identity->failed = true;
    return;
  }
  free(old->value);
  old->value = both;
}

void identity_add_hash(struct identity *identity, enum identity_kind kind, const char *name, uint64_t hash)
{
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  identity_add(identity, kind, name, text);
}

void identity_free(struct identity *identity)
{
  for (size_t i = 0; i < identity->count; i++)
    free_part(&identity->part[i]);
  free(identity->part);
  *identity = (struct identity){0};
}

void identity_ignore(struct identity *identity, const char *variable)
{
  struct identity_part *part = find(identity, IDENTITY_VARIABLE, variable);
  if (part) {
    free_part(part);
    *part = identity->part[--identity->count];
  }
  if (!find(identity, IDENTITY_IGNORED, variable))
    identity_add(identity, IDENTITY_IGNORED, variable, "");
}

void identity_ignore_as(struct identity *identity, const struct identity *other)
{
  for (size_t i = 0; i < other->count; i++)
    if (other->part[i].kind == IDENTITY_IGNORED)
      identity_ignore(identity, other->part[i].name);
}

/* ---- as text ---- */

/* A word: what is not plain is %XX, and nothing at all is %. */
static void write_word(const char *text, FILE *out)
{
  if (!*text)
    fputc('%', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c <= ' ' || *c > '~' || *c == '%')
      fprintf(out, "%%%02x", *c);
    else
      fputc(*c, out);
}

/* In place. False: no word of ours. */
static bool read_word(char *text)
{
  static const char digits[] = "0123456789abcdef";
  char *out = text;
  if (!strcmp(text, "%")) {
    *text = 0;
    return true;
  }
  for (; *text; text++) {
    if (*text != '%') {
      *out++ = *text;
      continue;
    }
    const char *high = text[1] ? strchr(digits, text[1]) : NULL;
    const char *low = high && text[2] ? strchr(digits, text[2]) : NULL;
    if (!low)
      return false;
    *out++ = (char)((high - digits) << 4 | (low - digits));
    text += 2;
  }
  *out = 0;
  return true;
}

bool identity_write(const struct identity *identity, FILE *out)
{
  if (identity->failed)
    return false;
  fprintf(out, "parts %zu\n", identity->count);
  for (size_t i = 0; i < identity->count; i++) {
    fprintf(out, "%s ", kind_word[identity->part[i].kind]);
    write_word(identity->part[i].name, out);
    fputc(' ', out);
    write_word(identity->part[i].value, out);
    fputc('\n', out);
  }
  return !ferror(out);
}

static bool read_part(struct identity *identity, FILE *in)
{
  char word[16], *name = NULL, *value = NULL;
  enum identity_kind kind = IDENTITY_KINDS;
  if (fscanf(in, "%15s %ms %ms", word, &name, &value) == 3 && read_word(name) && read_word(value))
    for (kind = 0; kind < IDENTITY_KINDS && strcmp(kind_word[kind], word); kind++)
      ;
  if (kind < IDENTITY_KINDS)
    return append(identity, (struct identity_part){kind, name, value});
  free(name);
  free(value);
  return false;
}

bool identity_read(struct identity *identity, FILE *in)
{
  size_t parts;
  if (fscanf(in, " parts %zu", &parts) != 1)
    return false;
  for (size_t i = 0; i < parts; i++)
    if (!read_part(identity, in))
      return false;
  return true;
}

/* ---- comparison ---- */

static bool is_ignored(const struct identity *a, const struct identity *b, const struct identity_part *part)
{
  return part->kind == IDENTITY_IGNORED || (part->kind == IDENTITY_VARIABLE && (find(a, IDENTITY_IGNORED, part->name) ||
                                                                                find(b, IDENTITY_IGNORED, part->name)));
}

/* Whether it is the same there. */
static bool has(const struct identity *identity, const struct identity_part *part)
{
  const struct identity_part *other = find(identity, part->kind, part->name);
  return other && !strcmp(other->value, part->value);
}

/* Names of parts of a kind that differ, in the order of `then` and then those that are new. */
struct differences {
  const char *name[8];
  size_t count;
};

static void look_for(struct differences *d, enum identity_kind kind, const struct identity *from,
                     const struct identity *in, bool all)
{
  for (size_t i = 0; i < from->count; i++) {
    const struct identity_part *part = &from->part[i];
    if (part->kind != kind || is_ignored(from, in, part) || has(in, part))
      continue;
    if (!all && find(in, kind, part->name))
      continue; /* was seen from the other side */
    if (d->count < sizeof d->name / sizeof d->name[0])
      d->name[d->count] = part->name;
    d->count++;
  }
}

static void join(const struct differences *d, char *out, size_t size)
{
  const size_t most = sizeof d->name / sizeof d->name[0], named = d->count < most ? d->count : most;
  size_t used = 0;
  for (size_t i = 0; i < named && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s",
                             !i                                    ? ""
                             : i + 1 == named && named == d->count ? " and "
                                                                   : ", ",
                             d->name[i]);
  if (named < d->count && used < size)
    snprintf(out + used, size - used, " and %zu more", d->count - named);
}

static void describe_setting(const char *name, const struct identity *then, const struct identity *now, char *out,
                             size_t size)
{
  const struct identity_part *old = find(then, IDENTITY_SETTING, name), *new = find(now, IDENTITY_SETTING, name);
  if (!old || !new)
    snprintf(out, size, "it knows other options than this heddle (--%s)", name);
  else if (!*old->value)
    snprintf(out, size, "it is of a search without --%s", name);
  else if (!strcmp(old->value, "yes"))
    snprintf(out, size, "it is of a search with --%s", name);
  else
    snprintf(out, size, "it is of a search with --%s %s", name, old->value);
}

static void tell(enum identity_kind kind, const struct differences *d, const struct identity *then,
                 const struct identity *now, char *out, size_t size)
{
  char names[512];
  join(d, names, sizeof names);
  switch (kind) {
  case IDENTITY_PROGRAM:
    snprintf(out, size, "it is of another program, or of another build of it");
    break;
  case IDENTITY_LIBRARY:
    snprintf(out, size, "the program uses other libraries than then, or other builds of them: %s", names);
    break;
  case IDENTITY_ARGUMENTS:
    snprintf(out, size, "it is of other arguments of the program");
    break;
  case IDENTITY_INPUT:
    snprintf(out, size, "it is of another standard input");
    break;
  case IDENTITY_SETTING:
    describe_setting(d->name[0], then, now, out, size);
    break;
  case IDENTITY_MEANING:
    snprintf(out, size, "it is of a search with other options");
    break;
  case IDENTITY_HEDDLE:
    snprintf(out, size, "it was written by another build of heddle");
    break;
  case IDENTITY_FOLDER: {
    const struct identity_part *old = find(then, IDENTITY_FOLDER, "-");
    snprintf(out, size, "the program ran in the folder %s", old ? old->value : "?");
    break;
  }
  case IDENTITY_VARIABLE:
    snprintf(out, size, "the environment differs in %s (--env-ignore %s leaves %s out)", names, d->name[0],
             d->count == 1 ? "it" : "one");
    break;
  case IDENTITY_PROCESSOR:
    snprintf(out, size, "it is of a processor with other features (see the flags in /proc/cpuinfo)");
    break;
  default:
    snprintf(out, size,
             "arguments and environment take another room than then, or the stack is limited in "
             "another way (ulimit -s)");
  }
}

bool identity_is_same(const struct identity *then, const struct identity *now, char *difference, size_t size)
{
  if (then->failed || now->failed) {
    snprintf(difference, size, "no memory left");
    return false;
  }
  for (enum identity_kind kind = 0; kind < IDENTITY_KINDS; kind++) {
    struct differences d = {.count = 0};
    look_for(&d, kind, then, now, true);
    look_for(&d, kind, now, then, false);
    if (d.count) {
      tell(kind, &d, then, now, difference, size);
      return false;
    }
  }
  return true;
}
