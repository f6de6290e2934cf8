/* SPDX-License-Identifier: Apache-2.0
 *
 * Going through a recorded exploration, see the header. Must not judge estimates.
 */
#include "estimate/scan.h"
#include <string.h>

void scan_init(struct scan *scan, FILE *in, const char *name)
{
  *scan = (struct scan){.in = in, .name = name};
}

void scan_free(struct scan *scan)
{
  oracle_free(&scan->oracle);
}

/* Applies all events. branch may be NULL. */
static bool apply_all(struct events *events, struct tree *tree, scan_branch *branch, void *context)
{
  struct exploration_event event;
  struct estimates estimates;
  enum events_result result;
  while ((result = events_next(events, &event)) == EVENTS_ONE) {
    if (!tree_apply(tree, &event, events))
      return false;
    if (event.kind != EVENT_END || !branch)
      continue;
    tree_estimates(tree, &estimates);
    if (!branch(context, &estimates))
      return events_fail(events, "no memory for so many branches");
  }
  if (result == EVENTS_BAD)
    return false;
  if (tree_running(tree))
    return events_fail(events, "the file is cut short: the last execution does not end");
  tree_estimates(tree, &estimates);
  if (estimates.branches == 0)
    return events_fail(events, events->line ? "there is no execution in this trace"
                                            : "this is not an exploration trace: the file is empty");
  return true;
}

static bool scan_all(struct scan *scan, bool learn, scan_branch *branch, void *context)
{
  struct events events;
  events_init(&events, scan->in, scan->name);
  struct tree *tree = tree_new(&scan->oracle, learn);
  bool good = tree ? apply_all(&events, tree, branch, context) : events_fail(&events, "no memory");
  if (good) {
    struct estimates last;
    tree_estimates(tree, &last);
    scan->nodes = tree_nodes(tree);
    scan->branches = last.branches;
    scan->time = last.elapsed[MEASURE_TIME];
    scan->complete = tree_complete(tree);
  } else {
    memcpy(scan->error, events.error, sizeof scan->error);
  }
  tree_free(tree);
  events_free(&events);
  return good;
}

bool scan_learn(struct scan *scan)
{
  if (!scan_all(scan, true, NULL, NULL))
    return false;
  if (fseek(scan->in, 0, SEEK_SET) == 0)
    return true;
  snprintf(scan->error, sizeof scan->error, "%s: a trace is read twice, so it must be a file", scan->name);
  return false;
}

bool scan_replay(struct scan *scan, scan_branch *branch, void *context)
{
  return scan_all(scan, false, branch, context);
}
