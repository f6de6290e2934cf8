/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, schedule and edits of a test that slept; see sleep_edits.h.
 */
#include "language/sleep_edits.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "#include <heddle_schedule.h>"

/* ---- which events there are ---- */

static void note_passes(struct sleep_edits *e)
{
  const struct sleep_run *run = e->run;
  for (size_t i = 0; i < run->steps; i++) {
    const struct sleep_step *s = &run->step[i];
    for (size_t k = 0; s->kind == STEP_MARK && k < i; k++) {
      const struct sleep_step *before = &run->step[k];
      if (before->kind != STEP_MARK || before->what != s->what)
        continue;
      e->event[s->what].numbered |= before->thread == s->thread;
      e->event[s->what].shared |= before->thread != s->thread;
    }
  }
}

static void note_rules(struct sleep_edits *e)
{
  for (size_t i = 0; i < e->orders->rules; i++) {
    const struct sleep_rule *rule = &e->orders->rule[i];
    e->event[rule->event.mark].used = true;
    for (size_t k = 0; k < rule->facts; k++) {
      e->event[rule->fact[k].at.mark].used = true;
      e->event[rule->fact[k].at.mark].bracketed |= rule->fact[k].blocked;
      e->event[rule->fact[k].at.mark].numbered |= rule->fact[k].at.nth > 1;
    }
  }
}

/* ---- names ---- */

static const struct c_statement *statement_of(const struct sleep_edits *e, size_t mark)
{
  return &e->file->statement[e->marks->mark[mark].statement];
}

static const struct c_statement *next_in_list(const struct sleep_edits *e, size_t statement)
{
  for (size_t i = 0; i < e->file->statements; i++)
    if (e->file->statement[i].after == statement && e->file->statement[i].in_list)
      return &e->file->statement[i];
  return NULL;
}

static const char *short_call(const char *call)
{
  static const char *const prefixes[] = {"pthread_", "thrd_", NULL};
  call += strspn(call, "_");
  for (const char *const *p = prefixes; *p; p++)
    if (!strncmp(call, *p, strlen(*p)))
      return call + strlen(*p);
  return call;
}

/* "beforeMutexLock" of "pthread_mutex_lock"; what only checks is a check. */
static void join_name(char *out, size_t size, const char *side, const struct c_statement *about)
{
  size_t n = (size_t)snprintf(out, size, "%s", side);
  bool first = true;
  const char *call = about && c_only_checks(about->call) && about->call[0] != '_' ? "check"
                     : about                                                      ? short_call(about->call)
                                                                                  : "sleep";
  for (; *call && n + 1 < size; call++) {
    if (*call != '_')
      out[n++] = (char)(first ? toupper((unsigned char)*call) : *call);
    first = *call == '_';
  }
  out[n] = 0;
}

static bool is_taken(const struct sleep_edits *e, size_t mark, const char *name)
{
  for (size_t i = 0; i < e->marks->marks; i++)
    if (i != mark && e->event[i].used && !strcmp(e->event[i].name, name))
      return true;
  return false;
}

/* What is blocked is so before something; what has happened is behind something. */
static void name_event(struct sleep_edits *e, size_t mark)
{
  const struct sleep_mark *m = &e->marks->mark[mark];
  const struct c_statement *s = statement_of(e, mark);
  const struct c_statement *before = m->kind == MARK_BEHIND ? s
                                     : s->after == C_NONE   ? NULL
                                                            : &e->file->statement[s->after];
  const struct c_statement *next = m->kind == MARK_BEFORE  ? s
                                   : m->kind == MARK_SLEEP ? next_in_list(e, m->statement)
                                                           : NULL;
  const bool calls = before && before->calls && !before->sleeps, called_next = next && next->calls;
  const bool behind = calls && !e->event[mark].bracketed && (m->kind != MARK_SLEEP || !called_next);
  const struct c_statement *about = behind ? before : called_next ? next : NULL;
  char *name = e->event[mark].name, base[ORDERING_NAME - 8];
  join_name(base, sizeof base, behind || !about ? "after" : "before", about);
  snprintf(name, ORDERING_NAME, "%s", base);
  for (unsigned i = 2; is_taken(e, mark, name); i++)
    snprintf(name, ORDERING_NAME, "%s%u", base, i);
}

bool sleep_edits_open(struct sleep_edits *e, const struct sleep_marks *marks, const struct c_file *file,
                      const struct sleep_orders *orders, const struct sleep_run *run)
{
  *e = (struct sleep_edits){marks, file, orders, run, calloc(marks->marks + 1, sizeof *e->event), false};
  if (!e->event)
    return false;
  note_passes(e);
  note_rules(e);
  for (size_t i = 0; i < marks->marks; i++)
    if (e->event[i].used)
      name_event(e, i);
  return true;
}

void sleep_edits_free(struct sleep_edits *e)
{
  free(e->event);
  *e = (struct sleep_edits){0};
}

/* ---- the schedule ---- */

/* By who created it: T2 is the second that main did, T2.1 the first of that. */
static void put_thread(FILE *out, const struct sleep_run *run, uint32_t thread)
{
  uint32_t nth[MAX_THREADS] = {0};
  if (!thread) {
    fputs("main", out);
    return;
  }
  for (size_t i = 0; i < run->steps; i++) {
    const struct sleep_step *s = &run->step[i];
    if (s->kind != STEP_CREATE || (nth[s->thread]++, s->what != thread))
      continue;
    if (s->thread)
      put_thread(out, run, s->thread);
    fprintf(out, s->thread ? ".%u" : "T%u", nth[s->thread]);
    return;
  }
}

static void put_event(FILE *out, const struct sleep_event *event, uint32_t nth)
{
  fprintf(out, event->numbered ? "%s_%u" : "%s", event->name, nth);
}

static void put_instance(FILE *out, const struct sleep_edits *e, struct sleep_instance is)
{
  const struct sleep_event *event = &e->event[is.mark];
  put_event(out, event, is.nth);
  if (!event->shared)
    return;
  fputc('@', out);
  put_thread(out, e->run, is.thread);
}

static bool is_same(struct sleep_instance a, struct sleep_instance b)
{
  return a.mark == b.mark && a.thread == b.thread && a.nth == b.nth;
}

/* "[a]", or "([a] || b)". */
static void put_facts(FILE *out, const struct sleep_edits *e, const struct sleep_rule *rule, bool among_others)
{
  const bool grouped = rule->facts > 1 && among_others;
  fputs(grouped ? "(" : "", out);
  for (size_t i = 0; i < rule->facts; i++) {
    fputs(i ? " || " : "", out);
    fputs(rule->fact[i].blocked ? "[" : "", out);
    put_instance(out, e, rule->fact[i].at);
    fputs(rule->fact[i].blocked ? "]" : "", out);
  }
  fputs(grouped ? ")" : "", out);
}

/* Rules of one event stand behind each other. */
static void put_rules(FILE *out, const struct sleep_edits *e)
{
  const struct sleep_orders *o = e->orders;
  for (size_t i = 0; i < o->rules; i++) {
    const struct sleep_rule *rule = &o->rule[i];
    const bool more = i + 1 < o->rules && is_same(rule->event, o->rule[i + 1].event);
    put_facts(out, e, rule, more || (i && is_same(rule->event, o->rule[i - 1].event)));
    if (more) {
      fputs(" && ", out);
      continue;
    }
    fputs(" -> ", out);
    put_instance(out, e, rule->event);
    fputs(i + 1 < o->rules ? "\n" : "", out);
  }
}

char *sleep_edits_schedule(const struct sleep_edits *e)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out)
    return NULL;
  put_rules(out, e);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* As a string of C: "a -> b,\n" … */
static char *schedule_declaration(const struct sleep_edits *e)
{
  char *rules = sleep_edits_schedule(e), *text = NULL, *rest;
  size_t length;
  FILE *out = rules ? open_memstream(&text, &length) : NULL;
  if (!out) {
    free(rules);
    return NULL;
  }
  fputs(e->included ? "\n" : "#include <heddle_schedule.h>\n\n", out);
  fputs("HD_SCHEDULE(" SLEEP_SCHEDULE, out);
  const char *before = ",\n            \"";
  for (char *line = strtok_r(rules, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    fprintf(out, "%s%s", before, line);
    before = ",\"\n            \" ";
  }
  fputs("\");\n", out);
  free(rules);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* ---- the edits ---- */

static bool is_first_in_line(const char *text, size_t at)
{
  while (at && (text[at - 1] == ' ' || text[at - 1] == '\t'))
    at--;
  return !at || text[at - 1] == '\n';
}

/* Behind the end of the line, if only blanks and one comment are left in it; else the place itself. */
static size_t behind_line(const char *text, size_t length, size_t at)
{
  size_t end = at;
  while (end < length && (text[end] == ' ' || text[end] == '\t'))
    end++;
  if (end + 1 < length && text[end] == '/' && text[end + 1] == '/')
    while (end < length && text[end] != '\n')
      end++;
  const char *comment = end + 1 < length && text[end] == '/' && text[end + 1] == '*' ? strstr(text + end, "*/") : NULL;
  if (comment)
    end = (size_t)(comment - text) + 2;
  return end < length && text[end] == '\n' ? end + 1 : at;
}

/* On a line of its own, so that the lines around it stay as they are; within the line, where others share it. */
static bool put_beside(struct source_patch *patch, const struct c_statement *s, bool behind, const char *call)
{
  const size_t line = source_patch_line_begin(patch, s->begin);
  const size_t next = behind_line(patch->text, patch->length, s->end);
  const bool own_line = is_first_in_line(patch->text, s->begin) && (!behind || next != s->end);
  const int indent = (int)(s->begin - line);
  size_t place = behind ? s->end : s->before;
  char *text;
  if (own_line)
    place = behind ? next : source_patch_line_begin(patch, s->before);
  if (own_line ? asprintf(&text, "%.*s%s\n", indent, patch->text + line, call) < 0
               : asprintf(&text, behind ? " %s" : "%s ", call) < 0)
    return false;
  const bool done = source_patch_insert(patch, place, text);
  free(text);
  return done;
}

/* Whether the comment is about the sleep, and nothing that is still true without it: "give it time to start". */
static bool speaks_of_sleep(const char *comment, size_t length)
{
  static const char *const words[] = {"sleep", "time to", "some time", "enough time", "a while", "a bit", "a moment",
                                      "delay", " ms",     "msec",      "millisec",    "seconds", NULL};
  char *text = strndup(comment, length);
  bool speaks = false;
  for (const char *const *w = words; text && *w && !speaks; w++)
    speaks = strcasestr(text, *w) != NULL;
  free(text);
  return speaks;
}

/* Where what goes with the sleep ends: behind the comment beside it, if that speaks of it. */
static size_t end_of_sleep(const struct source_patch *patch, const struct c_statement *s)
{
  const size_t next = behind_line(patch->text, patch->length, s->end);
  const bool comment = next != s->end && speaks_of_sleep(patch->text + s->end, next - s->end);
  return comment ? next - 1 : s->end;
}

/* A statement that nothing stands for any more. */
static bool take_out(struct source_patch *patch, const struct c_statement *s)
{
  const size_t behind = behind_line(patch->text, patch->length, s->end);
  if (s->in_list && is_first_in_line(patch->text, s->begin) && behind != s->end)
    return source_patch_replace(patch, source_patch_line_begin(patch, s->begin), behind, "");
  return source_patch_replace(patch, s->begin, s->end, s->in_list ? "" : ";");
}

static bool has_rule(const struct sleep_edits *e, size_t mark, uint32_t nth)
{
  for (size_t i = 0; i < e->orders->rules; i++) {
    const struct sleep_rule *rule = &e->orders->rule[i];
    if (rule->event.mark == mark && rule->event.nth == nth)
      return true;
    for (size_t k = 0; k < rule->facts; k++)
      if (rule->fact[k].at.mark == mark && rule->fact[k].at.nth == nth)
        return true;
  }
  return false;
}

/* The last time that rules speak of. */
static uint32_t last_time(const struct sleep_edits *e, size_t mark)
{
  uint32_t last = 0;
  for (size_t i = 0; i < e->orders->rules; i++) {
    const struct sleep_rule *rule = &e->orders->rule[i];
    if (rule->event.mark == mark && rule->event.nth > last)
      last = rule->event.nth;
    for (size_t k = 0; k < rule->facts; k++)
      if (rule->fact[k].at.mark == mark && rule->fact[k].at.nth > last)
        last = rule->fact[k].at.nth;
  }
  return last;
}

/* What comes to the events of the mark, malloc'ed; NULL: no memory. In a loop each time is one. */
static char *event_calls(const struct sleep_edits *e, size_t mark)
{
  const struct sleep_event *event = &e->event[mark];
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  bool some = false;
  if (!out)
    return NULL;
  for (uint32_t n = 1; n <= last_time(e, mark); n++) {
    if (!has_rule(e, mark, n))
      continue;
    fputs(some ? " HD_EVENT" : "HD_EVENT", out);
    fprintf(out, event->numbered ? "_NTH(%u, " : "(", n);
    put_event(out, event, n);
    fputs(");", out);
    some = true;
    if (!event->numbered)
      break;
  }
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

static bool edit_sleep(const struct sleep_edits *e, struct source_patch *patch, size_t mark, bool kept,
                       const char *calls)
{
  const struct sleep_event *event = &e->event[mark];
  const struct c_statement *s = statement_of(e, mark);
  const bool stays = kept || e->orders->stays[mark] != SLEEP_GOES;
  char *text;
  if (!event->used)
    return stays || take_out(patch, s);
  if (!stays && (s->in_list || !event->numbered))
    return source_patch_replace(patch, s->begin, end_of_sleep(patch, s), calls);
  if (asprintf(&text, "{ %.*s%s%s }", stays ? (int)(s->end - s->begin) : 0, patch->text + s->begin, stays ? " " : "",
               calls) < 0)
    return false;
  const bool done = source_patch_replace(patch, s->begin, s->end, text);
  free(text);
  return done;
}

static bool edit_mark(const struct sleep_edits *e, struct source_patch *patch, size_t mark, bool kept)
{
  const enum sleep_mark_kind kind = e->marks->mark[mark].kind;
  char *calls = event_calls(e, mark);
  bool done = calls != NULL;
  if (done && kind == MARK_SLEEP)
    done = edit_sleep(e, patch, mark, kept, calls);
  else if (done && e->event[mark].used)
    done = put_beside(patch, statement_of(e, mark), kind == MARK_BEHIND, calls);
  free(calls);
  return done;
}

bool sleep_edits_make(struct sleep_edits *e, struct source_patch *patch, bool kept)
{
  e->included = memmem(patch->text, e->file->after_includes, HEADER, strlen(HEADER)) != NULL;
  char *declaration = schedule_declaration(e);
  bool done = declaration && source_patch_insert(patch, e->file->after_includes, declaration);
  free(declaration);
  for (size_t i = 0; done && i < e->marks->marks; i++)
    done = edit_mark(e, patch, i, kept);
  return done;
}
