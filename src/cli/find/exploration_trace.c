/* SPDX-License-Identifier: Apache-2.0
 *
 * From recorded branches to the events of an exploration trace: nodes, which of them are scheduled, and when executions
 * start and end. The children of a node are the threads that could go on there, and more if data choices had more
 * outcomes.
 */
#include "cli/find/exploration_trace.h"
#include "estimate/events.h"
#include "file/output_file.h"
#include "session/console.h"
#include "session/worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node of the current branch: its children have the numbers from `first` on, in the order in which they are
 * scheduled. Where more come than there seemed to be, those before were all visited, and their numbers are not needed
 * any more. */
struct open_node {
  uint64_t first;
  uint64_t now; /* the number of the one that the branch goes through */
  uint32_t children;
  uint32_t scheduled; /* the first so many */
  uint32_t visited;
  uint64_t step; /* that leads from it to the next node of the branch */
};

struct writer {
  FILE *out;
  uint64_t nodes; /* numbers given so far */
  struct open_node *open;
  uint32_t depth, room;
  const struct branch_node *node; /* what was recorded, */
  uint64_t count, at;             /* and what is still to be written of it */
};

static bool make_room(struct writer *w, uint32_t depth)
{
  if (depth < w->room)
    return true;
  uint32_t room = 2 * depth + 64;
  struct open_node *grown = realloc(w->open, room * sizeof *grown);
  if (!grown)
    return false;
  w->open = grown;
  w->room = room;
  return true;
}

static uint64_t number_of(const struct writer *w, uint32_t depth)
{
  return depth ? w->open[depth - 1].now : 0;
}

/* Sees to it that there is one to visit next. */
static void add_children(struct writer *w, uint32_t at, uint32_t able)
{
  struct open_node *n = &w->open[at];
  if (n->visited < n->children)
    return;
  uint32_t wanted = !n->children && able ? able : n->children + 1;
  n->first = w->nodes - n->children;
  for (; n->children < wanted; n->children++)
    fprintf(w->out, "AddNode %" PRIu64 " %" PRIu64 "\n", w->nodes++, number_of(w, at));
}

static void schedule(struct writer *w, uint32_t at, uint32_t wanted)
{
  struct open_node *n = &w->open[at];
  for (; n->scheduled < wanted && n->scheduled < n->children; n->scheduled++)
    fprintf(w->out, "Explore %" PRIu64 "\n", n->first + n->scheduled);
}

/* The last of those that are scheduled will not be visited. */
static void drop(struct writer *w, uint32_t at, uint32_t wanted)
{
  struct open_node *n = &w->open[at];
  for (; n->scheduled > wanted; n->scheduled--)
    fprintf(w->out, "Drop %" PRIu64 "\n", n->first + n->scheduled - 1);
}

/* An execution: n steps. */
struct branch {
  const struct branch_node *step;
  uint32_t n;
  double seconds;
};

/* The branch that begins at `at`; the next one begins behind it. */
static struct branch branch_at(const struct writer *w, uint64_t at)
{
  uint32_t n = 0;
  while (at + 1 + n < w->count && w->node[at + 1 + n].thread != BRANCH_START && n < UINT32_MAX - 1)
    n++;
  return (struct branch){&w->node[at + 1], n, (double)w->node[at].step * 1e-9};
}

/* How many steps it has in common with the branch before. All of them: it is the same one again, after something was
 * learnt. */
static uint32_t shared(const struct writer *w, const struct branch *b)
{
  uint32_t same = 0;
  while (same < b->n && same < w->depth && w->open[same].step == b->step[same].step)
    same++;
  return same;
}

/* Where the next branch that is another leaves the one that was written; UINT32_MAX: there is none. */
static uint32_t next_leaves(const struct writer *w)
{
  for (uint64_t at = w->at; at < w->count;) {
    struct branch next = branch_at(w, at);
    uint32_t same = shared(w, &next);
    if (same < next.n)
      return same;
    at += next.n + 1;
  }
  return UINT32_MAX;
}

/* What is to be done along the branch, as the search knew when it was over. What waits may turn out to be superfluous
 * when its turn comes, and be left out without an execution; and not all that comes is said to wait before (data
 * choices). So where the next branch leaves this one is taken from that. */
static void settle(struct writer *w, const struct branch *b)
{
  uint32_t next = next_leaves(w);
  for (uint32_t i = 0; i < b->n; i++) {
    const struct open_node *n = &w->open[i];
    uint32_t waiting = next == UINT32_MAX || i > next ? 0 : b->step[i].waiting;
    uint32_t wanted = n->visited + (i == next && !waiting ? 1 : waiting);
    if (i == next)
      add_children(w, i, b->step[i].able);
    schedule(w, i, wanted);
    drop(w, i, wanted);
  }
}

/* The branch was not written before: it leaves the one before after so many steps. */
static bool write_branch(struct writer *w, const struct branch *b, uint32_t same)
{
  w->depth = same < w->depth ? same + 1 : same; /* the node where it leaves the one before stays */
  fprintf(w->out, "Start\n");
  for (uint32_t i = 1; i <= same; i++)
    fprintf(w->out, "Transition %" PRIu64 "\n", number_of(w, i));
  for (uint32_t i = same; i < b->n; i++) {
    if (!make_room(w, i + 1))
      return false;
    if (i >= w->depth) {
      w->open[i] = (struct open_node){0};
      w->depth = i + 1;
    }
    struct open_node *n = &w->open[i];
    add_children(w, i, b->step[i].able);
    schedule(w, i, n->visited + 1);
    n->now = n->first + n->visited++;
    n->step = b->step[i].step;
    fprintf(w->out, "Transition %" PRIu64 "\n", n->now);
  }
  settle(w, b);
  fprintf(w->out, "End %.9f\n", b->seconds);
  return !ferror(w->out);
}

static bool write_all(struct writer *w, const struct probe_line *probe, uint64_t probes)
{
  fputs(EXPLORATION_TRACE_HEADER "\n", w->out);
  for (uint64_t i = 0; i < probes; i++)
    fprintf(w->out, "Probe %.17g %" PRId64 "\n", probe[i].mantissa, probe[i].exponent);
  fputs("AddNode 0 -\nExplore 0\n", w->out);
  w->nodes = 1;
  while (w->at < w->count) {
    struct branch b = branch_at(w, w->at);
    uint32_t same = shared(w, &b);
    w->at += b.n + 1;
    if (same < b.n && !write_branch(w, &b, same))
      return false;
  }
  return !ferror(w->out);
}

bool exploration_trace_write(const char *path, const struct control *control)
{
  uint64_t bytes, probe_bytes;
  const struct branch_node *node = worker_answer(control, ANSWER_BRANCHES, &bytes);
  const struct probe_line *probe = worker_answer(control, ANSWER_PROBES, &probe_bytes);
  char error[512] = "no memory left";
  struct output_file output;
  struct writer w = {.node = node, .count = bytes / sizeof *node};
  bool good = output_file_open(&output, path, FILE_COURSE, error, sizeof error);
  if (good) {
    w.out = output.file;
    good = write_all(&w, probe, probe_bytes / sizeof *probe);
    if (good)
      good = output_file_close(&output, error, sizeof error);
    else
      output_file_drop(&output);
  }
  free(w.open);
  if (!good)
    console_error("--record: %s", error);
  return good;
}
