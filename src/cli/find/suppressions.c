/* SPDX-License-Identifier: Apache-2.0
 *
 * Suppressions, see the header: three ways to write them, one way to match.
 */
#include "cli/find/suppressions.h"
#include "file/bad_line.h"
#include "file/input_file.h"
#include "report/story/story_words.h"
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define ALL_KINDS ((1u << BUG_KIND_COUNT) - 1)
#define PLACES_MOST (BUG_STACK + 2)

struct reader {
  struct suppressions *list;
  struct bad_line where;
  struct suppression *block; /* that a line `{` began; NULL: outside of one */
  size_t lines;              /* of the block so far */
};

static bool complain(const struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool complain(const struct reader *r, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bad_line(&r->where, format, arguments);
  va_end(arguments);
  return false;
}

static struct suppression *new_rule(struct reader *r, uint32_t kinds)
{
  struct suppression *grown = realloc(r->list->rule, (r->list->count + 1) * sizeof *grown);
  if (!grown) {
    complain(r, "no memory left");
    return NULL;
  }
  r->list->rule = grown;
  grown[r->list->count] = (struct suppression){.line = r->where.line, .kinds = kinds};
  return &grown[r->list->count++];
}

static void free_rule(struct suppression *rule)
{
  free(rule->function);
  free(rule->file);
  free(rule->variable);
  free(rule->anywhere);
  for (size_t i = 0; i < rule->frame_count; i++)
    free(rule->frame[i]);
  free(rule->frame);
}

/* ---- heddle's own ---- */

/* The next word, in which double quotes keep blanks together; NULL: there is none. */
static char *next_word(char **rest)
{
  char *from = *rest + strspn(*rest, BLANKS), *to = from, *word = from;
  bool quoted = false;
  for (; *from && (quoted || !strchr(BLANKS, *from)); from++)
    if (*from == '"')
      quoted = !quoted;
    else
      *to++ = *from;
  *rest = *from ? from + 1 : from;
  const bool any = from != word;
  *to = '\0';
  return any ? word : NULL;
}

static bool set_glob(struct reader *r, struct suppression *rule, const char *word)
{
  const size_t length = strcspn(word, "=");
  char **glob = !strncmp(word, "function=", length + 1)   ? &rule->function
                : !strncmp(word, "file=", length + 1)     ? &rule->file
                : !strncmp(word, "variable=", length + 1) ? &rule->variable
                                                          : NULL;
  if (!glob)
    return complain(r, "\"%s\" is none of function=, file= and variable=", show(word).text);
  if (*glob || !word[length + 1])
    return complain(r, "\"%.*s=\" %s", (int)length, word, *glob ? "is there twice" : "names nothing");
  *glob = strdup(word + length + 1);
  return *glob || complain(r, "no memory left");
}

static bool read_own(struct reader *r, char *line)
{
  const char *word = next_word(&line);
  const bool any = !strcmp(word, "any");
  const enum bug_kind kind = bug_kind_by_name(word);
  if (!any && kind == BUG_KIND_COUNT)
    return complain(r,
                    "\"%s\" is no kind of bugs; there are assertion, crash, deadlock, race, memory, leak, hang, exit, "
                    "property and any",
                    show(word).text);
  struct suppression *rule = new_rule(r, any ? ALL_KINDS : 1u << kind);
  bool good = rule != NULL, named = false;
  while (good && (word = next_word(&line))) {
    good = set_glob(r, rule, word);
    named = true;
  }
  return good && (named || complain(r, "it says nothing of where: add function=, file= or variable="));
}

/* ---- ThreadSanitizer's ---- */

/* Its patterns know only `*`, and fit a part of the name unless `^` and `$` say otherwise. */
static char *as_glob(const char *pattern)
{
  const size_t length = strlen(pattern);
  char *glob = malloc(2 * length + 3), *to = glob;
  if (!glob)
    return NULL;
  if (*pattern != '^')
    *to++ = '*';
  for (const char *c = pattern + (*pattern == '^'); *c && !(*c == '$' && !c[1]); c++) {
    if (strchr("?[]\\", *c))
      *to++ = '\\';
    *to++ = *c;
  }
  if (!length || pattern[length - 1] != '$')
    *to++ = '*';
  *to = '\0';
  return glob;
}

static bool read_sanitizer(struct reader *r, char *line)
{
  static const struct {
    const char *type;
    uint32_t kinds; /* 0: heddle reports none of these */
    bool innermost;
  } types[] = {{"race", 1u << BUG_RACE, false},
               {"race_top", 1u << BUG_RACE, true},
               {"deadlock", 1u << BUG_DEADLOCK, false},
               {"mutex", 1u << BUG_PROPERTY, false},
               {"leak", 1u << BUG_LEAK, false},
               {"thread", 0, false},
               {"signal", 0, false},
               {"called_from_lib", 0, false}};
  const size_t length = strcspn(line, ":");
  char *pattern = line + length + 1;
  pattern[strcspn(pattern, "\r\n")] = '\0';
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strlen(types[i].type) != length || strncmp(line, types[i].type, length))
      continue;
    if (!*pattern)
      return complain(r, "\"%s:\" names nothing", types[i].type);
    struct suppression *rule = types[i].kinds ? new_rule(r, types[i].kinds) : NULL;
    if (rule) {
      rule->innermost = types[i].innermost;
      rule->anywhere = as_glob(pattern);
    }
    return !types[i].kinds || (rule && rule->anywhere);
  }
  return complain(r, "\"%.*s:\" is no kind of suppression", (int)length, line);
}

/* ---- Valgrind's ---- */

static uint32_t kinds_of_tool(const char *tool)
{
  if (!strcasecmp(tool, "Helgrind:Race") || !strcasecmp(tool, "drd:ConflictingAccess"))
    return 1u << BUG_RACE;
  return !strcasecmp(tool, "Memcheck:Leak") ? 1u << BUG_LEAK : 0;
}

static bool add_frame(struct reader *r, struct suppression *rule, const char *word)
{
  char **grown = realloc(rule->frame, (rule->frame_count + 1) * sizeof *grown);
  if (grown)
    rule->frame = grown;
  if (!grown || !(grown[rule->frame_count] = strdup(word)))
    return complain(r, "no memory left");
  rule->frame_count++;
  return true;
}

/* A line between `{` and `}`: a name, the tool and kind, then places. */
static bool read_block(struct reader *r, char *line)
{
  struct suppression *rule = r->block;
  char *word = line + strspn(line, BLANKS);
  word[strcspn(word, "\r\n")] = '\0';
  if (!strcmp(word, "}")) {
    r->block = NULL;
    if (rule->kinds && !rule->frame_count)
      return complain(r, "this block names no place");
    if (!rule->kinds) /* of what heddle does not report */
      free_rule(&r->list->rule[--r->list->count]);
    return true;
  }
  r->lines++;
  if (r->lines == 1)
    return true;
  if (r->lines == 2) {
    rule->kinds = kinds_of_tool(word);
    return true;
  }
  const bool place =
      !strcmp(word, "...") || !strncmp(word, "fun:", 4) || !strncmp(word, "obj:", 4) || !strncmp(word, "src:", 4);
  return !place || add_frame(r, rule, word); /* others are of other tools: "match-leak-kinds:" */
}

/* ---- the file ---- */

static bool read_line(struct reader *r, char *line)
{
  char *text = line + strspn(line, BLANKS);
  if (!*text || *text == '#')
    return true;
  if (r->block)
    return read_block(r, text);
  if (*text == '{') {
    r->lines = 0;
    r->block = new_rule(r, 0);
    return r->block;
  }
  const size_t word = strcspn(text, BLANKS), colon = strcspn(text, ":=");
  return colon < word && text[colon] == ':' ? read_sanitizer(r, text) : read_own(r, text);
}

bool suppressions_read(struct suppressions *list, const char *path, char *error, size_t error_size)
{
  char why[256], *line = NULL;
  size_t room = 0;
  *list = (struct suppressions){.path = strdup(path)};
  struct reader r = {.list = list, .where = {.error = error, .error_size = error_size, .name = path}};
  FILE *in = input_open(path, why, sizeof why);
  bool good = in && list->path;
  if (!in)
    snprintf(error, error_size, "%s %s", path, why);
  while (good && input_line(&line, &room, in, NULL) >= 0) {
    r.where.line++;
    good = read_line(&r, line);
  }
  if (good && r.block)
    good = complain(&r, "a block has no end: \"}\" is missing");
  free(line);
  if (in)
    fclose(in);
  if (!good)
    suppressions_free(list);
  return good;
}

void suppressions_free(struct suppressions *list)
{
  for (size_t i = 0; i < list->count; i++)
    free_rule(&list->rule[i]);
  free(list->rule);
  free(list->path);
  *list = (struct suppressions){0};
}

/* ---- matching ---- */

/* A thread's part in a bug, as names. */
struct part {
  struct source_place place[PLACES_MOST];
  size_t places;
  char variable[OBJECT_SIZE];
};

static void add_place(const struct story *story, struct part *part, uintptr_t pc)
{
  if (pc && part->places < PLACES_MOST)
    symbols_line(story->symbols, pc, &part->place[part->places++]);
}

static void describe_part(const struct story *story, const struct bug_party *party, struct part *part)
{
  const uintptr_t own = party_pc(story, party);
  part->places = 0;
  add_place(story, part, party->pc);
  for (uint32_t i = 0; i < party->depth && i < BUG_STACK; i++)
    add_place(story, part, party->stack[i]);
  if (!party->depth && own != party->pc)
    add_place(story, part, own);
  describe_party_object(story, party, part->variable);
}

static bool fits(const char *glob, const char *text)
{
  return text && fnmatch(glob, text, 0) == 0;
}

static bool fits_file(const char *glob, const struct source_place *place)
{
  const char *slash = place->file ? strrchr(place->file, '/') : NULL;
  return fits(glob, place->file) || fits(glob, place->display) || (slash && fits(glob, slash + 1));
}

static bool fits_function(const char *glob, const struct source_place *place)
{
  return fits(glob, place->function);
}

static bool fits_anything(const char *glob, const struct source_place *place)
{
  return fits_function(glob, place) || fits_file(glob, place) || fits(glob, place->module);
}

static bool some_place(const struct suppression *rule, const struct part *part, const char *glob,
                       bool (*fit)(const char *, const struct source_place *))
{
  for (size_t i = 0; i < (rule->innermost && part->places ? 1 : part->places); i++)
    if (fit(glob, &part->place[i]))
      return true;
  return false;
}

static bool fits_frame(const char *frame, const struct source_place *place)
{
  char line[4096];
  if (!strncmp(frame, "fun:", 4))
    return fits(frame + 4, place->function);
  if (!strncmp(frame, "obj:", 4))
    return fits(frame + 4, place->module) || (strrchr(frame, '/') && fits(strrchr(frame, '/') + 1, place->module));
  snprintf(line, sizeof line, "%s:%u", place->file ? place->file : "", place->line);
  const char *slash = strrchr(line, '/');
  return fits(frame + 4, line) || fits(frame + 4, slash ? slash + 1 : line) || fits_file(frame + 4, place);
}

/* Place by place from the innermost on; "..." stands for any number of them, and what lies further out does not
 * count. */
static bool frames_fit(char *const *frame, size_t frames, const struct source_place *place, size_t places)
{
  if (!frames)
    return true;
  if (!strcmp(*frame, "..."))
    return frames_fit(frame + 1, frames - 1, place, places) ||
           (places && frames_fit(frame, frames, place + 1, places - 1));
  return places && fits_frame(*frame, place) && frames_fit(frame + 1, frames - 1, place + 1, places - 1);
}

static bool rule_fits(const struct suppression *rule, const struct part *part)
{
  return (!rule->function || some_place(rule, part, rule->function, fits_function)) &&
         (!rule->file || some_place(rule, part, rule->file, fits_file)) &&
         (!rule->variable || fits(rule->variable, part->variable)) &&
         (!rule->anywhere || fits(rule->anywhere, part->variable) ||
          some_place(rule, part, rule->anywhere, fits_anything)) &&
         frames_fit(rule->frame, rule->frame_count, part->place, part->places);
}

bool suppressions_fit(struct suppressions *list, const struct story *story)
{
  const struct bug *bug = story->bug;
  struct part part;
  for (size_t i = 0; i < list->count; i++) {
    if (!(list->rule[i].kinds >> bug->kind & 1))
      continue;
    for (uint32_t p = 0; p < party_count(bug); p++) {
      describe_part(story, &bug->party[p], &part);
      if (!rule_fits(&list->rule[i], &part))
        continue;
      list->rule[i].used++;
      return true;
    }
  }
  return false;
}

uint32_t suppressions_kinds(const struct suppressions *list)
{
  uint32_t kinds = 0;
  for (size_t i = 0; i < list->count; i++)
    kinds |= list->rule[i].kinds;
  return kinds;
}
