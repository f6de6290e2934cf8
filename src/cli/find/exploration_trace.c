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
 * scheduled. */
struct open_node {
  uint64_t first;
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

static void add_children(struct writer *w, uint32_t at, uint64_t node, uint32_t wanted)
{
  struct open_node *n = &w->open[at];
  for (; n->children < wanted; n->children++) {
    fprintf(w->out, "AddNode %" PRIu64 " %" PRIu64 "\n", w->nodes, node);
    if (!n->children)
      n->first = w->nodes;
    w->nodes++;
  }
}

static void schedule(struct writer *w, uint32_t at, uint32_t wanted)
{
  struct open_node *n = &w->open[at];
  for (; n->scheduled < wanted && n->scheduled < n->children; n->scheduled++)
    fprintf(w->out, "Explore %" PRIu64 "\n", n->first + n->scheduled);
}

static uint64_t number_of(const struct writer *w, uint32_t depth)
{
  return depth ? w->open[depth - 1].first + w->open[depth - 1].visited - 1 : 0;
}

/* One execution: n steps. */
static bool write_branch(struct writer *w, const struct branch_node *step, uint32_t n, double seconds)
{
  uint32_t same = 0;
  while (same < n && same < w->depth && w->open[same].step == step[same].step)
    same++;
  if (same == n)
    return true;                                /* the whole branch again, after something was learnt */
  w->depth = same < w->depth ? same + 1 : same; /* the node where it leaves the one before stays */
  fprintf(w->out, "Start\n");
  for (uint32_t i = 1; i <= same; i++)
    fprintf(w->out, "Transition %" PRIu64 "\n", number_of(w, i));
  for (uint32_t i = same; i < n; i++) {
    if (!make_room(w, i + 1))
      return false;
    if (i >= w->depth) {
      w->open[i] = (struct open_node){0};
      w->depth = i + 1;
    }
    uint32_t wanted = w->open[i].visited + 1 > step[i].able ? w->open[i].visited + 1 : step[i].able;
    add_children(w, i, number_of(w, i), wanted);
    schedule(w, i, w->open[i].visited + 1);
    w->open[i].visited++;
    w->open[i].step = step[i].step;
    fprintf(w->out, "Transition %" PRIu64 "\n", number_of(w, i + 1));
  }
  for (uint32_t i = 0; i < n; i++)
    schedule(w, i, w->open[i].visited + step[i].waiting);
  fprintf(w->out, "End %.9f\n", seconds);
  return !ferror(w->out);
}

static bool write_all(struct writer *w, const struct probe_line *probe, uint64_t probes, const struct branch_node *node,
                      uint64_t count)
{
  fputs(EXPLORATION_TRACE_HEADER "\n", w->out);
  for (uint64_t i = 0; i < probes; i++)
    fprintf(w->out, "Probe %.17g %" PRId64 "\n", probe[i].mantissa, probe[i].exponent);
  fputs("AddNode 0 -\nExplore 0\n", w->out);
  w->nodes = 1;
  for (uint64_t at = 0; at < count;) {
    uint64_t n = 1;
    while (at + n < count && node[at + n].thread != BRANCH_START)
      n++;
    if (n > UINT32_MAX || !write_branch(w, &node[at + 1], (uint32_t)n - 1, (double)node[at].step * 1e-9))
      return false;
    at += n;
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
  struct writer w = {0};
  bool good = output_file_open(&output, path, FILE_COURSE, error, sizeof error);
  if (good) {
    w.out = output.file;
    good = write_all(&w, probe, probe_bytes / sizeof *probe, node, bytes / sizeof *node);
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
