/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle lint tells; see the header.
 */
#include "report/document/lint_document.h"
#include "report/document/sarif_parts.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- lines ---- */

/* A path below the current folder as seen from there. */
static const char *short_path(const char *path)
{
  char here[PATH_MAX];
  const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
  return length && !strncmp(path, here, length) && path[length] == '/' ? path + length + 1 : path;
}

static void put_line(FILE *out, const char *file, uint32_t line, const char *severity, const char *text, bool colour)
{
  const char *code = !strcmp(severity, "warning") ? "35" : "36";
  if (colour)
    fprintf(out, "\033[1m%s:%u: \033[%sm%s:\033[0m %s", short_path(file), line, code, severity, text);
  else
    fprintf(out, "%s:%u: %s: %s", short_path(file), line, severity, text);
}

static void put_finding(FILE *out, const struct lint_finding *f, bool colour)
{
  put_line(out, f->file, f->line, f->state == FINDING_NEW ? "warning" : "remark", "", colour);
  if (f->state == FINDING_BOUNDED)
    fprintf(out, "%s [%s]\n",
            f->total ? "this loop has a bound" : "the total number is unbounded, the number at once is bounded",
            lint_rules[f->rule].name);
  else
    fprintf(out, "%s%s%s%s [%s]\n", f->message, f->state == FINDING_NEW ? "" : " (",
            f->state == FINDING_NEW ? "" : finding_state_name[f->state], f->state == FINDING_NEW ? "" : ")",
            lint_rules[f->rule].name);
  for (size_t i = 0; i < f->places; i++) {
    put_line(out, f->place[i].file, f->place[i].line, "note", f->place[i].text, colour);
    fputc('\n', out);
  }
}

/* As patch takes it. */
static void put_fix(FILE *out, const struct lint_finding *f)
{
  const char *path = short_path(f->file);
  path += *path == '/';
  if (f->fix_new)
    fprintf(out, "--- a/%s\n+++ b/%s\n@@ -%u +%u @@\n-%s\n+%s\n", path, path, f->fix_line, f->fix_line, f->fix_old,
            f->fix_new);
}

/* How heddle can try it, with the first finding of a rule: it is the same for all. */
static void put_trial(FILE *out, const struct lint_finding *f, uint32_t *told, bool colour)
{
  const char *trial = lint_rules[f->rule].trial;
  if (!trial || *told >> f->rule & 1)
    return;
  *told |= UINT32_C(1) << f->rule;
  put_line(out, f->file, f->line, "note", "to try it, ", colour);
  fprintf(out, "%s\n", trial);
}

void lint_lines(FILE *out, const struct lint_view *view, bool all, bool colour)
{
  uint32_t told = 0;
  for (size_t i = 0; i < view->findings->count; i++) {
    const struct lint_finding *f = &view->findings->finding[i];
    if (!all && f->state != FINDING_NEW)
      continue;
    put_finding(out, f, colour);
    if (f->state == FINDING_NEW) {
      put_trial(out, f, &told, colour);
      put_fix(out, f);
    }
  }
}

/* ---- JSON ---- */

static const char *const place_names[] = {[PLACE_CALL] = "call", [PLACE_LOOP] = "loop", [PLACE_WHY] = "why"};

static json_t *place_value(const struct finding_place *p, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "kind", text_value(place_names[p->kind]), good);
  set(value, "file", text_value(p->file), good);
  set(value, "line", integer(p->line), good);
  if (p->kind == PLACE_LOOP)
    set(value, "last", integer(p->last), good);
  if (p->function)
    set(value, "function", text_value(p->function), good);
  if (p->callee) {
    set(value, "callee", text_value(p->callee), good);
    set(value, "may", json_boolean(p->may), good);
  }
  set(value, "text", text_value(p->text), good);
  return value;
}

static json_t *verdict_value(bool bounded, unsigned pattern, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "bounded", json_boolean(bounded), good);
  if (bounded && pattern)
    set(value, "pattern", integer(pattern), good);
  return value;
}

static json_t *fix_value(const struct lint_finding *f, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "line", integer(f->fix_line), good);
  set(value, "old", text_value(f->fix_old), good);
  set(value, "new", text_value(f->fix_new), good);
  return value;
}

static json_t *finding_value(const struct lint_finding *f, bool *good)
{
  char key[20];
  json_t *value = container(json_object(), good), *path = container(json_array(), good);
  snprintf(key, sizeof key, "%016" PRIx64, f->key);
  set(value, "rule", text_value(lint_rules[f->rule].name), good);
  set(value, "state", text_value(finding_state_name[f->state]), good);
  set(value, "file", text_value(f->file), good);
  set(value, "line", integer(f->line), good);
  set(value, "function", text_value(f->function), good);
  set(value, "message", text_value(f->message), good);
  set(value, "key", text_value(key), good);
  if (f->loop) {
    set(value, "loop", text_value(f->loop), good);
    set(value, "condition", text_value(f->condition), good);
    set(value, "total", verdict_value(f->total, f->total_pattern, good), good);
    set(value, "simultaneous", verdict_value(f->live, f->live_pattern, good), good);
    set(value, "may", json_boolean(f->may), good);
  }
  if (f->fix_new)
    set(value, "fix", fix_value(f, good), good);
  if (lint_rules[f->rule].trial)
    set(value, "trial", text_value(lint_rules[f->rule].trial), good);
  for (size_t i = 0; i < f->places; i++)
    add(path, place_value(&f->place[i], good), good);
  set(value, "path", path, good);
  return value;
}

static json_t *notice_value(const struct lint_notice *n, bool *good)
{
  json_t *value = container(json_object(), good);
  set(value, "kind", text_value(lint_notice_name[n->kind]), good);
  set(value, "text", text_value(n->text), good);
  return value;
}

char *lint_json(const struct lint_view *v)
{
  bool good = true;
  json_t *root = container(json_object(), &good), *all = container(json_array(), &good);
  json_t *notices = container(json_array(), &good);
  set(root, "heddle", text_value(HEDDLE_VERSION), &good);
  set(root, "command", text_value("lint"), &good);
  set(root, "units", integer(v->units), &good);
  set(root, "cached", integer(v->cached), &good);
  set(root, "lost", integer(v->lost), &good);
  set(root, "with_errors", integer(v->partly), &good);
  set(root, "calls", integer(v->choice->calls), &good);
  set(root, "loops", integer(v->choice->loops), &good);
  set(root, "seconds", json_real(v->seconds), &good);
  for (size_t i = 0; i < v->findings->count; i++)
    add(all, finding_value(&v->findings->finding[i], &good), &good);
  set(root, "findings", all, &good);
  for (size_t i = 0; i < v->findings->notices; i++)
    add(notices, notice_value(&v->findings->notice[i], &good), &good);
  set(root, "notices", notices, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}

/* ---- SARIF ---- */

static json_t *place_location(const struct finding_place *p, bool *good)
{
  json_t *location = sarif_file_location(p->file, p->line, good);
  set(location, "message", sarif_message(p->text, good), good);
  return location;
}

static void add_step(json_t *locations, json_t *location, bool essential, bool *good)
{
  json_t *step = container(json_object(), good);
  set(step, "location", location, good);
  set(step, "importance", text_value(essential ? "essential" : "important"), good);
  add(locations, step, good);
}

/* From the loop to what it creates; of a habit, from its place to what it has to do with. */
static json_t *flow_value(const struct lint_finding *f, bool *good)
{
  json_t *flows = container(json_array(), good), *flow = container(json_object(), good);
  json_t *threads = container(json_array(), good), *thread = container(json_object(), good);
  json_t *locations = container(json_array(), good);
  const struct finding_place self = {.file = f->file, .line = f->line, .text = f->message};
  if (!f->loop)
    add_step(locations, place_location(&self, good), true, good);
  for (size_t i = 0; i < f->places; i++)
    if (!f->loop || f->place[i].kind != PLACE_WHY)
      add_step(locations, place_location(&f->place[i], good), f->place[i].kind == PLACE_LOOP, good);
  set(thread, "locations", locations, good);
  add(threads, thread, good);
  set(flow, "message",
      sarif_message(f->loop ? "From the loop to what it creates." : "The place, and what it has to do with.", good),
      good);
  set(flow, "threadFlows", threads, good);
  add(flows, flow, good);
  return flows;
}

static json_t *related_value(const struct lint_finding *f, bool *good)
{
  json_t *related = container(json_array(), good);
  for (size_t i = 0; i < f->places; i++)
    if (f->place[i].kind == PLACE_WHY)
      add(related, place_location(&f->place[i], good), good);
  return related;
}

static json_t *suppressions_value(bool *good)
{
  json_t *all = container(json_array(), good), *one = container(json_object(), good);
  set(one, "kind", text_value("inSource"), good);
  add(all, one, good);
  return all;
}

/* SARIF counts columns in units of UTF-16: two for what has four bytes in UTF-8. */
static size_t columns(const char *text)
{
  size_t count = 0;
  for (; *text; text++)
    count += ((unsigned char)*text & 0xc0) != 0x80 ? 1 + ((unsigned char)*text >= 0xf0) : 0;
  return count;
}

/* One replacement of a whole line. */
static json_t *fixes_value(const struct lint_finding *f, bool *good)
{
  json_t *fixes = container(json_array(), good), *fix = container(json_object(), good);
  json_t *changes = container(json_array(), good), *change = container(json_object(), good);
  json_t *replacements = container(json_array(), good), *replacement = container(json_object(), good);
  json_t *region = container(json_object(), good), *inserted = container(json_object(), good);
  set(region, "startLine", integer(f->fix_line), good);
  set(region, "startColumn", integer(1), good);
  set(region, "endColumn", integer(columns(f->fix_old) + 1), good);
  set(inserted, "text", text_value(f->fix_new), good);
  set(replacement, "deletedRegion", region, good);
  set(replacement, "insertedContent", inserted, good);
  add(replacements, replacement, good);
  set(change, "artifactLocation", sarif_artifact(f->file, good), good);
  set(change, "replacements", replacements, good);
  add(changes, change, good);
  set(fix, "description", sarif_message(lint_rules[f->rule].help, good), good);
  set(fix, "artifactChanges", changes, good);
  add(fixes, fix, good);
  return fixes;
}

static json_t *result_value(const struct lint_finding *f, bool *good)
{
  char key[20], text[1024];
  json_t *value = container(json_object(), good), *prints = container(json_object(), good);
  json_t *locations = container(json_array(), good);
  snprintf(key, sizeof key, "%016" PRIx64, f->key);
  snprintf(text, sizeof text, "%s%s%s", f->message, f->condition && f->condition[0] ? ": " : "",
           f->condition ? f->condition : "");
  set(value, "ruleId", text_value(lint_rules[f->rule].name), good);
  set(value, "ruleIndex", integer(f->rule), good);
  set(value, "level", text_value("warning"), good);
  set(value, "message", sarif_message(text, good), good);
  add(locations, sarif_file_location(f->file, f->line, good), good);
  set(value, "locations", locations, good);
  set(value, "relatedLocations", related_value(f, good), good);
  if (f->loop || f->places)
    set(value, "codeFlows", flow_value(f, good), good);
  set(prints, "heddleLint/v2", text_value(key), good);
  set(value, "partialFingerprints", prints, good);
  if (f->fix_new)
    set(value, "fixes", fixes_value(f, good), good);
  if (f->state == FINDING_KNOWN)
    set(value, "baselineState", text_value("unchanged"), good);
  if (f->state == FINDING_SUPPRESSED)
    set(value, "suppressions", suppressions_value(good), good);
  return value;
}

static json_t *rules_value(bool *good)
{
  json_t *all = container(json_array(), good);
  for (size_t i = 0; i < LINT_RULES; i++) {
    const struct sarif_rule rule = {.id = lint_rules[i].name,
                                    .title = lint_rules[i].title,
                                    .text = lint_rules[i].text,
                                    .help = lint_rules[i].help,
                                    .level = "warning",
                                    .off = !lint_rules[i].usual};
    add(all, sarif_rule(&rule, good), good);
  }
  return all;
}

static json_t *notifications_value(const struct findings *f, bool *good)
{
  json_t *all = container(json_array(), good);
  for (size_t i = 0; i < f->notices; i++) {
    json_t *one = container(json_object(), good);
    set(one, "level", text_value(f->notice[i].kind == NOTICE_LOST ? "error" : "warning"), good);
    set(one, "message", sarif_message(f->notice[i].text, good), good);
    add(all, one, good);
  }
  return all;
}

char *lint_sarif(const struct lint_view *v)
{
  bool good = true;
  json_t *results = container(json_array(), &good);
  for (size_t i = 0; i < v->findings->count; i++) {
    const enum finding_state state = v->findings->finding[i].state;
    if (state == FINDING_NEW || state == FINDING_KNOWN || state == FINDING_SUPPRESSED)
      add(results, result_value(&v->findings->finding[i], &good), &good);
  }
  json_t *invocation =
      sarif_invocation(v->words, v->word_count, v->status, notifications_value(v->findings, &good), &good);
  return sarif_document(sarif_tool(rules_value(&good), &good), invocation, results, good);
}
