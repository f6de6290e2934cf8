/* SPDX-License-Identifier: Apache-2.0
 *
 * Known bugs in a file, see the header. The file may come from anybody, so a name in it is one of this folder's files
 * or the line is refused; and what is removed is asked whether heddle wrote it (file/output_file.h).
 */
#include "cli/find/known_bugs.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/paths.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "bugs.txt"
#define FIRST_LINE "# heddle bugs 1"

enum { BUG_WORDS = 13, PROGRAM_WORDS = 4, WORDS_MOST = BUG_WORDS };

const char *const bug_state_word[BUG_STATES] = {
#define X(id, word) word,
    HD_BUG_STATES(X)
#undef X
};

int64_t now_on_calendar(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

char *known_bugs_file(const char *folder, const char *name, const char *ending)
{
  char *path;
  return asprintf(&path, "%s/%s%s", folder, name, ending) < 0 ? NULL : path;
}

static void free_bug(struct known_bug *bug)
{
  free(bug->name);
  free(bug->build);
  free(bug->kind);
  free(bug->program);
  free(bug->where);
  free(bug->message);
}

static void free_program(struct known_program *program)
{
  free(program->name);
  free(program->source);
  free(program->build);
}

/* A copy that stays one word of one line. */
static char *as_word(const char *text)
{
  char *copy = strdup(text ? text : "");
  for (char *c = copy; c && *c; c++)
    if ((unsigned char)*c < ' ')
      *c = ' ';
  return copy;
}

/* ---- reading ---- */

static bool is_name(const char *text)
{
  return *text && *text != '.' && !strchr(text, '/');
}

static bool is_identity(const char *text)
{
  return strlen(text) == IDENTITY_DIGITS - 1 && strspn(text, "0123456789abcdef") == IDENTITY_DIGITS - 1;
}

static bool to_number(const char *text, int64_t *out)
{
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return !errno && end != text && !*end && *out >= 0;
}

static enum bug_state state_by_word(const char *word)
{
  enum bug_state state = 0;
  while (state < BUG_STATES && strcmp(bug_state_word[state], word))
    state++;
  return state;
}

static size_t split(char *line, char *words[WORDS_MOST])
{
  size_t count = 0;
  for (char *at = line; at && count < WORDS_MOST; count++) {
    words[count] = at;
    at = strchr(at, '\t');
    if (at)
      *at++ = '\0';
  }
  return count;
}

static bool append_bug(struct known_bugs *k, const struct known_bug *bug)
{
  struct known_bug *grown = realloc(k->bug, (k->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  k->bug = grown;
  struct known_bug *b = &grown[k->count++];
  *b = *bug;
  b->name = strdup(bug->name);
  b->build = as_word(bug->build);
  b->kind = as_word(bug->kind);
  b->program = as_word(bug->program);
  b->where = as_word(bug->where);
  b->message = as_word(bug->message);
  return b->name && b->build && b->kind && b->program && b->where && b->message;
}

static bool append_program(struct known_bugs *k, const struct known_program *program)
{
  struct known_program *grown = realloc(k->program, (k->program_count + 1) * sizeof *grown);
  if (!grown)
    return false;
  k->program = grown;
  struct known_program *p = &grown[k->program_count++];
  *p = (struct known_program){strdup(program->name), as_word(program->source), as_word(program->build)};
  return p->name && p->source && p->build;
}

static bool read_bug(struct known_bugs *k, char *word[WORDS_MOST])
{
  int64_t searches;
  struct known_bug bug = {.name = word[1],
                          .state = state_by_word(word[2]),
                          .build = word[8],
                          .kind = word[9],
                          .program = word[10],
                          .where = word[11],
                          .message = word[12]};
  if (!is_name(word[1]) || bug.state == BUG_STATES || !to_number(word[3], &bug.first) ||
      !to_number(word[4], &bug.last) || !to_number(word[5], &searches) || !is_identity(word[6]) ||
      !is_identity(word[7]))
    return false;
  bug.searches = (uint64_t)searches;
  memcpy(bug.identity.exact, word[6], IDENTITY_DIGITS);
  memcpy(bug.identity.lasting, word[7], IDENTITY_DIGITS);
  return append_bug(k, &bug);
}

static bool read_words(struct known_bugs *k, char *line)
{
  char *word[WORDS_MOST];
  line[strcspn(line, "\n")] = '\0';
  if (!*line || *line == '#')
    return true;
  const size_t count = split(line, word);
  if (!strcmp(word[0], "bug") && count == BUG_WORDS)
    return read_bug(k, word);
  return !strcmp(word[0], "program") && count == PROGRAM_WORDS && is_name(word[1]) &&
         append_program(k, &(struct known_program){word[1], word[2], word[3]});
}

static bool read_file(struct known_bugs *k, char *error, size_t error_size)
{
  char why[256];
  struct stat status;
  if (lstat(k->path, &status) != 0 && errno == ENOENT)
    return true;
  FILE *in = input_open(k->path, why, sizeof why);
  if (!in) {
    snprintf(error, error_size, "%s %s", k->path, why);
    return false;
  }
  char *line = NULL;
  size_t room = 0, number = 0;
  bool good = !file_is_of_another_version(in, FIRST_LINE, why, sizeof why);
  if (!good)
    snprintf(error, error_size, "%s: %s", k->path, why);
  while (good && input_line(&line, &room, in, NULL) >= 0) {
    number++;
    good = number == 1 ? !strncmp(line, FIRST_LINE, strlen(FIRST_LINE)) : read_words(k, line);
    if (!good)
      snprintf(error, error_size, "%s:%zu: this is no line of a list of bugs; remove the file to begin a new one",
               k->path, number);
  }
  free(line);
  fclose(in);
  return good;
}

bool known_bugs_open(struct known_bugs *k, const char *folder, bool change, char *error, size_t error_size)
{
  *k = (struct known_bugs){.lock = -1, .path = path_join(folder, FILE_NAME)};
  snprintf(error, error_size, "no memory left");
  if (k->path && change) {
    k->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (k->lock < 0 || flock(k->lock, LOCK_EX) != 0)
      snprintf(error, error_size, "the folder %s cannot be used: %s", folder, strerror(errno));
  }
  if (k->path && (!change || k->lock >= 0) && read_file(k, error, error_size))
    return true;
  known_bugs_close(k);
  return false;
}

void known_bugs_close(struct known_bugs *k)
{
  for (size_t i = 0; i < k->count; i++)
    free_bug(&k->bug[i]);
  for (size_t i = 0; i < k->program_count; i++)
    free_program(&k->program[i]);
  free(k->bug);
  free(k->program);
  free(k->path);
  if (k->lock >= 0)
    close(k->lock);
  *k = (struct known_bugs){.lock = -1};
}

/* ---- writing ---- */

bool known_bugs_save(const struct known_bugs *k, char *error, size_t error_size)
{
  struct output_file output;
  if (!output_file_open(&output, k->path, FILE_BUGS, error, error_size))
    return false;
  fputs(FIRST_LINE ": what heddle found here, newest first; see heddle bugs\n", output.file);
  for (size_t i = 0; i < k->program_count; i++)
    fprintf(output.file, "program\t%s\t%s\t%s\n", k->program[i].name, k->program[i].source, k->program[i].build);
  for (size_t i = 0; i < k->count; i++) {
    const struct known_bug *b = &k->bug[i];
    fprintf(output.file, "bug\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", b->name,
            bug_state_word[b->state], b->first, b->last, b->searches, b->identity.exact, b->identity.lasting, b->build,
            b->kind, b->program, b->where, b->message);
  }
  return output_file_close(&output, error, error_size);
}

/* ---- bugs ---- */

struct known_bug *known_bugs_find(const struct known_bugs *k, const struct known_bug *seen)
{
  struct known_bug *best = NULL;
  for (size_t i = 0; i < k->count; i++) {
    struct known_bug *bug = &k->bug[i];
    if (strcmp(bug->program, seen->program))
      continue;
    if (!strcmp(bug->identity.exact, seen->identity.exact))
      return bug;
    const bool same = !strcmp(bug->identity.lasting, seen->identity.lasting) && strcmp(bug->build, seen->build) &&
                      bug->last != seen->last;
    if (same && (!best || (strcmp(best->message, seen->message) && !strcmp(bug->message, seen->message))))
      best = bug;
  }
  return best;
}

/* Behind those that the same search saw before it, in front of all others. */
static void put_in_order(struct known_bugs *k, size_t from)
{
  const struct known_bug moved = k->bug[from];
  size_t to = 0;
  while (to < from && k->bug[to].last >= moved.last)
    to++;
  memmove(&k->bug[to + 1], &k->bug[to], (from - to) * sizeof moved);
  k->bug[to] = moved;
}

bool known_bugs_note(struct known_bugs *k, const struct known_bug *seen)
{
  struct known_bug now = *seen;
  now.first = seen->last;
  now.searches = 1;
  for (size_t i = 0; i < k->count; i++)
    if (!strcmp(k->bug[i].name, seen->name)) {
      now.first = k->bug[i].first;
      now.searches = k->bug[i].searches + (k->bug[i].last != seen->last);
      free_bug(&k->bug[i]);
      memmove(&k->bug[i], &k->bug[i + 1], (k->count - i - 1) * sizeof *k->bug);
      k->count--;
      break;
    }
  if (!append_bug(k, &now))
    return false;
  put_in_order(k, k->count - 1);
  return true;
}

/* What heddle wrote for it. A program may belong to others. */
static void remove_files(const char *folder, const char *name)
{
  static const struct {
    const char *ending;
    enum file_format format;
  } files[] = {{".hd", FILE_SCHEDULE}, {".html", FILE_PAGE}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char *path = known_bugs_file(folder, name, files[i].ending);
    if (path)
      output_file_remove(path, files[i].format);
    free(path);
  }
}

size_t known_bugs_trim(struct known_bugs *k, const char *folder, size_t most)
{
  size_t forgotten = 0;
  for (; k->count > most; forgotten++) {
    struct known_bug *oldest = &k->bug[k->count - 1];
    remove_files(folder, oldest->name);
    free_bug(oldest);
    k->count--;
  }
  return forgotten;
}

/* ---- programs ---- */

struct known_program *known_programs_find(const struct known_bugs *k, const char *source)
{
  for (size_t i = 0; i < k->program_count; i++)
    if (!strcmp(k->program[i].source, source))
      return &k->program[i];
  return NULL;
}

bool known_programs_note(struct known_bugs *k, const struct known_program *program)
{
  for (size_t i = 0; i < k->program_count; i++)
    if (!strcmp(k->program[i].name, program->name)) {
      free_program(&k->program[i]);
      k->program[i] = k->program[--k->program_count];
      break;
    }
  return append_program(k, program);
}
