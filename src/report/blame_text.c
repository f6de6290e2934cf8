/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a blame, see the header.
 */
#include "report/blame_text.h"

#include "report/build_json.h"
#include "report/teller.h"
#include "report/text.h"
#include "trace/schedule_file.h"

static const char *const verdict_name[BLAME_VERDICTS] = {
#define X(id, name) name,
    HD_BLAMES(X)
#undef X
};

static const struct {
  const char *letters, *gloss;
} pattern_table[PATTERN_KINDS] = {
#define X(id, letters, gloss) {letters, gloss},
    HD_PATTERNS(X)
#undef X
};

/* ---- events ---- */

/* An event in the words of its run. */
struct side {
  char thread[THREAD_NAME_SIZE], object[OBJECT_SIZE], place[PLACE_SIZE];
  const char *phrase;
};

static struct side side_of(const struct story *story, const struct trace_event *e)
{
  struct side side = {.phrase = event_phrase(e)};
  tell_thread(story, e->thread, side.thread);
  tell_object(story, e, side.object);
  tell_place(story, event_pc(story, e), side.place);
  return side;
}

/* Files are named once: "bank.c:22", then ":23". */
static const char *place_after(const char *before, const char *place)
{
  const char *colon = strrchr(place, ':'), *other = strrchr(before, ':');
  bool same =
      colon && other && colon - place == other - before && !strncmp(before, place, (size_t)(colon - place));
  return same ? colon : place;
}

/* ---- the sentence ---- */

/* The access between is the end of the memory. */
static bool is_freed(const struct story *story, const struct pattern *p)
{
  return p->kind < PATTERN_ORDER && story->events[p->event[1]].op == OP_FREE;
}

static const char *gloss_of(const struct story *story, const struct pattern *p)
{
  return is_freed(story, p) ? "memory is used after it was freed" : pattern_table[p->kind].gloss;
}

static void tell_triple(const struct side s[3], enum pattern_kind kind, bool freed, char *out, size_t n)
{
  const char *object = *s[0].object ? s[0].object : "the memory", *who = s[0].thread, *other = s[1].thread;
  const char *first = s[0].place, *between = place_after(first, s[1].place),
             *last = place_after(first, s[2].place);
  if (freed) {
    snprintf(out, n,
             "%s uses `%s` at %s and again at %s as if it were still there; %s frees it in between, at %s",
             who, object, first, last, other, between);
    return;
  }
  switch (kind) {
  case PATTERN_RWR:
    snprintf(out, n, "%s reads `%s` at %s and again at %s as if nobody could write in between; %s did, at %s",
             who, object, first, last, other, between);
    return;
  case PATTERN_WWR:
    snprintf(
        out, n,
        "%s writes `%s` at %s and reads it at %s as if it were still its own value; %s wrote in between, "
        "at %s",
        who, object, first, last, other, between);
    return;
  case PATTERN_WRW:
    snprintf(out, n, "%s writes `%s` at %s and again at %s as if nobody could look in between; %s did, at %s",
             who, object, first, last, other, between);
    return;
  case PATTERN_RWW:
    snprintf(out, n,
             "%s reads `%s` at %s and writes it at %s as if nobody had written in between; %s did, at %s",
             who, object, first, last, other, between);
    return;
  default:
    snprintf(out, n,
             "%s writes `%s` at %s and again at %s as if nobody could write in between; %s did, at %s, and "
             "that is lost",
             who, object, first, last, other, between);
  }
}

void tell_pattern(const struct blame_view *view, const struct pattern *p, char *out, size_t n)
{
  const struct story *story = p->kind == PATTERN_EARLY ? view->passing : view->story;
  struct side s[3] = {side_of(story, &story->events[p->event[0]]),
                      side_of(story, &story->events[p->event[1]])};
  if (p->kind == PATTERN_EARLY) {
    bool same = !strcmp(s[0].phrase, s[1].phrase);
    snprintf(out, n, "%s %s `%s` at %s before %s %s%sat %s; the program passes when %s is first", s[0].thread,
             s[0].phrase, s[0].object, s[0].place, s[1].thread, same ? "does, " : s[1].phrase,
             same ? "" : " it ", place_after(s[0].place, s[1].place), s[1].thread);
  } else if (p->kind == PATTERN_ORDER) {
    snprintf(out, n, "%s %s `%s` at %s, then %s %s it at %s; that is the wrong order", s[0].thread,
             s[0].phrase, s[0].object, s[0].place, s[1].thread, s[1].phrase,
             place_after(s[0].place, s[1].place));
  } else {
    s[2] = side_of(story, &story->events[p->event[2]]);
    tell_triple(s, p->kind, is_freed(story, p), out, n);
  }
}

/* ---- the switch ---- */

/* What the thread of a segment was about to do at its end, from the trace; NULL when it is not there. */
static const struct trace_event *about_to(const struct blame_view *view, uint32_t at)
{
  const struct segment *segment = &schedule_segments(view->trace->record)[at - 1];
  for (size_t i = 0; i < view->trace->count; i++)
    if (view->trace->segment[i] >= at && view->trace->events[i].thread == segment->thread &&
        view->trace->events[i].pc == segment->pc)
      return &view->trace->events[i];
  for (size_t i = 0; i < view->story->left_count; i++)
    if (view->story->left[i].thread == segment->thread && view->story->left[i].pc == segment->pc)
      return &view->story->left[i];
  return NULL;
}

/* Who is where when a segment ends: "T1, before it writes balance[1] (bank.c:21)". */
static void tell_end(const struct story *story, const struct segment *segment, const struct trace_event *next,
                     char *out, size_t n)
{
  char thread[THREAD_NAME_SIZE], object[OBJECT_SIZE] = "", place[PLACE_SIZE];
  tell_thread(story, segment->thread, thread);
  if (segment->op == OP_EXIT || segment->op >= OP_COUNT) {
    snprintf(out, n, "%s, which has ended", thread);
    return;
  }
  if (next)
    tell_object(story, next, object);
  tell_place(story, next ? event_pc(story, next) : segment->pc, place);
  snprintf(out, n, "%s, %s it %s%s%s%s%s%s", thread, segment->enabled ? "before" : "when",
           op_table[segment->op].phrase, *object ? " " : "", object, *place ? " (" : "", place,
           *place ? ")" : "");
}

/* The first event behind the switch, NULL when it is not in the trace. */
static const struct trace_event *first_behind(const struct blame_view *view)
{
  for (size_t i = 0; i < view->trace->count; i++)
    if (view->trace->segment[i] == view->at)
      return &view->trace->events[i];
  return NULL;
}

static void print_switch(FILE *out, const struct blame_view *view)
{
  char from[SENTENCE_SIZE], to[THREAD_NAME_SIZE], text[SENTENCE_SIZE * 2];
  const struct segment *segment = &schedule_segments(view->trace->record)[view->at - 1];
  tell_end(view->story, segment, about_to(view, view->at), from, sizeof from);
  tell_thread(view->story, segment[1].thread, to);
  const struct trace_event *first = first_behind(view);
  snprintf(text, sizeof text, "  to blame: switch %u of %u, from %s, to %s", view->at,
           blame_switches(view->trace->record), from, to);
  if (first)
    append(text, sizeof text, " (step %" PRIu64 ")", first->step);
  fprintf(out, "%s\n", text);
}

static void print_pattern(FILE *out, const struct blame_view *view, const struct pattern *p)
{
  char sentence[SENTENCE_SIZE], number[32] = "";
  tell_pattern(view, p, sentence, sizeof sentence);
  fputs("    ", out);
  append(sentence, sizeof sentence, ".");
  print_wrapped(out, sentence, 4, view->story->width ? view->story->width : STORY_WIDTH);
  if (p->kind < PATTERN_ORDER)
    snprintf(number, sizeof number, " (pattern %d)", (int)p->kind);
  fprintf(out, "    %s%s: %s%s\n", pattern_table[p->kind].letters, number, gloss_of(view->story, p),
          p->confirmed ? "; confirmed, as these accesses alone make it fail" : "");
}

/* ---- a switch that is missing ---- */

static void print_missing(FILE *out, const struct blame_view *view)
{
  char text[SENTENCE_SIZE], where[PLACE_SIZE];
  if (!view->passes) {
    fputs("  to blame: no switch. It fails in every order of whole threads, and no schedule was found that "
          "passes\n",
          out);
    return;
  }
  fprintf(out,
          "  to blame: a switch that is missing. It fails serially, in every order of whole threads (%u "
          "run%s)\n",
          view->serial_runs, view->serial_runs == 1 ? "" : "s");
  fprintf(out, "    it passes with %u, of which %u cannot be left out (▸):\n", view->passes->segments - 1,
          schedule_preemptions(view->passes));
  const struct segment *segment = schedule_segments(view->passes);
  for (uint32_t i = 0; i + 1 < view->passes->segments; i++) {
    tell_thread(view->story, segment[i + 1].thread, where);
    tell_end(view->story, &segment[i], NULL, text, sizeof text);
    fprintf(out, "    %s from %s, to %s\n", segment[i].enabled ? "▸" : " ", text, where);
  }
}

static void print_runs(FILE *out, const struct blame_view *view)
{
  const uint32_t runs = view->serial_runs + view->trial_count + view->other_runs;
  uint32_t lost = 0;
  for (uint32_t i = 0; i < view->trial_count; i++)
    lost += view->trials[i].verdict == TRIAL_DIVERGED || view->trials[i].verdict == TRIAL_CUT;
  fprintf(out, "    found in %u run%s%s\n", runs, runs == 1 ? "" : "s",
          view->passing
              ? "; with the schedule up to that switch the program can still pass, with it never did"
              : "");
  if (lost)
    fprintf(out, "    %u of them proved nothing: cut short, or another way than the schedule\n", lost);
}

void blame_print(FILE *out, const struct blame_view *view)
{
  switch (view->verdict) {
  case BLAME_SWITCH:
    print_switch(out, view);
    for (size_t i = 0; i < view->pattern_count; i++)
      print_pattern(out, view, &view->patterns[i]);
    if (!view->pattern_count)
      fputs("    no accesses of the same memory around it: it is the switch itself that must not come here\n",
            out);
    print_runs(out, view);
    return;
  case BLAME_MISSING_SWITCH:
    print_missing(out, view);
    return;
  case BLAME_ALWAYS:
    fputs("  to blame: no switch. There is none in this schedule: the program fails without\n", out);
    return;
  case BLAME_RACE:
    fputs("  to blame: no switch. Nothing orders the two accesses; they race under most schedules\n", out);
    return;
  case BLAME_UNFAITHFUL:
    fputs("  to blame: not known. The schedule passes when it is followed again: the program does not repeat "
          "itself\n",
          out);
    return;
  default:
    fputs("  to blame: not known. The schedule is too long for the time; heddle shrink makes it shorter\n",
          out);
  }
}

/* ---- JSON ---- */

static json_t *event_value(const struct story *story, const struct trace_event *e, bool *good)
{
  json_t *value = container(json_object(), good), *stack = container(json_array(), good);
  const struct side side = side_of(story, e);
  char place[PLACE_SIZE];
  set(value, "thread", text_value(side.thread), good);
  set(value, "operation", text_value(e->op < OP_COUNT ? op_table[e->op].name : "none"), good);
  set(value, "object", text_value(side.object), good);
  set(value, "where", text_value(side.place), good);
  set(value, "step", integer(e->step), good);
  for (uint32_t i = 0; i < e->depth && i < BUG_STACK; i++) {
    tell_place_and_function(story, e->stack[i], place);
    add(stack, text_value(place), good);
  }
  set(value, "stack", stack, good);
  return value;
}

static json_t *pattern_value(const struct blame_view *view, const struct pattern *p, bool *good)
{
  json_t *value = container(json_object(), good), *events = container(json_array(), good);
  char sentence[SENTENCE_SIZE];
  tell_pattern(view, p, sentence, sizeof sentence);
  set(value, "pattern", text_value(pattern_table[p->kind].letters), good);
  set(value, "number", integer(p->kind < PATTERN_ORDER ? p->kind : 0), good);
  set(value, "gloss", text_value(gloss_of(view->story, p)), good);
  set(value, "sentence", text_value(sentence), good);
  set(value, "confirmed", json_boolean(p->confirmed), good);
  const struct story *story = p->kind == PATTERN_EARLY ? view->passing : view->story;
  for (int i = 0; i < (p->kind < PATTERN_ORDER ? 3 : 2); i++) {
    json_t *event = event_value(story, &story->events[p->event[i]], good);
    if (p->kind != PATTERN_EARLY)
      set(event, "block", integer(view->trace->segment[p->event[i]]), good);
    add(events, event, good);
  }
  set(value, "events", events, good);
  return value;
}

static json_t *switch_value(const struct blame_view *view, bool *good)
{
  json_t *value = container(json_object(), good);
  const struct segment *segment = &schedule_segments(view->trace->record)[view->at - 1];
  const struct trace_event *next = about_to(view, view->at), *first = first_behind(view);
  char name[THREAD_NAME_SIZE], place[PLACE_SIZE];
  set(value, "number", integer(view->at), good);
  set(value, "of", integer(blame_switches(view->trace->record)), good);
  set(value, "preemption", json_boolean(segment->enabled), good);
  tell_thread(view->story, segment[0].thread, name);
  set(value, "from", text_value(name), good);
  tell_thread(view->story, segment[1].thread, name);
  set(value, "to", text_value(name), good);
  tell_place(view->story, next ? event_pc(view->story, next) : segment->pc, place);
  set(value, "where", text_value(place), good);
  if (next)
    set(value, "before", event_value(view->story, next, good), good);
  if (first)
    set(value, "then", event_value(view->story, first, good), good);
  return value;
}

static json_t *trials_value(const struct blame_view *view, bool *good)
{
  json_t *trials = container(json_array(), good);
  for (uint32_t i = 0; i < view->trial_count; i++) {
    const struct trial *t = &view->trials[i];
    json_t *value = container(json_object(), good);
    char name[THREAD_NAME_SIZE] = "any";
    if (t->first != TRIAL_ANY)
      tell_thread(view->story, t->first, name);
    set(value, "switch", integer(t->label), good);
    set(value, "first", text_value(name), good);
    set(value, "verdict", text_value(t->verdict < TRIAL_VERDICTS ? trial_verdict_name[t->verdict] : "?"),
        good);
    add(trials, value, good);
  }
  return trials;
}

void blame_json(json_t *object, const struct blame_view *view, bool *good)
{
  json_t *patterns = container(json_array(), good);
  set(object, "verdict", text_value(verdict_name[view->verdict]), good);
  set(object, "technique", text_value(view->random ? "random" : "variables"), good);
  set(object, "threads", integer(view->story->thread_count), good);
  if (view->trace)
    set(object, "shared_variables", integer(view->trace->variables), good);
  if (view->verdict == BLAME_SWITCH)
    set(object, "switch", switch_value(view, good), good);
  for (size_t i = 0; i < view->pattern_count; i++)
    add(patterns, pattern_value(view, &view->patterns[i], good), good);
  set(object, "patterns", patterns, good);
  set(object, "runs", integer(view->trial_count), good);
  set(object, "serial_runs", integer(view->serial_runs), good);
  set(object, "pattern_runs", integer(view->other_runs), good);
  set(object, "trials", trials_value(view, good), good);
  if (view->passes)
    set(object, "passes_with_switches", integer(view->passes->segments - 1), good);
}

char *blame_json_text(const struct blame_view *view)
{
  bool good = true;
  json_t *object = container(json_object(), &good);
  blame_json(object, view, &good);
  char *text = good ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  return text;
}
