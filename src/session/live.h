/* SPDX-License-Identifier: Apache-2.0
 *
 * What is drawn on a terminal while something runs, at the place of the cursor, at most ten times a second: a screen of
 * a few lines for a search, one line for what is smaller or where the terminal is. It is erased before anything else is
 * printed (console.h). Nothing is drawn where there is no terminal, with --quiet or with --plain.
 */
#ifndef HEDDLE_SESSION_LIVE_H
#define HEDDLE_SESSION_LIVE_H

#include "core/bug.h"
#include "core/strategy.h"
#include "estimate/scaled.h"
#include <stdbool.h>
#include <stdint.h>

/* What all sessions of one search have in common. The first session begins it. */
struct live_search {
  const char *title;   /* "heddle check ./server" */
  double started;      /* now_seconds() */
  double limit;        /* seconds, not positive for none */
  uint64_t executions; /* of the sessions that are over */
  bool tried[STRATEGY_COUNT];
  const char *equivalence;        /* of sources, which people know by that */
  uint32_t found[STRATEGY_COUNT]; /* bugs that each strategy saw first */
  uint32_t kind[BUG_KIND_COUNT];  /* the same bugs by kind */
  uint64_t *key;                  /* and what they are known by */
  size_t keys;
};
/* A session with this strategy is about to begin. */
void live_search_try(struct live_search *search, enum strategy_id strategy);
/* "rr, pos and dpor", or "reads-from". */
const char *live_search_tried(const struct live_search *search, char *out, size_t size);
void live_search_free(struct live_search *search);

struct live_coverage {
  uint64_t points, pairs, both; /* 0 points: it is not counted */
  uint64_t newest;              /* execution that saw something new */
};

/* Who works elsewhere. */
#define LIVE_PACES 8
struct live_others {
  bool shown;
  unsigned workers, units; /* that have a seat; that are out */
  unsigned paces;          /* of the first few that work: */
  double pace[LIVE_PACES]; /* executions a second */
  uint64_t lost, late;     /* units that were given again: of workers that are gone, or whose answer came too late */
};

struct live {
  uint64_t executions;
  uint64_t bugs;
  double elapsed;         /* seconds */
  double asking;          /* of them, of the processor: to find out what to run next */
  double left;            /* seconds, negative for no limit */
  uint64_t total;         /* executions asked for, 0 for no limit */
  struct scaled estimate; /* of all executions there are, 0 for none */
  bool estimating;        /* there will be an estimate, if there is none */
  const char *remark;     /* instead of the number of bugs; NULL for none */
  struct live_others others;

  /* For a screen: */
  const struct live_search *search; /* NULL: one line is enough */
  const char *mode;                 /* what is being done: "samples by portfolio" */
  uint64_t threads, steps;          /* of the largest execution */
  struct live_coverage coverage;
};

/* allowed: there is a terminal on standard error for it. */
void live_setup(bool allowed);
/* Whether there is. */
bool live_is_drawn(void);
void live_draw(const struct live *live);
/* One line, of what is no search. */
void live_line(const char *text);
void live_erase(void);

#endif
