/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of a search, see the header.
 */
#include "session/corpus.h"
#include "core/areas.h"
#include "core/attempt.h"
#include "core/control.h"
#include "core/operation.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/sealed.h"
#include "session/worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TITLE "heddle corpus 1"
#define SAVED_EVERY 2.0 /* seconds */
#define BYTES_MOST (4u << 20)

/* ---- what is worth keeping ---- */

static bool is_covered(const struct corpus_area *kept, uint64_t pair)
{
  for (uint64_t i = 0; i < kept->count; i++)
    for (uint32_t k = 0; k < kept->entry[i].pairs; k++)
      if (kept->entry[i].pair[k] == pair)
        return true;
  return false;
}

static bool adds_to(const struct corpus_area *kept, const struct abstract_schedule *entry)
{
  for (uint32_t k = 0; k < entry->pairs; k++)
    if (!is_covered(kept, entry->pair[k]))
      return true;
  return false;
}

uint64_t corpus_minimise(const struct corpus_area *all, struct corpus_area *out)
{
  out->count = 0;
  for (uint32_t length = 0; length <= CONSTRAINTS_MOST; length++)
    for (uint64_t i = 0; i < all->count; i++)
      if (all->entry[i].constraints == length && adds_to(out, &all->entry[i]))
        out->entry[out->count++] = all->entry[i];
  return out->count;
}

/* ---- the file ---- */

static void write_event(FILE *f, const struct abstract_event *e)
{
  fprintf(f, " %" PRIx64 " %" PRIx64 " %" PRIu32 " %s", e->place, e->thread, e->nth, op_table[e->kind].name);
}

static void write_entries(const struct corpus_area *kept, FILE *f)
{
  for (uint64_t i = 0; i < kept->count; i++) {
    const struct abstract_schedule *s = &kept->entry[i];
    fprintf(f, "schedule %" PRIu32 " %" PRIu32 "\n", s->constraints, s->pairs);
    for (uint32_t k = 0; k < s->constraints; k++) {
      const struct constraint *c = &s->constraint[k];
      fprintf(f, "%s %" PRIx64, c->negative ? "not" : "sees", c->location);
      write_event(f, &c->read);
      write_event(f, &c->write);
      fprintf(f, "\n");
    }
    for (uint32_t k = 0; k < s->pairs; k++)
      fprintf(f, "%" PRIx64 "%c", s->pair[k], k + 1 < s->pairs ? ' ' : '\n');
  }
}

static bool save(struct corpus *corpus)
{
  char *text = NULL;
  size_t bytes = 0;
  struct corpus_area *kept = malloc(sizeof *kept);
  FILE *f = kept ? open_memstream(&text, &bytes) : NULL;
  bool good = f;
  if (f) {
    seal_begin(f, TITLE);
    fprintf(f, "build %s\nentries %" PRIu64 "\n", corpus->build, corpus_minimise(&corpus->all, kept));
    write_entries(kept, f);
    good = fclose(f) == 0;
  }
  if (good)
    seal(text, bytes);
  good = good && output_file_write(corpus->path, FILE_CORPUS, text, bytes, corpus->error, sizeof corpus->error);
  free(text);
  free(kept);
  return good;
}

static bool read_event(FILE *f, struct abstract_event *e)
{
  char name[32];
  if (fscanf(f, " %" SCNx64 " %" SCNx64 " %" SCNu32 " %31s", &e->place, &e->thread, &e->nth, name) != 4)
    return false;
  e->kind = op_by_name(name);
  return e->kind < OP_COUNT;
}

static bool read_constraint(FILE *f, struct constraint *c)
{
  char word[8];
  if (fscanf(f, " %7s %" SCNx64, word, &c->location) != 2 || (strcmp(word, "sees") && strcmp(word, "not")))
    return false;
  c->negative = !strcmp(word, "not");
  return read_event(f, &c->read) && read_event(f, &c->write);
}

static bool read_entry(FILE *f, struct abstract_schedule *s)
{
  if (fscanf(f, " schedule %" SCNu32 " %" SCNu32, &s->constraints, &s->pairs) != 2 ||
      s->constraints > CONSTRAINTS_MOST || s->pairs > PAIRS_MOST)
    return false;
  bool good = true;
  for (uint32_t i = 0; good && i < s->constraints; i++)
    good = read_constraint(f, &s->constraint[i]);
  for (uint32_t i = 0; good && i < s->pairs; i++)
    good = fscanf(f, " %" SCNx64, &s->pair[i]) == 1;
  return good;
}

/* False: it is no corpus, whatever its seal says. */
static bool read_entries(struct corpus *corpus, FILE *f)
{
  char build[128];
  uint64_t count;
  if (fscanf(f, " build %127s entries %" SCNu64, build, &count) != 2 || count > CORPUS_ENTRIES)
    return false;
  if (strcmp(build, corpus->build) != 0)
    return true;
  while (corpus->all.count < count && read_entry(f, &corpus->all.entry[corpus->all.count]))
    corpus->all.count++;
  return corpus->all.count == count;
}

static bool read_text(struct corpus *corpus, char *text, size_t bytes, char *error, size_t error_size)
{
  size_t rest = 0;
  enum seal_state state = seal_check(text, bytes, TITLE, &rest);
  FILE *f = state == SEAL_HOLDS ? fmemopen(text + rest, bytes - rest, "r") : NULL;
  bool good = f && read_entries(corpus, f);
  if (f)
    fclose(f);
  if (!good && !is_of_another_version(text, bytes, TITLE, error, error_size))
    snprintf(error, error_size, "%s",
             state == SEAL_OF_ANOTHER ? "it is not a corpus" : "it is damaged; it can be removed");
  return good;
}

/* No file is no corpus, and no error. */
static bool read_corpus(struct corpus *corpus, char *error, size_t error_size)
{
  if (access(corpus->path, F_OK) != 0)
    return true;
  FILE *f = input_open(corpus->path, error, error_size);
  char *text = f ? malloc(BYTES_MOST) : NULL;
  size_t bytes = text ? fread(text, 1, BYTES_MOST, f) : 0;
  bool good = text && bytes && read_text(corpus, text, bytes, error, error_size);
  if (f && !bytes)
    snprintf(error, error_size, "it is empty");
  free(text);
  if (f)
    fclose(f);
  return good;
}

bool corpus_open(struct corpus *corpus, const char *path, const char *build, char *error, size_t error_size)
{
  char why[512] = "no memory left";
  *corpus = (struct corpus){.path = strdup(path)};
  snprintf(corpus->build, sizeof corpus->build, "%s", build);
  bool good = corpus->path && read_corpus(corpus, why, sizeof why);
  if (!good) {
    snprintf(error, error_size, "%s cannot be used: %s", path, why);
    corpus_close(corpus);
  }
  corpus->saved = corpus->all.count;
  return good;
}

void corpus_close(struct corpus *corpus)
{
  free(corpus->path);
  corpus->path = NULL;
}

/* ---- among workers ---- */

static void take_new(struct corpus *corpus, struct worker *w)
{
  const struct corpus_area *found = CONTROL_AT(w->control, ANSWER_CORPUS_OFFSET);
  uint64_t count = __atomic_load_n(&found->count, __ATOMIC_ACQUIRE);
  for (; w->corpus_taken < count && w->corpus_taken < CORPUS_ENTRIES; w->corpus_taken++) {
    const struct abstract_schedule entry = found->entry[w->corpus_taken];
    if (corpus->all.count < CORPUS_ENTRIES && abstract_schedule_is_sound(&entry))
      corpus->all.entry[corpus->all.count++] = entry;
  }
}

static void give_new(const struct corpus *corpus, struct worker *w)
{
  struct corpus_area *given = CONTROL_AT(w->control, JOB_CORPUS_OFFSET);
  uint64_t count = given->count;
  for (; count < corpus->all.count && count < CORPUS_ENTRIES; count++)
    given->entry[count] = corpus->all.entry[count];
  __atomic_store_n(&given->count, count, __ATOMIC_RELEASE);
  w->control->job_bytes[JOB_CORPUS] = sizeof *given;
}

void corpus_share(struct corpus *corpus, struct worker *workers, unsigned count, double now, bool last)
{
  for (unsigned i = 0; i < count; i++)
    if (workers[i].control)
      take_new(corpus, &workers[i]);
  for (unsigned i = 0; i < count && !last; i++)
    if (count > 1 || !workers[i].started)
      give_new(corpus, &workers[i]);
  bool due = last || now - corpus->saved_at >= SAVED_EVERY;
  if (!due || corpus->all.count == corpus->saved)
    return;
  save(corpus);
  corpus->saved = corpus->all.count;
  corpus->saved_at = now;
}
