/* SPDX-License-Identifier: Apache-2.0
 *
 * Bugs that nobody was told of yet; see the header.
 */
#include "session/untold.h"
#include "schedule/schedule_file.h"
#include "session/worker.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUGS_MOST 100000

static bool is_known(const struct untold *u, uint64_t key)
{
  for (size_t i = 0; i < u->count; i++)
    if (u->bug[i].key == key)
      return true;
  return false;
}

/* Takes the schedule. */
static bool add(struct untold *u, uint64_t key, struct schedule_record *schedule)
{
  struct untold_bug *grown = realloc(u->bug, (u->count + 1) * sizeof *grown);
  if (!grown) {
    free(schedule);
    return false;
  }
  u->bug = grown;
  u->bug[u->count++] = (struct untold_bug){key, schedule};
  return true;
}

bool untold_note(struct untold *u, const struct worker *w)
{
  bool good = true;
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs && good; n++) {
    struct bug bug;
    worker_bug(w, n, &bug);
    struct schedule_record *schedule =
        bug.schedule == SCHEDULE_PENDING || is_known(u, bug.key) ? NULL : worker_schedule(w, bug.schedule);
    good = !schedule || add(u, bug.key, schedule);
  }
  return good;
}

void untold_clear(struct untold *u)
{
  for (size_t i = 0; i < u->count; i++)
    free(u->bug[i].schedule);
  free(u->bug);
  *u = (struct untold){0};
}

/* ---- the file ---- */

bool untold_write(const struct untold *u, FILE *out)
{
  fprintf(out, "untold %zu\n", u->count);
  for (size_t i = 0; i < u->count; i++) {
    const struct schedule_record *s = u->bug[i].schedule;
    const unsigned char *bytes = (const unsigned char *)s;
    fprintf(out, "%016" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ", u->bug[i].key, s->threads, s->segments,
            s->choices);
    for (uint64_t b = 0; b < s->bytes; b++)
      fprintf(out, "%02x", bytes[b]);
    fputc('\n', out);
  }
  return !ferror(out);
}

static bool read_bytes(FILE *in, unsigned char *bytes, uint64_t count)
{
  for (uint64_t b = 0; b < count; b++)
    if (fscanf(in, "%2hhx", &bytes[b]) != 1)
      return false;
  return true;
}

static bool read_bug(struct untold *u, FILE *in)
{
  uint64_t key;
  uint32_t threads, segments, choices;
  if (fscanf(in, "%" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu32 " ", &key, &threads, &segments, &choices) != 4)
    return false;
  struct schedule_record *s = schedule_record_new(threads, segments, choices);
  const struct schedule_record made = s ? *s : (struct schedule_record){0};
  if (!s || !read_bytes(in, (unsigned char *)s, made.bytes) || s->bytes != made.bytes || s->threads != threads ||
      s->segments != segments || s->choices != choices) {
    free(s);
    return false;
  }
  return add(u, key, s);
}

bool untold_read(struct untold *u, FILE *in)
{
  size_t count;
  if (fscanf(in, " untold %zu", &count) != 1 || count > BUGS_MOST)
    return false;
  while (u->count < count)
    if (!read_bug(u, in))
      return false;
  u->before = count;
  return true;
}
