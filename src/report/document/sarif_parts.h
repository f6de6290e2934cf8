/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of a SARIF log. Of no concern outside of report/sarif*.c.
 */
#ifndef HEDDLE_REPORT_SARIF_PARTS_H
#define HEDDLE_REPORT_SARIF_PARTS_H

#include "report/document/build_json.h"
#include "report/story/story_words.h"

#define SARIF_ROOT "%SRCROOT%"

/* A message object. Braces, which would begin a placeholder, are doubled. */
json_t *sarif_message(const char *text, bool *good);

/* An artifactLocation for a path; relative paths are taken to be those of the current folder. */
json_t *sarif_artifact(const char *path, bool *good);

/* What the relative URIs of the log are relative to: the object originalUriBaseIds. */
json_t *sarif_roots(bool *good);

/* A location object; the message may be NULL. Where the line is unknown, what is known. */
json_t *sarif_location(const struct story *story, uintptr_t pc, const char *message, bool *good);

/* The same for a path with a line, 0 for none. */
json_t *sarif_file_location(const char *path, uint32_t line, bool *good);

/* What the log is made of; each takes what it is given. */
json_t *sarif_tool(json_t *rules, bool *good);
json_t *sarif_invocation(const char *const *words, size_t count, int status, json_t *notifications, bool *good);
/* A whole log of one run, as text, malloc'ed; NULL when there is no memory, now or before. */
char *sarif_document(json_t *tool, json_t *invocation, json_t *results, bool good);

/* A rule of any kind: for bugs, and for what heddle lint finds. */
struct sarif_rule {
  const char *id, *name; /* name: in one word; NULL: made from the id */
  const char *title, *text, *help;
  const char *level;
  bool off; /* it is used only if somebody says so */
};
json_t *sarif_rule(const struct sarif_rule *rule, bool *good);

/* The rules: one for each kind of bug, in the order of enum bug_kind. */
json_t *sarif_rules(bool *good);

#endif
