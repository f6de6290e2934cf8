/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of an exploration, see the header. Must not read files, and must not keep finished subtrees: a trace may
 * have many millions of nodes.
 */
#include "estimate/tree.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum node_state { NODE_WAITING, NODE_SCHEDULED, NODE_VISITED };

/* What only visited nodes have. */
struct inner {
  struct node *waiting;               /* children not visited, scheduled or not */
  struct node *open;                  /* children visited and not finished */
  uint32_t visited;                   /* E: children, and executions that ended in this node itself */
  uint32_t scheduled;                 /* S */
  uint32_t unscheduled;               /* the other children */
  uint32_t foreseen;                  /* those of them the oracle knows to be scheduled later */
  double finished;                    /* of the visited: how many are finished and gone */
  double finished_sum[MEASURE_COUNT]; /* explored in those */
  double upto[GROWTH_KEPT + 1];       /* branches of the first so many of those */
  double alone;                       /* branches below it when the second child was scheduled */
  bool ended;                         /* an execution ended here */
  /* What follows is as of the last refresh(). */
  double explored[MEASURE_COUNT];
  struct scaled probability[GUESS_COUNT];
  struct scaled recursive[MEASURE_COUNT][GUESS_COUNT];
  struct scaled learnt_probability, learnt_size;
};

struct node {
  uint64_t id;
  uint64_t number; /* in the order of being added */
  struct node *parent;
  struct node *before, *after; /* in a list of the parent */
  struct node *same_bucket;
  struct inner *inner; /* NULL until it is visited */
  enum node_state state;
  bool on_path; /* of the current execution */
};

struct tree {
  struct oracle *oracle;
  bool learn, running, complete;
  struct node **buckets;
  size_t bucket_count; /* a power of two */
  size_t open_nodes;
  uint64_t added, branches;
  double elapsed;
  struct probes probes;
  struct tree_growth growth;
  struct node *root, *at; /* at: where the current execution is */
};

/* ---- the oracle ---- */

void oracle_free(struct oracle *oracle)
{
  free(oracle->bits);
  *oracle = (struct oracle){0};
}

static bool oracle_knows(const struct oracle *oracle, uint64_t number)
{
  return number / 64 < oracle->words && (oracle->bits[number / 64] >> number % 64 & 1);
}

static void oracle_unlearn(struct oracle *oracle, uint64_t number)
{
  oracle->bits[number / 64] &= ~(UINT64_C(1) << number % 64);
}

static bool oracle_learn(struct oracle *oracle, uint64_t number)
{
  if (number / 64 >= oracle->words) {
    size_t words = (number / 64 + 1) * 2;
    uint64_t *bits = realloc(oracle->bits, words * sizeof *bits);
    if (!bits)
      return false;
    memset(bits + oracle->words, 0, (words - oracle->words) * sizeof *bits);
    *oracle = (struct oracle){bits, words};
  }
  oracle->bits[number / 64] |= UINT64_C(1) << number % 64;
  return true;
}

/* ---- nodes by their id ---- */

static struct node **bucket_of(const struct tree *tree, uint64_t id)
{
  return &tree->buckets[(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (tree->bucket_count - 1)];
}

static struct node *find(const struct tree *tree, uint64_t id)
{
  struct node *node = *bucket_of(tree, id);
  while (node && node->id != id)
    node = node->same_bucket;
  return node;
}

static bool grow_buckets(struct tree *tree)
{
  struct node **old = tree->buckets;
  size_t old_count = tree->bucket_count;
  struct node **fresh = calloc(old_count * 2, sizeof(struct node *));
  if (!fresh)
    return false;
  tree->buckets = fresh;
  tree->bucket_count = old_count * 2;
  for (size_t i = 0; i < old_count; i++)
    for (struct node *node = old[i], *next; node; node = next) {
      next = node->same_bucket;
      struct node **bucket = bucket_of(tree, node->id);
      node->same_bucket = *bucket;
      *bucket = node;
    }
  free(old);
  return true;
}

/* A new node in the table and in no list; NULL: no memory. */
static struct node *new_node(struct tree *tree, uint64_t id, struct node *parent)
{
  if (tree->open_nodes >= tree->bucket_count && !grow_buckets(tree))
    return NULL;
  struct node *node = calloc(1, sizeof *node);
  if (!node)
    return NULL;
  struct node **bucket = bucket_of(tree, id);
  *node = (struct node){.id = id, .number = tree->added++, .parent = parent, .same_bucket = *bucket};
  *bucket = node;
  tree->open_nodes++;
  return node;
}

static void list_add(struct node **list, struct node *node)
{
  node->before = NULL;
  node->after = *list;
  if (*list)
    (*list)->before = node;
  *list = node;
}

static void list_remove(struct node **list, struct node *node)
{
  if (node->before)
    node->before->after = node->after;
  else
    *list = node->after;
  if (node->after)
    node->after->before = node->before;
}

static void free_node(struct tree *tree, struct node *node)
{
  struct node **link = bucket_of(tree, node->id);
  while (*link != node)
    link = &(*link)->same_bucket;
  *link = node->same_bucket;
  tree->open_nodes--;
  free(node->inner);
  free(node);
}

/* Frees a finished node, and the children that were never scheduled. */
static void free_finished(struct tree *tree, struct node *node)
{
  for (struct node *child = node->inner->waiting, *next; child; child = next) {
    next = child->after;
    free_node(tree, child);
  }
  free_node(tree, node);
}

/* ---- estimates ---- */

static bool is_finished(const struct node *node)
{
  return node->inner->scheduled == 0 && !node->inner->open && !node->on_path;
}

/* |F|; nodes that are finished, for which eager says none, are gone. */
static uint32_t foreseen(const struct inner *v, enum guess guess)
{
  switch (guess) {
  case GUESS_ORACLE:
    return v->foreseen;
  case GUESS_EAGER:
    return v->unscheduled;
  case GUESS_LAZY:
  case GUESS_COUNT:
    break;
  }
  return 0;
}

static void refresh_guess(struct inner *v, enum guess guess)
{
  struct scaled probability = scaled_from_double(v->finished), recursive[MEASURE_COUNT];
  for (int m = 0; m < MEASURE_COUNT; m++)
    recursive[m] = scaled_from_double(v->finished_sum[m]);
  for (const struct node *child = v->open; child; child = child->after) {
    probability = scaled_add(probability, child->inner->probability[guess]);
    for (int m = 0; m < MEASURE_COUNT; m++)
      recursive[m] = scaled_add(recursive[m], child->inner->recursive[m][guess]);
  }
  double children = (double)v->visited + v->scheduled + foreseen(v, guess);
  v->probability[guess] = scaled_divide(probability, scaled_from_double(children));
  for (int m = 0; m < MEASURE_COUNT; m++)
    v->recursive[m][guess] = scaled_multiply(recursive[m], scaled_from_double(children / v->visited));
}

static unsigned width_of(const struct inner *v)
{
  return v->visited + v->scheduled + v->unscheduled;
}

static void refresh_learnt(const struct tree_growth *growth, struct inner *v)
{
  struct scaled probability = scaled_from_double(v->finished);
  struct scaled size = scaled_from_double(v->finished_sum[MEASURE_BRANCHES]);
  for (const struct node *child = v->open; child; child = child->after) {
    probability = scaled_add(probability, child->inner->learnt_probability);
    size = scaled_add(size, child->inner->learnt_size);
  }
  unsigned children = v->visited + v->scheduled;
  double more = growth_more(growth, width_of(v), children, v->explored[MEASURE_BRANCHES]), all = children + more;
  double later = (all - v->visited) / v->visited * growth_later(growth, v->visited);
  v->learnt_probability = scaled_divide(probability, scaled_from_double(all));
  v->learnt_size = scaled_multiply(size, scaled_from_double(1 + later));
}

/* Brings a node's figures up to date with its children's. */
static void refresh(const struct tree *tree, struct inner *v)
{
  for (int m = 0; m < MEASURE_COUNT; m++) {
    v->explored[m] = v->finished_sum[m];
    for (const struct node *child = v->open; child; child = child->after)
      v->explored[m] += child->inner->explored[m];
  }
  for (enum guess guess = 0; guess < GUESS_COUNT; guess++)
    refresh_guess(v, guess);
  refresh_learnt(&tree->growth, v);
}

/* The children of a node have changed. The end of an execution refreshes those on its path. */
static void changed(struct tree *tree, struct node *node)
{
  if (tree->learn || node->on_path)
    return;
  for (; node; node = node->parent)
    refresh(tree, node->inner);
}

void tree_estimates(const struct tree *tree, struct estimates *e)
{
  *e = (struct estimates){.branches = tree->branches,
                          .probes = tree->probes,
                          .elapsed = {[MEASURE_TIME] = tree->elapsed, [MEASURE_BRANCHES] = (double)tree->branches}};
  for (int m = 0; m < MEASURE_COUNT; m++)
    for (enum guess guess = 0; guess < GUESS_COUNT; guess++) {
      struct scaled *total = e->total[m][guess];
      const struct inner *root = tree->root ? tree->root->inner : NULL;
      struct scaled explored = scaled_from_double(root ? root->explored[m] : e->elapsed[m]);
      total[ESTIMATOR_WBE] = root ? scaled_divide(explored, root->probability[guess]) : explored;
      total[ESTIMATOR_RE] = root ? root->recursive[m][guess] : explored;
    }
  struct scaled branches = scaled_from_double((double)tree->branches);
  const struct inner *root = tree->root ? tree->root->inner : NULL;
  e->learnt[ESTIMATOR_WBE] = root ? scaled_divide(branches, root->learnt_probability) : branches;
  e->learnt[ESTIMATOR_RE] = root ? root->learnt_size : branches;
}

/* ---- events ---- */

static bool no_memory(struct events *events)
{
  return events_fail(events, "no memory for so many open nodes");
}

static bool unknown(struct events *events, uint64_t id)
{
  return events_fail(events, "there is no node %" PRIu64 ", or everything below it was finished before", id);
}

static bool add_node(struct tree *tree, const struct exploration_event *event, struct events *events)
{
  if (find(tree, event->node))
    return events_fail(events, "node %" PRIu64 " is added a second time", event->node);
  if (event->root) {
    if (tree->added)
      return events_fail(events, "a second root");
    tree->root = new_node(tree, event->node, NULL);
    return tree->root || no_memory(events);
  }
  struct node *parent = find(tree, event->parent);
  if (!parent)
    return unknown(events, event->parent);
  if (!parent->inner)
    return events_fail(events, "node %" PRIu64 " gets a child before it was visited", event->parent);
  struct node *node = new_node(tree, event->node, parent);
  if (!node)
    return no_memory(events);
  list_add(&parent->inner->waiting, node);
  parent->inner->unscheduled++;
  parent->inner->foreseen += oracle_knows(tree->oracle, node->number);
  changed(tree, parent);
  return true;
}

static bool explore(struct tree *tree, uint64_t id, struct events *events)
{
  struct node *node = find(tree, id);
  if (!node)
    return unknown(events, id);
  if (node->state != NODE_WAITING)
    return events_fail(events, "node %" PRIu64 " is scheduled a second time", id);
  if (tree->learn && !oracle_learn(tree->oracle, node->number))
    return no_memory(events);
  node->state = NODE_SCHEDULED;
  if (!node->parent)
    return true;
  struct inner *parent = node->parent->inner;
  parent->unscheduled--;
  parent->foreseen -= !tree->learn && oracle_knows(tree->oracle, node->number);
  parent->scheduled++;
  if (parent->visited + parent->scheduled == 2)
    parent->alone = parent->explored[MEASURE_BRANCHES];
  changed(tree, node->parent);
  return true;
}

static bool drop(struct tree *tree, uint64_t id, struct events *events)
{
  struct node *node = find(tree, id);
  if (!node)
    return unknown(events, id);
  if (node->state != NODE_SCHEDULED)
    return events_fail(events, "node %" PRIu64 " is dropped, but it does not wait to be visited", id);
  if (!node->parent || !node->parent->on_path)
    return events_fail(events, "node %" PRIu64 " is dropped, but no execution is above it", id);
  if (tree->learn)
    oracle_unlearn(tree->oracle, node->number);
  node->state = NODE_WAITING;
  node->parent->inner->scheduled--;
  node->parent->inner->unscheduled++;
  node->parent->inner->foreseen += !tree->learn && oracle_knows(tree->oracle, node->number);
  return true;
}

static bool visit(struct tree *tree, struct node *node, struct events *events)
{
  if (node->state == NODE_WAITING)
    return events_fail(events, "node %" PRIu64 " is visited, but was not scheduled (Explore)", node->id);
  if (!node->inner && !(node->inner = calloc(1, sizeof *node->inner)))
    return no_memory(events);
  if (node->state == NODE_SCHEDULED && node->parent) {
    struct inner *parent = node->parent->inner;
    list_remove(&parent->waiting, node);
    list_add(&parent->open, node);
    parent->scheduled--;
    parent->visited++;
  }
  node->state = NODE_VISITED;
  node->on_path = true;
  tree->at = node;
  return true;
}

static bool probe(struct tree *tree, const struct exploration_event *event, struct events *events)
{
  if (tree->branches || tree->running)
    return events_fail(events, "a probe after the first execution has started");
  probes_add(&tree->probes, event->size);
  return true;
}

static bool start(struct tree *tree, struct events *events)
{
  if (tree->running)
    return events_fail(events, "an execution starts before the one before it ended");
  if (tree->complete)
    return events_fail(events, "an execution starts, but everything scheduled was visited before");
  if (!tree->root)
    return events_fail(events, "an execution starts, but there is no root");
  if (!visit(tree, tree->root, events))
    return false;
  tree->running = true;
  return true;
}

static bool transition(struct tree *tree, uint64_t id, struct events *events)
{
  struct node *node = find(tree, id);
  if (!tree->running)
    return events_fail(events, "a step to node %" PRIu64 " outside of an execution (Start … End)", id);
  if (!node)
    return unknown(events, id);
  if (node->parent != tree->at)
    return events_fail(events, "node %" PRIu64 " is not a child of node %" PRIu64 ", where the execution is", id,
                       tree->at->id);
  return visit(tree, node, events);
}

static void learn_growth(struct tree_growth *growth, const struct inner *v)
{
  struct grown_node node = {.width = width_of(v),
                            .children = v->visited,
                            .alone = v->visited > 1 ? v->alone : v->finished_sum[MEASURE_BRANCHES],
                            .size = v->finished_sum[MEASURE_BRANCHES]};
  memcpy(node.upto, v->upto, sizeof node.upto);
  if (!v->ended)
    growth_learn(growth, &node);
}

/* Adds a finished node to its parent and frees it. */
static void finish(struct tree *tree, struct node *node)
{
  struct inner *parent = node->parent ? node->parent->inner : NULL;
  learn_growth(&tree->growth, node->inner);
  if (parent) {
    list_remove(&parent->open, node);
    parent->finished++;
    for (int m = 0; m < MEASURE_COUNT; m++)
      parent->finished_sum[m] += node->inner->finished_sum[m];
    if (parent->finished <= GROWTH_KEPT)
      parent->upto[(unsigned)parent->finished] = parent->finished_sum[MEASURE_BRANCHES];
  } else {
    tree->complete = true;
    tree->root = NULL;
  }
  free_finished(tree, node);
}

static bool end(struct tree *tree, double time, struct events *events)
{
  if (!tree->running)
    return events_fail(events, "an execution ends that did not start");
  tree->running = false;
  tree->branches++;
  tree->elapsed += time;
  struct inner *last = tree->at->inner; /* the end counts as a child, visited and finished */
  last->visited++;
  last->ended = true;
  last->finished++;
  last->finished_sum[MEASURE_TIME] += time;
  last->finished_sum[MEASURE_BRANCHES]++;
  for (struct node *node = tree->at, *parent; node; node = parent) {
    parent = node->parent;
    node->on_path = false;
    if (is_finished(node))
      finish(tree, node);
    else if (!tree->learn)
      refresh(tree, node->inner);
  }
  return true;
}

bool tree_apply(struct tree *tree, const struct exploration_event *event, struct events *events)
{
  switch (event->kind) {
  case EVENT_ADD_NODE:
    return add_node(tree, event, events);
  case EVENT_EXPLORE:
    return explore(tree, event->node, events);
  case EVENT_DROP:
    return drop(tree, event->node, events);
  case EVENT_PROBE:
    return probe(tree, event, events);
  case EVENT_START:
    return start(tree, events);
  case EVENT_TRANSITION:
    return transition(tree, event->node, events);
  case EVENT_END:
    return end(tree, event->time, events);
  }
  return false;
}

/* ---- the whole ---- */

struct tree *tree_new(struct oracle *oracle, bool learn)
{
  struct tree *tree = calloc(1, sizeof *tree);
  if (!tree)
    return NULL;
  *tree = (struct tree){.oracle = oracle, .learn = learn, .bucket_count = 1024};
  tree->buckets = calloc(tree->bucket_count, sizeof(struct node *));
  if (tree->buckets)
    return tree;
  free(tree);
  return NULL;
}

void tree_free(struct tree *tree)
{
  if (!tree)
    return;
  for (size_t i = 0; i < tree->bucket_count; i++)
    while (tree->buckets[i])
      free_node(tree, tree->buckets[i]);
  free(tree->buckets);
  free(tree);
}

uint64_t tree_nodes(const struct tree *tree)
{
  return tree->added;
}

uint64_t tree_open_nodes(const struct tree *tree)
{
  return tree->open_nodes;
}

bool tree_running(const struct tree *tree)
{
  return tree->running;
}

bool tree_complete(const struct tree *tree)
{
  return tree->complete;
}
