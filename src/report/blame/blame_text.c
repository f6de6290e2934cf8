/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a blame, see the header.
 */
#include "report/blame/blame_text.h"

#include "report/blame/blame_shape.h"
#include "report/document/build_json.h"
#include "report/story/held.h"
#include "report/story/story_words.h"
#include "report/story/terminal_text.h"
#include "schedule/schedule_file.h"

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

const char *pattern_gloss(enum pattern_kind kind)
{
  return kind < PATTERN_KINDS ? pattern_table[kind].gloss : "";
}

/* ---- events ---- */

/* An event in the words of its run. */
struct side {
  char thread[THREAD_NAME_SIZE], object[OBJECT_SIZE], place[PLACE_SIZE];
  const char *phrase;
};

static struct side side_of(const struct story *story, const struct trace_event *e)
{
  struct side side = {.phrase = event_phrase(story, e)};
  describe_thread(story, e->thread, side.thread);
  describe_object(story, e, side.object);
  describe_place(story, event_pc(story, e), side.place);
  return side;
}

/* ---- the sentence ---- */

static bool is_triple(const struct pattern *p)
{
  return p->kind > PATTERN_NONE && p->kind < PATTERN_ORDER;
}

/* The run that the events of a pattern are of. */
static const struct story *run_of(const struct blame_view *view, const struct pattern *p)
{
  return p->kind == PATTERN_EARLY ? view->passing : view->story;
}

/* Which of the three accesses is the end of the memory; 0 for none. */
static int freed_at(const struct story *story, const struct pattern *p)
{
  for (int i = 1; is_triple(p) && i < 3; i++)
    if (story->events[p->event[i]].op == OP_FREE)
      return i;
  return 0;
}

/* Whether a pattern is that something is read before another thread has written it. */
static bool reads_early(const struct story *story, const struct pattern *p)
{
  if (p->kind != PATTERN_EARLY)
    return false;
  const struct trace_event *early = &story->events[p->event[0]], *late = &story->events[p->event[1]];
  return event_reads(early) && op_writes_memory(late->op) && late->op != OP_FREE;
}

static const char *gloss_of(const struct story *story, const struct pattern *p)
{
  switch (freed_at(story, p)) {
  case 1:
    return "memory is used after it was freed";
  case 2:
    return "memory is freed that another thread is using";
  default:
    return reads_early(story, p) ? "something is used before it is there" : pattern_table[p->kind].gloss;
  }
}

/* "`e->next`", or the pronoun when it was named already. */
static const char *mention(const struct side *side, const struct side *before, const char *pronoun,
                           char out[OBJECT_SIZE + 2])
{
  if (!side->object[0] || !strcmp(side->object, before->object))
    return pronoun;
  snprintf(out, OBJECT_SIZE + 2, "`%s`", side->object);
  return out;
}

/* What the thread of the first access takes for granted, by the kind of the three. */
static const char *const taken_for_granted[] = {
    [PATTERN_RWR] = "nobody could write in between", [PATTERN_WWR] = "it were still its own value",
    [PATTERN_WRW] = "nobody could look in between",  [PATTERN_RWW] = "nobody had written in between",
    [PATTERN_WWW] = "nobody could write in between",
};

static const char *verb(enum pattern_kind kind, int access)
{
  return pattern_table[kind].letters[2 * access] == 'R' ? "reads" : "writes";
}

/* What the other thread did: "T2 did, at :20". Of memory that is told by another name, such as the whole of which it is
 * a part, that too. */
static void describe_between(const struct side s[3], const char *did, char *out, size_t n)
{
  char name[OBJECT_SIZE + 2];
  const char *place = place_after(s[0].place, s[1].place);
  if (mention(&s[1], &s[0], NULL, name))
    append(out, n, "; %s %s %s in between, at %s", s[1].thread, s[1].phrase, name, place);
  else
    append(out, n, "; %s %s, at %s", s[1].thread, did, place);
}

static void describe_triple(const struct side s[3], enum pattern_kind kind, int freed, char *out, size_t n)
{
  char name[OBJECT_SIZE + 2];
  const char *object = *s[0].object ? s[0].object : "the memory", *last = place_after(s[0].place, s[2].place);
  if (freed == 1) {
    snprintf(out, n, "%s uses `%s` at %s and again at %s as if it were still there", s[0].thread, object, s[0].place,
             last);
    describe_between(s, "frees it in between", out, n);
    return;
  }
  if (freed) {
    snprintf(out, n, "%s %s `%s` at %s and frees %s at %s as if nobody else could use it", s[0].thread, s[0].phrase,
             object, s[0].place, mention(&s[2], &s[0], "it", name), last);
    append(out, n, "; %s did in between, at %s", s[1].thread, place_after(s[0].place, s[1].place));
    return;
  }
  snprintf(out, n, "%s %s `%s` at %s and ", s[0].thread, verb(kind, 0), object, s[0].place);
  if (mention(&s[2], &s[0], NULL, name))
    append(out, n, "%s %s at %s", verb(kind, 2), name, last);
  else if (verb(kind, 0) == verb(kind, 2))
    append(out, n, "again at %s", last);
  else
    append(out, n, "%s it at %s", verb(kind, 2), last);
  append(out, n, " as if %s", taken_for_granted[kind]);
  describe_between(s, kind == PATTERN_WWR ? "wrote in between" : "did", out, n);
  if (kind == PATTERN_WWW)
    append(out, n, ", and that is lost");
}

static void describe_early(const struct side s[2], char *out, size_t n)
{
  char name[OBJECT_SIZE + 2];
  const char *place = place_after(s[0].place, s[1].place), *other = mention(&s[1], &s[0], "it", name);
  snprintf(out, n, "%s %s `%s` at %s before ", s[0].thread, s[0].phrase, s[0].object, s[0].place);
  if (!strcmp(s[0].phrase, s[1].phrase) && other != name)
    append(out, n, "%s does, at %s", s[1].thread, place);
  else
    append(out, n, "%s %s %s at %s", s[1].thread, s[1].phrase, other, place);
  append(out, n, "; the program passes when %s is first", s[1].thread);
}

static void describe_order(const struct side s[2], char *out, size_t n)
{
  char name[OBJECT_SIZE + 2];
  snprintf(out, n, "%s %s `%s` at %s, then %s %s %s at %s; that is the wrong order", s[0].thread, s[0].phrase,
           s[0].object, s[0].place, s[1].thread, s[1].phrase, mention(&s[1], &s[0], "it", name),
           place_after(s[0].place, s[1].place));
}

void describe_pattern(const struct blame_view *view, const struct pattern *p, char *out, size_t n)
{
  const struct story *story = run_of(view, p);
  struct side s[3];
  if (p->kind > PATTERN_EARLY) {
    describe_shape(story, p, out, n);
    return;
  }
  for (int i = 0; i < 3 && p->event[i] != NO_EVENT; i++)
    s[i] = side_of(story, &story->events[p->event[i]]);
  if (p->kind == PATTERN_EARLY)
    describe_early(s, out, n);
  else if (p->kind == PATTERN_ORDER)
    describe_order(s, out, n);
  else
    describe_triple(s, p->kind, freed_at(story, p), out, n);
}

/* Who reads too early must wait for who writes. */
static void describe_early_remedy(const struct story *story, const struct pattern *p, char *out, size_t n)
{
  const struct trace_event *early = &story->events[p->event[0]], *late = &story->events[p->event[1]];
  char who[THREAD_NAME_SIZE], other[THREAD_NAME_SIZE];
  describe_thread(story, early->thread, who);
  describe_thread(story, late->thread, other);
  snprintf(out, n, "%s must wait until %s has written it: on a condition variable or a semaphore%s%s%s", who, other,
           has_created(story, early->thread, late->thread) ? ", or by joining " : "",
           has_created(story, early->thread, late->thread) ? other : "",
           has_created(story, late->thread, early->thread) ? ", or be created after that" : "");
}

void describe_remedy(const struct blame_view *view, const struct pattern *p, char *out, size_t n)
{
  out[0] = '\0';
  if (p->kind > PATTERN_EARLY)
    describe_shape_remedy(view->story, p, out, n);
  else if (freed_at(view->story, p) || (p->kind == PATTERN_EARLY && view->passing->events[p->event[0]].op == OP_FREE))
    snprintf(out, n, "nobody may free it while another thread uses it: a lock around each use, or a count of users");
  else if (is_triple(p) && p->confirmed)
    describe_triple_remedy(view->story, p, out, n);
  else if (reads_early(run_of(view, p), p))
    describe_early_remedy(view->passing, p, out, n);
}

/* ---- the switch ---- */

/* What the thread of a segment was about to do at its end, from the trace; NULL when it is not there. */
static const struct trace_event *about_to(const struct blame_view *view, uint32_t at)
{
  const struct segment *segment = &schedule_segments(view->trace->record)[at - 1];
  const uintptr_t pc = symbols_named_address(view->story->symbols, segment->pc);
  for (size_t i = 0; i < view->trace->count; i++)
    if (view->trace->segment[i] >= at && view->trace->events[i].thread == segment->thread &&
        view->trace->events[i].pc == pc)
      return &view->trace->events[i];
  for (size_t i = 0; i < view->story->left_count; i++)
    if (view->story->left[i].thread == segment->thread && view->story->left[i].pc == pc)
      return &view->story->left[i];
  return NULL;
}

/* Who is where when a segment ends: "T1, before it writes balance[1] (bank.c:21)". */
static void describe_end(const struct story *story, const struct segment *segment, const struct trace_event *next,
                         char *out, size_t n)
{
  char thread[THREAD_NAME_SIZE], object[OBJECT_SIZE] = "", place[PLACE_SIZE];
  describe_thread(story, segment->thread, thread);
  if (segment->op == OP_EXIT || segment->op >= OP_COUNT) {
    snprintf(out, n, "%s, which has ended", thread);
    return;
  }
  if (next)
    describe_object(story, next, object);
  describe_place(story, next ? event_pc(story, next) : symbols_named_address(story->symbols, segment->pc), place);
  if (!object[0] && op_is_memory(segment->op) && place[0]) { /* memory that is nobody else's */
    snprintf(out, n, "%s, at %s", thread, place);
    return;
  }
  snprintf(out, n, "%s, %s %s%s%s%s%s%s", thread, segment->enabled ? "before it" : "which",
           segment->enabled ? op_table[segment->op].phrase : waiting_phrase(segment->op), *object ? " " : "", object,
           *place ? " (" : "", place, *place ? ")" : "");
}

/* The first event behind the switch, NULL when it is not in the trace. */
static const struct trace_event *first_behind(const struct blame_view *view)
{
  for (size_t i = 0; i < view->trace->count; i++)
    if (view->trace->segment[i] == view->at)
      return &view->trace->events[i];
  return NULL;
}

uint64_t blame_first_step(const struct blame_view *view)
{
  const struct trace_event *first = first_behind(view);
  return first ? first->step : 0;
}

static void describe_switch(const struct blame_view *view, char *out, size_t n)
{
  char from[SENTENCE_SIZE], to[THREAD_NAME_SIZE];
  const struct segment *segment = &schedule_segments(view->trace->record)[view->at - 1];
  describe_end(view->story, segment, about_to(view, view->at), from, sizeof from);
  describe_thread(view->story, segment[1].thread, to);
  const struct trace_event *first = first_behind(view);
  snprintf(out, n, "switch %u of %u, from %s, to %s", view->at, blame_switches(view->trace->record), from, to);
  if (first)
    append(out, n, " (step %" PRIu64 ")", first->step);
}

/* A sentence of its own lines, below what is to blame. */
static void print_sentence(FILE *out, const struct blame_view *view, const char *sentence)
{
  fputs("    ", out);
  print_wrapped(out, sentence, 4, view->story->width ? view->story->width : STORY_WIDTH);
}

static void print_remedy(FILE *out, const struct blame_view *view, const char *remedy)
{
  char text[SENTENCE_SIZE + 8];
  if (!remedy[0])
    return;
  snprintf(text, sizeof text, "fix: %s", remedy);
  print_sentence(out, view, text);
}

static void print_pattern(FILE *out, const struct blame_view *view, const struct pattern *p)
{
  char text[SENTENCE_SIZE];
  describe_pattern(view, p, text, sizeof text - 1);
  append(text, sizeof text, ".");
  print_sentence(out, view, text);
  snprintf(text, sizeof text, "%s", gloss_of(run_of(view, p), p));
  if (p->confirmed)
    append(text, sizeof text, "; confirmed: these accesses alone make it fail");
  print_sentence(out, view, text);
  describe_remedy(view, p, text, sizeof text);
  print_remedy(out, view, text);
}

/* ---- a data race ---- */

#define RACE_TEXT "no switch. Nothing orders the two accesses; they race under most schedules"

static void print_race(FILE *out, const struct blame_view *view)
{
  char text[SENTENCE_SIZE];
  size_t event[2];
  fputs("  to blame: " RACE_TEXT "\n", out);
  if (!race_events(view->story, event))
    return;
  describe_race(view->story, event, text, sizeof text - 1);
  append(text, sizeof text, ".");
  print_sentence(out, view, text);
  describe_race_remedy(view->story, event, text, sizeof text);
  print_remedy(out, view, text);
}

/* ---- a switch that is missing ---- */

#define NEEDED_TEXT "a switch that is missing. There is none before it fails"
#define SERIAL_TEXT "a switch that is missing. It fails whichever thread goes first, and then runs to its end"
#define HOPELESS_TEXT "no switch. It fails whichever thread goes first, and no schedule was found that passes"
#define ALWAYS_TEXT "no switch. There is none in this schedule: the program fails without"
#define UNFAITHFUL_TEXT "not known. The schedule passes when it is followed again: the program does not repeat itself"

/* "T1 must be switched out before it locks `lock` (pool.c:49), so that T2 goes on", of one switch that the program
 * passes with. */
static void describe_needed(const struct blame_view *view, uint32_t i, char *out, size_t n)
{
  const struct story *story = view->passing ? view->passing : view->story;
  const struct segment *segment = &schedule_segments(view->passes)[i];
  const struct blame_view passing = {.story = story, .trace = view->passing_trace};
  char text[SENTENCE_SIZE], to[THREAD_NAME_SIZE];
  describe_thread(story, segment[1].thread, to);
  describe_end(story, segment, view->passing ? about_to(&passing, i + 1) : NULL, text, sizeof text);
  snprintf(out, n, "from %s, to %s", text, to);
}

static void print_missing(FILE *out, const struct blame_view *view)
{
  char text[SENTENCE_SIZE * 2];
  if (!view->passes) {
    fputs("  to blame: " HOPELESS_TEXT "\n", out);
    return;
  }
  fprintf(out, "  to blame: " SERIAL_TEXT " (%u run%s)\n", view->serial_runs, view->serial_runs == 1 ? "" : "s");
  const uint32_t needed = schedule_preemptions(view->passes);
  fprintf(out, "    it passes with %s:\n", needed == 1 ? "this switch" : "these switches");
  const struct segment *segment = schedule_segments(view->passes);
  for (uint32_t i = 0; i + 1 < view->passes->segments; i++) {
    if (needed && !segment[i].enabled)
      continue; /* the thread had ended, or could not go on */
    describe_needed(view, i, text, sizeof text);
    fprintf(out, "    %s ", segment[i].enabled ? "▸" : " ");
    print_escaped(out, text);
    fputc('\n', out);
  }
}

static void print_runs(FILE *out, const struct blame_view *view)
{
  const uint32_t runs = view->serial_runs + view->trial_count + view->other_runs;
  uint32_t lost = 0;
  for (uint32_t i = 0; i < view->trial_count; i++)
    lost += view->trials[i].verdict == TRIAL_DIVERGED || view->trials[i].verdict == TRIAL_CUT;
  fprintf(out, "    found in %u run%s%s\n", runs, runs == 1 ? "" : "s",
          view->passing ? ": before this switch the program can still pass; with it, it never did" : "");
  if (lost)
    fprintf(out, "    %u of them proved nothing: cut short, or did not follow the schedule\n", lost);
}

static const char *unfinished(const struct blame_view *view)
{
  if (view->interrupted)
    return "not known yet, as it was interrupted";
  if (view->story->bug && view->story->bug->kind == BUG_HANG) /* cannot be shrunk */
    return "not known yet, as the time was up; --time gives it more";
  return "not known yet, as the time was up; --time gives it more, heddle shrink makes a schedule shorter";
}

static void print_unfinished(FILE *out, const struct blame_view *view)
{
  fprintf(out, "  to blame: %s\n", unfinished(view));
  if (view->at)
    fprintf(out, "    it is switch %u of %u or one before it: none of %u run%s so far passed\n", view->at,
            blame_switches(view->trace->record), view->trial_count, view->trial_count == 1 ? "" : "s");
}

/* How to stand where the other thread is let go, with all threads to look at. */
static void print_command(FILE *out, const struct blame_view *view)
{
  const struct trace_event *first = first_behind(view);
  char path[512];
  if (!first || !view->story->schedule || view->story->client)
    return;
  shell_word(view->story->schedule, path, sizeof path);
  fprintf(out, "  debug    heddle replay --gdb --step %" PRIu64 " %s\n", first->step, path);
}

static void print_patterns(FILE *out, const struct blame_view *view)
{
  for (size_t i = 0; i < view->pattern_count; i++)
    print_pattern(out, view, &view->patterns[i]);
}

void blame_print(FILE *out, const struct blame_view *view)
{
  char text[SENTENCE_SIZE * 2];
  switch (view->verdict) {
  case BLAME_SWITCH:
    describe_switch(view, text, sizeof text);
    fputs("  to blame: ", out);
    print_escaped(out, text);
    fputc('\n', out);
    print_patterns(out, view);
    if (!view->pattern_count)
      fputs("    no accesses of the same memory around it: it is the switch itself that must not come here\n", out);
    print_runs(out, view);
    print_command(out, view);
    return;
  case BLAME_NEEDS_SWITCH:
    fputs("  to blame: " NEEDED_TEXT "\n", out);
    print_patterns(out, view);
    return;
  case BLAME_MISSING_SWITCH:
    print_missing(out, view);
    print_patterns(out, view);
    return;
  case BLAME_ALWAYS:
    fputs("  to blame: " ALWAYS_TEXT "\n", out);
    print_patterns(out, view);
    return;
  case BLAME_RACE:
    print_race(out, view);
    return;
  case BLAME_UNFAITHFUL:
    fputs("  to blame: " UNFAITHFUL_TEXT "\n", out);
    return;
  default:
    print_unfinished(out, view);
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
    describe_place_and_function(story, e->stack[i], place);
    add(stack, text_value(place), good);
  }
  set(value, "stack", stack, good);
  return value;
}

/* The step is that of the failing run, if it came to it. */
static void set_failing_step(json_t *value, const struct blame_view *view, const struct trace_event *passing,
                             bool *good)
{
  json_object_del(value, "step");
  for (size_t i = 0; i < view->story->event_count; i++) {
    const struct trace_event *e = &view->story->events[i];
    if (e->thread != passing->thread || e->operations != passing->operations || e->pc != passing->pc)
      continue;
    set(value, "step", integer(e->step), good);
    return;
  }
}

static json_t *pattern_value(const struct blame_view *view, const struct pattern *p, bool *good)
{
  json_t *value = container(json_object(), good), *events = container(json_array(), good);
  char sentence[SENTENCE_SIZE], remedy[SENTENCE_SIZE];
  describe_pattern(view, p, sentence, sizeof sentence);
  describe_remedy(view, p, remedy, sizeof remedy);
  set(value, "pattern", text_value(pattern_table[p->kind].letters), good);
  set(value, "number", integer(p->kind < PATTERN_ORDER ? p->kind : 0), good);
  set(value, "gloss", text_value(gloss_of(run_of(view, p), p)), good);
  set(value, "sentence", text_value(sentence), good);
  if (remedy[0])
    set(value, "remedy", text_value(remedy), good);
  set(value, "confirmed", json_boolean(p->confirmed), good);
  const struct story *story = run_of(view, p);
  for (int i = 0; i < PATTERN_EVENTS && p->event[i] != NO_EVENT; i++) {
    json_t *event = event_value(story, &story->events[p->event[i]], good);
    if (p->kind != PATTERN_EARLY)
      set(event, "block", integer(view->trace->segment[p->event[i]]), good);
    else
      set_failing_step(event, view, &story->events[p->event[i]], good);
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
  identify_thread(view->story, segment[0].thread, name);
  set(value, "from", text_value(name), good);
  identify_thread(view->story, segment[1].thread, name);
  set(value, "to", text_value(name), good);
  describe_place(view->story,
                 next ? event_pc(view->story, next) : symbols_named_address(view->story->symbols, segment->pc), place);
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
      identify_thread(view->story, t->first, name);
    set(value, "switch", integer(t->label), good);
    set(value, "first", text_value(name), good);
    set(value, "verdict", text_value(t->verdict < TRIAL_VERDICTS ? trial_verdict_name[t->verdict] : "?"), good);
    add(trials, value, good);
  }
  return trials;
}

static void add_sentence(json_t *sentences, const char *role, const char *text, bool *good)
{
  if (!text[0])
    return;
  json_t *value = container(json_object(), good);
  set(value, "role", text_value(role), good);
  set(value, "text", text_value(text), good);
  add(sentences, value, good);
}

static void add_pattern_sentences(json_t *sentences, const struct blame_view *view, bool *good)
{
  char text[SENTENCE_SIZE];
  for (size_t i = 0; i < view->pattern_count; i++) {
    const struct pattern *p = &view->patterns[i];
    describe_pattern(view, p, text, sizeof text);
    if (p->kind != PATTERN_EARLY && p->kind != PATTERN_ORDER)
      append(text, sizeof text, ": %s", gloss_of(run_of(view, p), p));
    add_sentence(sentences, "pattern", text, good);
    describe_remedy(view, p, text, sizeof text);
    add_sentence(sentences, "fix", text, good);
  }
}

static void add_race_sentences(json_t *sentences, const struct blame_view *view, bool *good)
{
  char text[SENTENCE_SIZE];
  size_t event[2];
  add_sentence(sentences, "verdict", RACE_TEXT, good);
  if (!race_events(view->story, event))
    return;
  describe_race(view->story, event, text, sizeof text);
  add_sentence(sentences, "pattern", text, good);
  describe_race_remedy(view->story, event, text, sizeof text);
  add_sentence(sentences, "fix", text, good);
}

static void add_missing_sentences(json_t *sentences, const struct blame_view *view, bool *good)
{
  char text[SENTENCE_SIZE * 2];
  const struct segment *segment = schedule_segments(view->passes);
  add_sentence(sentences, "verdict", SERIAL_TEXT, good);
  const uint32_t needed = schedule_preemptions(view->passes);
  for (uint32_t i = 0; i + 1 < view->passes->segments; i++) {
    if (needed && !segment[i].enabled)
      continue;
    strcpy(text, "with a switch ");
    describe_needed(view, i, text + strlen(text), sizeof text - strlen(text));
    add_sentence(sentences, "passes", text, good);
  }
}

/* What is to blame, in the words of blame_print, for a page. */
static json_t *sentences_value(const struct blame_view *view, bool *good)
{
  json_t *sentences = container(json_array(), good);
  char text[SENTENCE_SIZE * 2];
  if (view->verdict == BLAME_SWITCH) {
    describe_switch(view, text, sizeof text);
    add_sentence(sentences, "verdict", text, good);
  } else if (view->verdict == BLAME_RACE) {
    add_race_sentences(sentences, view, good);
  } else if (view->verdict == BLAME_NEEDS_SWITCH) {
    add_sentence(sentences, "verdict", NEEDED_TEXT, good);
  } else if (view->verdict == BLAME_MISSING_SWITCH && view->passes) {
    add_missing_sentences(sentences, view, good);
  } else {
    const char *verdict = view->verdict == BLAME_MISSING_SWITCH ? HOPELESS_TEXT
                          : view->verdict == BLAME_ALWAYS       ? ALWAYS_TEXT
                          : view->verdict == BLAME_UNFAITHFUL   ? UNFAITHFUL_TEXT
                                                                : unfinished(view);
    add_sentence(sentences, "verdict", verdict, good);
  }
  add_pattern_sentences(sentences, view, good);
  return sentences;
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
  set(object, "sentences", sentences_value(view, good), good);
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
