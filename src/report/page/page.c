/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages, see the header: filling in templates. What the data is, is in page_data.c; what is done with it, in
 * page/. */
#include "report/page/page_parts.h"
#include <string.h>

/* Made by packaging/embed.sh. */
extern const unsigned char page_html[], page_css[], data_js[], graph_js[], page_js[];
extern const unsigned char overview_html[], overview_css[], overview_js[];

void page_fill(FILE *out, const char *template, const struct page_part *parts, size_t count)
{
  const char *open;
  while ((open = strstr(template, "{{"))) {
    const char *close = strstr(open, "}}");
    const size_t length = (size_t)(close - open - 2);
    fwrite(template, 1, (size_t)(open - template), out);
    for (size_t i = 0; i < count; i++)
      if (strlen(parts[i].name) == length && !strncmp(open + 2, parts[i].name, length))
        fputs(parts[i].text, out);
    template = close + 2;
  }
  fputs(template, out);
}

/* Replaces bytes by longer texts, which `with` gives (NULL: the byte stays). */
static char *replace_bytes(const char *text, const char *(*with)(char))
{
  size_t size = 1;
  for (const char *c = text; *c; c++)
    size += with(*c) ? strlen(with(*c)) : 1;
  char *copy = malloc(size), *end = copy;
  for (const char *c = text; copy && *c; c++) {
    if (with(*c))
      end = stpcpy(end, with(*c));
    else
      *end++ = *c;
  }
  if (copy)
    *end = '\0';
  return copy;
}

static const char *in_markup(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  default:
    return NULL;
  }
}

/* A script ends at the first </script>, wherever it stands; `<` is in JSON only inside of strings. */
static const char *in_script(char c)
{
  return c == '<' ? "\\u003c" : NULL;
}

static char *escape_line(const char *line)
{
  const size_t size = strlen(line) * 4 + 1;
  char *clean = malloc(size);
  if (!clean)
    return NULL;
  escape_text(line, clean, size);
  char *markup = replace_bytes(clean, in_markup);
  free(clean);
  return markup;
}

/* Lines stay lines. */
char *page_markup(const char *text)
{
  char *whole = NULL, *copy = strdup(text);
  size_t bytes;
  FILE *out = copy ? open_memstream(&whole, &bytes) : NULL;
  bool good = out;
  for (char *line = copy, *next; good && line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = '\0';
    char *markup = escape_line(line);
    good = markup && fprintf(out, next ? "%s\n" : "%s", markup) >= 0;
    free(markup);
  }
  if (out && fclose(out) != 0)
    good = false;
  free(copy);
  if (good)
    return whole;
  free(whole);
  return NULL;
}

char *page_json(char *json)
{
  char *safe = json ? replace_bytes(json, in_script) : NULL;
  free(json);
  return safe;
}

/* The story as a terminal shows it, for readers without scripts. */
static char *plain_story(const struct story *story)
{
  struct story told = *story;
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  told.colour = false;
  told.width = STORY_WIDTH;
  told.page = NULL;
  if (out && told.bug)
    story_print(out, &told);
  if (out && fclose(out) != 0) {
    free(text);
    text = NULL;
  }
  char *markup = text ? page_markup(text) : NULL;
  free(text);
  return markup;
}

static char *title_of(const struct story *story, const struct trace_origin *origin)
{
  char title[1024];
  if (story->bug)
    bug_message(story, title, sizeof title);
  else
    snprintf(title, sizeof title, "%s: an execution", origin->program);
  return page_markup(title);
}

bool page_write(FILE *out, const struct story *story, const struct trace_origin *origin)
{
  char *title = title_of(story, origin), *plain = plain_story(story);
  char *data = page_json(page_data(story, origin));
  const bool good = title && plain && data;
  if (good)
    page_fill(out, (const char *)page_html,
              (const struct page_part[]){{"title", title},
                                         {"style", (const char *)page_css},
                                         {"home", story->page ? "<a href=\"index.html\">all bugs</a>" : ""},
                                         {"plain", plain},
                                         {"data", data},
                                         {"data.js", (const char *)data_js},
                                         {"graph.js", (const char *)graph_js},
                                         {"page.js", (const char *)page_js}},
              8);
  free(title);
  free(plain);
  free(data);
  return good;
}

static char *command_line_json(const struct overview *o)
{
  bool good = true;
  json_t *words = container(json_array(), &good);
  for (size_t i = 0; i < o->word_count; i++)
    add(words, text_value(o->words[i]), &good);
  char *text = good ? json_dumps(words, JSON_COMPACT) : NULL;
  json_decref(words);
  return text;
}

static char *known_json(const struct overview *o)
{
  bool good = true;
  json_t *list = container(json_array(), &good);
  for (size_t i = 0; i < o->known_count; i++) {
    const struct overview_bug *bug = &o->known[i];
    json_t *value = container(json_object(), &good);
    set(value, "name", text_value(bug->name), &good);
    set(value, "kind", text_value(bug->kind), &good);
    set(value, "message", text_value(bug->message), &good);
    set(value, "where", text_value(bug->where), &good);
    set(value, "state", text_value(bug->state), &good);
    set(value, "last", json_integer(bug->last), &good);
    set(value, "page", json_boolean(bug->page), &good);
    add(list, value, &good);
  }
  char *text = good ? json_dumps(list, JSON_COMPACT) : NULL;
  json_decref(list);
  return text;
}

bool overview_write(FILE *out, const struct overview *o)
{
  char *title = page_markup(o->title), *words = page_json(command_line_json(o));
  char *data = page_json(strdup(o->document)), *known = page_json(known_json(o));
  const bool good = title && words && data && known;
  if (good)
    page_fill(out, (const char *)overview_html,
              (const struct page_part[]){{"title", title},
                                         {"style", (const char *)page_css},
                                         {"overview.css", (const char *)overview_css},
                                         {"words", words},
                                         {"data", data},
                                         {"known", known},
                                         {"overview.js", (const char *)overview_js}},
              7);
  free(known);
  free(title);
  free(words);
  free(data);
  return good;
}
