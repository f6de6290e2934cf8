/* SPDX-License-Identifier: Apache-2.0
 *
 * From sequences of calls to an automaton; see mining.h. Three structures after each other: the prefix tree, the graph
 * of merged nodes (which need not be deterministic), and the automaton.
 */
#include "predict/protocol/mining.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

#define STATES_MAX 4096u /* of the automaton, before it is minimal */
#define END 0xffffu      /* a sequence ends: a symbol like the methods */

struct node {
  uint32_t child, sibling; /* 0 for none: the root is nobody's child */
  uint32_t method, frequency, ends;
};

struct mining {
  struct node *nodes;
  uint32_t count, room;
};

struct mining *mining_new(void)
{
  struct mining *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  m->room = 64;
  m->count = 1;
  m->nodes = calloc(m->room, sizeof *m->nodes);
  if (m->nodes)
    return m;
  free(m);
  return NULL;
}

void mining_free(struct mining *m)
{
  if (m)
    free(m->nodes);
  free(m);
}

static uint32_t new_child(struct mining *m, uint32_t node, uint32_t method)
{
  if (m->count == m->room) {
    struct node *grown = m->room < MINING_NODES ? realloc(m->nodes, 2 * (size_t)m->room * sizeof *grown) : NULL;
    if (!grown)
      return MINING_FULL;
    m->nodes = grown;
    m->room *= 2;
  }
  m->nodes[m->count] = (struct node){.method = method, .sibling = m->nodes[node].child};
  m->nodes[node].child = m->count;
  return m->count++;
}

uint32_t mining_step(struct mining *m, uint32_t node, uint32_t method)
{
  uint32_t child = m->nodes[node].child;
  while (child && m->nodes[child].method != method)
    child = m->nodes[child].sibling;
  if (!child)
    child = method < MINING_METHODS ? new_child(m, node, method) : MINING_FULL;
  if (child != MINING_FULL)
    m->nodes[child].frequency++;
  return child;
}

void mining_end(struct mining *m, uint32_t node)
{
  m->nodes[node].ends++;
}

/* ---- merging ---- */

struct edge {
  uint32_t from, method, to, frequency;
};

struct graph {
  uint32_t states, initial;
  uint32_t *ends;
  struct edge *edges; /* sorted; those of state q from first[q] to first[q + 1] */
  uint32_t edge_count;
  uint32_t *first;
};

struct continuation {
  uint64_t code; /* up to four symbols, 16 bits each, the first one lowest; a symbol is one more than its number */
  double probability;
};

struct continuations {
  struct continuation *list;
  size_t count, room;
  bool failed;
};

static int by_edge(const void *x, const void *y)
{
  const struct edge *a = x, *b = y;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  if (a->method != b->method)
    return a->method < b->method ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
}

/* Sorts the edges, adds up parallel ones, finds those of each state. */
static void settle_edges(struct graph *g)
{
  uint32_t kept = 0;
  if (g->edge_count)
    qsort(g->edges, g->edge_count, sizeof *g->edges, by_edge);
  for (uint32_t i = 0; i < g->edge_count; i++) {
    if (kept && by_edge(&g->edges[kept - 1], &g->edges[i]) == 0)
      g->edges[kept - 1].frequency += g->edges[i].frequency;
    else
      g->edges[kept++] = g->edges[i];
  }
  g->edge_count = kept;
  for (uint32_t q = 0, i = 0; q <= g->states; q++) {
    while (i < kept && g->edges[i].from < q)
      i++;
    g->first[q] = i;
  }
}

static bool graph_of_tree(const struct mining *m, struct graph *g)
{
  g->states = m->count;
  g->ends = calloc(m->count, sizeof *g->ends);
  g->edges = calloc(m->count, sizeof *g->edges);
  g->first = calloc((size_t)m->count + 1, sizeof *g->first);
  if (!g->ends || !g->edges || !g->first)
    return false;
  for (uint32_t i = 0; i < m->count; i++) {
    g->ends[i] = m->nodes[i].ends;
    for (uint32_t c = m->nodes[i].child; c; c = m->nodes[c].sibling)
      g->edges[g->edge_count++] = (struct edge){i, m->nodes[c].method, c, m->nodes[c].frequency};
  }
  settle_edges(g);
  return true;
}

static void graph_free(struct graph *g)
{
  free(g->ends);
  free(g->edges);
  free(g->first);
}

static void add_continuation(struct continuations *c, uint64_t code, double probability)
{
  if (c->count == c->room) {
    size_t more = c->room ? 2 * c->room : 64;
    struct continuation *grown = realloc(c->list, more * sizeof *grown);
    c->failed |= !grown;
    if (!grown)
      return;
    c->list = grown;
    c->room = more;
  }
  c->list[c->count++] = (struct continuation){code, probability};
}

static void collect(const struct graph *g, uint32_t q, unsigned at, unsigned k, uint64_t code, double probability,
                    struct continuations *out)
{
  double sum = g->ends[q];
  if (at == k) {
    add_continuation(out, code, probability);
    return;
  }
  for (uint32_t i = g->first[q]; i < g->first[q + 1]; i++)
    sum += g->edges[i].frequency;
  if (g->ends[q])
    add_continuation(out, code | (uint64_t)END << 16 * at, probability * g->ends[q] / sum);
  for (uint32_t i = g->first[q]; i < g->first[q + 1]; i++)
    collect(g, g->edges[i].to, at + 1, k, code | (uint64_t)(g->edges[i].method + 1) << 16 * at,
            probability * g->edges[i].frequency / sum, out);
}

static int by_code(const void *x, const void *y)
{
  const struct continuation *a = x, *b = y;
  return a->code < b->code ? -1 : a->code > b->code;
}

static int by_probability(const void *x, const void *y)
{
  const struct continuation *a = x, *b = y;
  return a->probability > b->probability ? -1 : a->probability < b->probability ? 1 : by_code(x, y);
}

/* The likeliest continuations that make up the percentage, as a set: equal numbers for equal sets (64 bits: two of some
 * hundred thousand different sets do not collide in practice). */
static uint64_t likely_set(const struct graph *g, uint32_t q, struct mining_options o, struct continuations *c)
{
  size_t different = 0, kept = 0;
  double sum = 0;
  uint64_t set = 0;
  c->count = 0;
  collect(g, q, 0, o.k, 0, 1, c);
  if (c->count)
    qsort(c->list, c->count, sizeof *c->list, by_code);
  for (size_t i = 0; i < c->count; i++) {
    if (different && c->list[different - 1].code == c->list[i].code)
      c->list[different - 1].probability += c->list[i].probability;
    else
      c->list[different++] = c->list[i];
  }
  if (different)
    qsort(c->list, different, sizeof *c->list, by_probability);
  while (kept < different && sum < o.percent / 100 - 1e-9) {
    sum += c->list[kept].probability;
    set += mix64(c->list[kept++].code); /* in any order */
  }
  return set;
}

struct member {
  uint64_t set;
  uint32_t state;
};

static int by_set(const void *x, const void *y)
{
  const struct member *a = x, *b = y;
  if (a->set != b->set)
    return a->set < b->set ? -1 : 1;
  return a->state < b->state ? -1 : a->state > b->state;
}

/* Classes of equivalent states, numbered in the order of their first members; returns how many. */
static uint32_t classify(const struct graph *g, struct member *members, uint32_t *class_of)
{
  uint32_t classes = 0;
  qsort(members, g->states, sizeof *members, by_set);
  for (uint32_t i = 0, lead = 0; i < g->states; i++) {
    if (members[i].set != members[lead].set)
      lead = i;
    class_of[members[i].state] = members[lead].state;
  }
  for (uint32_t q = 0; q < g->states; q++)
    class_of[q] = class_of[q] == q ? classes++ : class_of[class_of[q]];
  return classes;
}

static void merge(struct graph *g, const uint32_t *class_of, uint32_t classes)
{
  for (uint32_t i = 0; i < g->edge_count; i++) {
    g->edges[i].from = class_of[g->edges[i].from];
    g->edges[i].to = class_of[g->edges[i].to];
  }
  for (uint32_t q = 0; q < g->states; q++) { /* a class is numbered no higher than its members */
    uint32_t ends = g->ends[q];
    g->ends[q] = 0;
    g->ends[class_of[q]] += ends;
  }
  g->initial = class_of[g->initial];
  g->states = classes;
  settle_edges(g);
}

static bool merge_all(struct graph *g, struct mining_options o)
{
  struct continuations c = {0};
  struct member *members = malloc(g->states * sizeof *members);
  uint32_t *class_of = malloc(g->states * sizeof *class_of);
  bool more = members && class_of;
  c.failed = !more;
  while (more && !c.failed) {
    for (uint32_t q = 0; q < g->states; q++)
      members[q] = (struct member){likely_set(g, q, o, &c), q};
    uint32_t classes = classify(g, members, class_of);
    more = classes < g->states;
    if (more)
      merge(g, class_of, classes);
  }
  free(c.list);
  free(members);
  free(class_of);
  return !c.failed;
}

/* ---- subsets ---- */

struct state_set {
  uint32_t *states; /* sorted */
  uint32_t count;
};

struct state_sets {
  struct state_set *list;
  uint32_t count;
  uint32_t methods;
  uint32_t *next; /* STATES_MAX × methods */
  bool failed;
};

static int by_number(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

/* The subset of these states, made if it is new; the list is copied. */
static uint32_t subset_of(struct state_sets *s, const uint32_t *states, uint32_t count)
{
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].count == count && !memcmp(s->list[i].states, states, count * sizeof *states))
      return i;
  uint32_t *copy = s->count < STATES_MAX ? malloc(count * sizeof *copy) : NULL;
  s->failed |= !copy;
  if (!copy)
    return AUTOMATON_BAD;
  memcpy(copy, states, count * sizeof *copy);
  s->list[s->count] = (struct state_set){copy, count};
  for (uint32_t m = 0; m < s->methods; m++)
    s->next[(size_t)s->count * s->methods + m] = AUTOMATON_BAD;
  return s->count++;
}

/* Where the method leads from the states of a subset, sorted and without doubles. */
static uint32_t targets(const struct graph *g, const struct state_set *from, uint32_t method, uint32_t *out)
{
  uint32_t count = 0, kept = 0;
  for (uint32_t i = 0; i < from->count; i++)
    for (uint32_t e = g->first[from->states[i]]; e < g->first[from->states[i] + 1]; e++)
      if (g->edges[e].method == method)
        out[count++] = g->edges[e].to;
  if (count)
    qsort(out, count, sizeof *out, by_number);
  for (uint32_t i = 0; i < count; i++)
    if (!kept || out[kept - 1] != out[i])
      out[kept++] = out[i];
  return kept;
}

static void construct_subsets(const struct graph *g, struct state_sets *s)
{
  uint32_t *reached = malloc(((size_t)g->edge_count + 1) * sizeof *reached);
  s->failed |= !reached;
  if (!s->failed)
    subset_of(s, &g->initial, 1);
  for (uint32_t at = 0; at < s->count && !s->failed; at++)
    for (uint32_t m = 0; m < s->methods && !s->failed; m++) {
      uint32_t count = targets(g, &s->list[at], m, reached);
      if (count)
        s->next[(size_t)at * s->methods + m] = subset_of(s, reached, count);
    }
  free(reached);
}

/* ---- the smallest automaton: states that allow the same sequences are one ---- */

static bool alike(const struct state_sets *s, const uint32_t *class_of, uint32_t a, uint32_t b)
{
  const uint32_t *x = s->next + (size_t)a * s->methods, *y = s->next + (size_t)b * s->methods;
  if (class_of[a] != class_of[b])
    return false;
  for (uint32_t m = 0; m < s->methods; m++)
    if ((x[m] == AUTOMATON_BAD) != (y[m] == AUTOMATON_BAD) ||
        (x[m] != AUTOMATON_BAD && class_of[x[m]] != class_of[y[m]]))
      return false;
  return true;
}

/* Splits classes by where their members lead; returns how many there are then. first[c]: a member of class c. */
static uint32_t split_classes(const struct state_sets *s, const uint32_t *class_of, uint32_t *split, uint32_t *first)
{
  uint32_t classes = 0;
  for (uint32_t q = 0; q < s->count; q++) {
    uint32_t c = 0;
    while (c < classes && !alike(s, class_of, first[c], q))
      c++;
    if (c == classes)
      first[classes++] = q;
    split[q] = c;
  }
  return classes;
}

static struct automaton *minimal(const struct state_sets *s, const char *type)
{
  struct automaton *a = NULL;
  uint32_t *class_of = calloc(3 * (size_t)s->count, sizeof *class_of), *split = class_of + s->count,
           *first = split + s->count, classes = 1, before = 0;
  if (!class_of)
    return NULL;
  while (classes != before) {
    before = classes;
    classes = split_classes(s, class_of, split, first);
    memcpy(class_of, split, s->count * sizeof *class_of);
  }
  a = automaton_new(type, classes, s->methods);
  for (uint32_t c = 0; a && c < classes; c++)
    for (uint32_t m = 0; m < s->methods; m++) {
      uint32_t to = s->next[(size_t)first[c] * s->methods + m];
      a->next[(size_t)c * s->methods + m] = to == AUTOMATON_BAD ? NO_STATE : (uint16_t)class_of[to];
    }
  free(class_of);
  return a;
}

static struct automaton *deterministic(const struct graph *g, const char *type, uint32_t methods)
{
  struct automaton *a = NULL;
  struct state_sets s = {.methods = methods};
  s.list = calloc(STATES_MAX, sizeof *s.list);
  s.next = malloc((size_t)STATES_MAX * (methods + 1) * sizeof *s.next);
  s.failed = !s.list || !s.next;
  construct_subsets(g, &s);
  if (!s.failed)
    a = minimal(&s, type);
  for (uint32_t i = 0; i < s.count; i++)
    free(s.list[i].states);
  free(s.list);
  free(s.next);
  return a;
}

struct automaton *mining_learn(const struct mining *m, const char *type, uint32_t methods,
                               struct mining_options options)
{
  struct graph g = {0};
  struct automaton *a = NULL;
  if (graph_of_tree(m, &g) && merge_all(&g, options))
    a = deterministic(&g, type, methods);
  graph_free(&g);
  return a;
}
