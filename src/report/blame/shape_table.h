/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of mistakes in tables: how each is found, told and mended. The tables are those of interfaces that are used in
 * a way that cannot work (blame_misuse.c), of steps that belong together and come apart (blame_apart.c) and of
 * properties that specifications say (blame_property.c).
 */
#ifndef HEDDLE_REPORT_SHAPE_TABLE_H
#define HEDDLE_REPORT_SHAPE_TABLE_H

#include "report/blame/blame.h"
#include "report/story/story.h"

/* A preemption: the thread that was stopped, the first event of others, the first when it goes on. */
struct gap {
  uint32_t thread;
  size_t from, to;
};

struct shape {
  enum pattern_kind kind;
  bool (*find)(const struct story *story, struct pattern *out); /* in the whole run; or */
  bool (*find_at)(const struct story *story, const struct gap *gap,
                  struct pattern *out); /* at one of its preemptions */
  void (*tell)(const struct story *story, const struct pattern *pattern, char *out, size_t n);
  void (*mend)(const struct story *story, const struct pattern *pattern, char *out, size_t n);
  const char *remedy; /* if it is always the same: then there is no mend */
};

/* blame_unasked.c */
bool find_unasked(const struct story *story, struct pattern *out);
void tell_unasked(const struct story *story, const struct pattern *p, char *out, size_t n);

extern const struct shape misuse_shapes[], apart_shapes[], property_shapes[];
extern const size_t misuse_count, apart_count, property_count;

#endif
