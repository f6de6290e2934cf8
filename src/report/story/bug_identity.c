/* SPDX-License-Identifier: Apache-2.0
 *
 * Identities of bugs, see the header. The parties are put in order, since which thread comes second is chance.
 */
#include "report/story/bug_identity.h"
#include "file/sha256.h"
#include "report/story/story_words.h"
#include <stdlib.h>
#include <string.h>

#define PARTY_TEXT 1024

struct party_text {
  char exact[PARTY_TEXT], lasting[PARTY_TEXT];
};

/* Numbers change with edits: lines, elements, sizes of blocks. */
static void drop_digits(char *text)
{
  char *to = text;
  for (const char *from = text; *from; from++)
    if (*from < '0' || *from > '9')
      *to++ = *from;
  *to = '\0';
}

static const char *last_part(const char *path)
{
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path ? path : "";
}

static void describe(const struct story *story, const struct bug_party *party, struct party_text *out)
{
  char object[OBJECT_SIZE];
  struct source_place place;
  /* Which access of one line meets which is chance, too. */
  const char *op = story->bug->kind == BUG_RACE || party->op >= OP_COUNT ? "" : op_table[party->op].name;
  symbols_line(story->symbols, party_pc(story, party), &place);
  describe_party_object(story, party, object);
  const char *function = place.function ? place.function : "";
  snprintf(out->exact, PARTY_TEXT, "%s %s %s:%u %s", op, function, last_part(place.file), place.line, object);
  drop_digits(object);
  snprintf(out->lasting, PARTY_TEXT, "%s %s %s %s", op, function, last_part(place.file), object);
}

static int by_exact(const void *a, const void *b)
{
  return strcmp(((const struct party_text *)a)->exact, ((const struct party_text *)b)->exact);
}

static int by_lasting(const void *a, const void *b)
{
  return strcmp(((const struct party_text *)a)->lasting, ((const struct party_text *)b)->lasting);
}

static void put(struct sha256 *hash, const char *text)
{
  sha256_add(hash, text, strlen(text) + 1);
}

static void finish(struct sha256 *hash, char out[IDENTITY_DIGITS])
{
  unsigned char bytes[SHA256_BYTES];
  sha256_end(hash, bytes);
  for (size_t i = 0; i < (IDENTITY_DIGITS - 1) / 2; i++)
    snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* What is the same of all parties. A hang is cut off anywhere: that it hangs is all there is. */
static void begin(struct sha256 *hash, const struct bug *bug, const char *scope)
{
  char detail[32];
  const bool counts = bug->kind == BUG_DEADLOCK || bug->kind == BUG_CRASH || bug->kind == BUG_EXIT;
  snprintf(detail, sizeof detail, "%lld", counts ? (long long)bug->detail : 0);
  sha256_begin(hash);
  put(hash, scope);
  put(hash, bug_kind_name[bug->kind < BUG_KIND_COUNT ? bug->kind : 0]);
  put(hash, detail);
  put(hash, bug->kind == BUG_EXIT || bug->kind == BUG_HANG || bug->kind == BUG_LEAK ? "" : bug->text);
}

struct bug_identity bug_identity(const struct story *story, const char *scope)
{
  const struct bug *bug = story->bug;
  struct bug_identity out;
  struct party_text parties[BUG_PARTIES];
  struct sha256 exact, lasting;
  const uint32_t count = bug->kind == BUG_HANG || bug->kind == BUG_EXIT ? 0 : party_count(bug);
  for (uint32_t i = 0; i < count; i++)
    describe(story, &bug->party[i], &parties[i]);
  begin(&exact, bug, scope);
  put(&exact, bug->where);
  qsort(parties, count, sizeof *parties, by_exact);
  for (uint32_t i = 0; i < count; i++)
    put(&exact, parties[i].exact);
  begin(&lasting, bug, scope);
  qsort(parties, count, sizeof *parties, by_lasting);
  for (uint32_t i = 0; i < count; i++)
    if (i == 0 || strcmp(parties[i].lasting, parties[i - 1].lasting)) /* how many wait at the same place is chance */
      put(&lasting, parties[i].lasting);
  finish(&exact, out.exact);
  finish(&lasting, out.lasting);
  return out;
}
