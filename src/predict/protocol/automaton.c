/* SPDX-License-Identifier: Apache-2.0
 *
 * Automata and their files; see automaton.h.
 */
#include "predict/protocol/automaton.h"
#include "file/input_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct automaton *automaton_new(const char *type, uint32_t states, uint32_t methods)
{
  struct automaton *a = states < NO_STATE ? calloc(1, sizeof *a) : NULL;
  if (!a)
    return NULL;
  size_t edges = (size_t)states * methods;
  a->states = states;
  a->methods = methods;
  a->type = strdup(type);
  a->method = calloc(methods + 1, sizeof *a->method);
  a->state = calloc(states + 1, sizeof *a->state);
  a->next = malloc((edges + 1) * sizeof *a->next);
  if (!a->type || !a->method || !a->state || !a->next) {
    automaton_free(a);
    return NULL;
  }
  for (size_t i = 0; i < edges; i++)
    a->next[i] = AUTOMATON_BAD;
  return a;
}

static void free_names(char **names, uint32_t count)
{
  for (uint32_t i = 0; names && i < count; i++)
    free(names[i]);
  free(names);
}

void automaton_free(struct automaton *a)
{
  if (!a)
    return;
  free_names(a->method, a->methods);
  free_names(a->state, a->states);
  free(a->next);
  free(a->type);
  free(a);
}

bool automaton_name_method(struct automaton *a, uint32_t method, const char *name)
{
  free(a->method[method]);
  a->method[method] = strdup(name);
  return a->method[method];
}

static uint32_t named(char *const *names, uint32_t count, const char *name)
{
  for (uint32_t i = 0; i < count; i++)
    if (names[i] && !strcmp(names[i], name))
      return i;
  return AUTOMATON_BAD;
}

uint32_t automaton_method(const struct automaton *a, const char *name)
{
  return named(a->method, a->methods, name);
}

const char *automaton_state(const struct automaton *a, uint32_t state, char *text, size_t size)
{
  if (state == AUTOMATON_BAD)
    snprintf(text, size, "error");
  else if (a->state[state])
    snprintf(text, size, "%s", a->state[state]);
  else
    snprintf(text, size, "s%u", state + 1);
  return text;
}

/* ---- reading ---- */

struct edge {
  uint32_t from, method, to;
};

struct draft {
  char type[128];
  bool typed;
  char **states, **methods;
  uint32_t state_count, method_count;
  struct edge *edges;
  size_t edge_count;
  bool failed; /* no memory */
};

/* Lists grow at every power of two. */
static bool room(void **list, size_t count, size_t size, bool *failed)
{
  if (count & (count - 1))
    return true;
  void *grown = realloc(*list, (count ? 2 * count : 1) * size);
  *failed |= !grown;
  if (grown)
    *list = grown;
  return grown;
}

static uint32_t intern(struct draft *d, char ***names, uint32_t *count, const char *name)
{
  uint32_t known = named(*names, *count, name);
  if (known != AUTOMATON_BAD || !room((void **)names, *count, sizeof **names, &d->failed))
    return known;
  (*names)[*count] = strdup(name);
  d->failed |= !(*names)[*count];
  return (*count)++;
}

static void read_edge(struct draft *d, char *const word[3])
{
  struct edge e = {.from = intern(d, &d->states, &d->state_count, word[0]),
                   .method = intern(d, &d->methods, &d->method_count, word[1]),
                   .to = intern(d, &d->states, &d->state_count, word[2])};
  if (!d->failed && room((void **)&d->edges, d->edge_count, sizeof *d->edges, &d->failed))
    d->edges[d->edge_count++] = e;
}

static bool read_line(struct draft *d, char *line, unsigned number, char *error, size_t size)
{
  char *word[4] = {0}, *rest = line;
  unsigned words = 0;
  line[strcspn(line, "#\n")] = 0;
  while (words < 4 && (word[words] = strtok_r(rest, " \t", &rest)))
    words++;
  if (words == 0)
    return true;
  if (!d->typed && words == 2 && !strcmp(word[0], "protocol")) {
    snprintf(d->type, sizeof d->type, "%s", word[1]);
    return d->typed = true;
  }
  if (!d->typed || words != 3) {
    snprintf(error, size,
             d->typed ? "line %u: not of the form STATE METHOD STATE" : "line %u: not of the form protocol TYPE",
             number);
    return false;
  }
  read_edge(d, word);
  return true;
}

static bool two_ways(const struct automaton *a, const struct edge *e)
{
  uint32_t known = a->next[(size_t)e->from * a->methods + e->method];
  return known != AUTOMATON_BAD && known != e->to;
}

static struct automaton *finish_draft(struct draft *d, char *error, size_t size)
{
  struct automaton *a = d->failed ? NULL : automaton_new(d->type, d->state_count, d->method_count);
  if (!a) {
    snprintf(error, size, "no memory left");
    return NULL;
  }
  memcpy(a->method, d->methods, d->method_count * sizeof *a->method);
  memcpy(a->state, d->states, d->state_count * sizeof *a->state);
  d->method_count = d->state_count = 0; /* they are the automaton's now */
  for (size_t i = 0; i < d->edge_count; i++) {
    const struct edge *e = &d->edges[i];
    if (two_ways(a, e)) {
      snprintf(error, size, "%s leads from %s to both %s and another state", a->method[e->method], a->state[e->from],
               a->state[e->to]);
      automaton_free(a);
      return NULL;
    }
    a->next[(size_t)e->from * a->methods + e->method] = (uint16_t)e->to;
  }
  return a;
}

struct automaton *automaton_read(FILE *file, char *error, size_t error_size)
{
  struct draft d = {0};
  struct automaton *a = NULL;
  char *line = NULL;
  size_t size = 0;
  unsigned number = 0;
  bool right = true;
  long start = ftell(file);
  while (right && input_line(&line, &size, file, NULL) >= 0) {
    if (d.edge_count && !strncmp(line, "protocol ", 9)) { /* the next one */
      fseek(file, start, SEEK_SET);
      break;
    }
    right = read_line(&d, line, ++number, error, error_size);
    start = ftell(file);
  }
  if (right && !d.failed && !d.edge_count)
    snprintf(error, error_size, "there is no protocol in it");
  else if (right)
    a = finish_draft(&d, error, error_size);
  free(line);
  free(d.edges);
  free_names(d.states, d.state_count);
  free_names(d.methods, d.method_count);
  return a;
}

/* ---- writing ---- */

void automaton_write(const struct automaton *a, FILE *file)
{
  char from[64], to[64];
  fprintf(file, "protocol %s\n", *a->type ? a->type : "objects");
  for (uint32_t q = 0; q < a->states; q++)
    for (uint32_t m = 0; m < a->methods; m++)
      if (automaton_next(a, q, m) != AUTOMATON_BAD)
        fprintf(file, "%s %s %s\n", automaton_state(a, q, from, sizeof from), a->method[m],
                automaton_state(a, automaton_next(a, q, m), to, sizeof to));
}

/* A name of C, as events and states have it: no two of one list become the same. */
static void write_name(const char *kind, uint32_t number, const char *name, FILE *file)
{
  bool plain = name && isalpha((unsigned char)name[0]) && strlen(name) > 1 && strlen(name) < 36;
  for (const char *c = name; plain && *c; c++)
    plain = isalnum((unsigned char)*c) || *c == '_';
  if (plain)
    fprintf(file, "%s_%s", kind, name);
  else
    fprintf(file, "%s%u", kind, number + 1);
}

static void write_event(const struct automaton *a, uint32_t m, const struct automaton_method *method, FILE *file)
{
  fprintf(file, "  event ");
  write_name("e", m, a->method[m], file);
  if (method->returns)
    fprintf(file, " after() returning(void *object) : call(%s(..)) && condition(object != NULL) {}\n", a->method[m]);
  else
    fprintf(file, " before(void *object) : call(%s(..)) && arg(%u, object) {}\n", a->method[m], method->argument);
}

/* A call that makes an object leads where it does from the first state, wherever what was there before had come. */
void automaton_write_spec(const struct automaton *a, const struct automaton_method *method, FILE *file)
{
  write_name("Protocol", 0, a->type, file);
  fprintf(file, "(void *object) {\n");
  for (uint32_t m = 0; m < a->methods; m++)
    write_event(a, m, &method[m], file);
  fprintf(file, "  fsm:\n");
  for (uint32_t q = 0; q < a->states; q++) {
    fprintf(file, "    ");
    write_name("s", q, a->state[q], file);
    fprintf(file, " [");
    for (uint32_t m = 0; m < a->methods; m++) {
      uint32_t to = automaton_next(a, method[m].returns || method[m].makes ? 0 : q, m);
      if (to == AUTOMATON_BAD)
        continue;
      fprintf(file, " ");
      write_name("e", m, a->method[m], file);
      fprintf(file, " -> ");
      write_name("s", to, a->state[to], file);
    }
    fprintf(file, " ]\n");
  }
  fprintf(file, "  @fail {}\n}\n");
}

void automaton_draw(const struct automaton *a, FILE *file)
{
  char from[64], to[64];
  fprintf(file, "digraph \"%s\" {\n  rankdir=LR;\n  start [shape=point];\n  start -> \"%s\";\n", a->type,
          automaton_state(a, 0, from, sizeof from));
  for (uint32_t q = 0; q < a->states; q++)
    for (uint32_t m = 0; m < a->methods; m++)
      if (automaton_next(a, q, m) != AUTOMATON_BAD)
        fprintf(file, "  \"%s\" -> \"%s\" [label=\"%s\"];\n", automaton_state(a, q, from, sizeof from),
                automaton_state(a, automaton_next(a, q, m), to, sizeof to), a->method[m]);
  fprintf(file, "}\n");
}
