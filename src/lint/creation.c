/* SPDX-License-Identifier: Apache-2.0
 *
 * Creations in loops without a bound: from each call of what creates, up the calls of the functions around it, and of
 * each loop on the way the two verdicts (bounding.h). A path ends at the limits of calls and loops, or where a loop has
 * no bound: that one is the finding, told with the shortest path.
 */
#include "core/hash.h"
#include "lint/bounding.h"
#include "lint/lint.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISITS_MOST 200000 /* of calls, from one creation: what has more callers is called everywhere */

/* A loop on the path, and what is said of it. */
struct judged {
  struct lint_loop loop;
  unsigned level;
  struct loop_verdict verdict;
};

struct search {
  const struct whole_program *program;
  const struct lint_choice *choice;
  unsigned rule;
  struct findings *findings;
  struct path_step step[PATH_MOST];
  struct judged loop[LOOPS_MOST + 1];
  unsigned loops;
  unsigned visits;
  bool gave_up; /* there are more */
  bool failed;
};

static const char *name_of(const struct search *s, uint32_t function)
{
  return s->program->symbol[s->program->function[function].symbol].name;
}

/* ---- telling ---- */

static const char *kind_word(const struct search *s, const struct lint_loop *l)
{
  static const char *const words[] = {
      [LOOP_GOTO] = "goto", [LOOP_RECURSION] = "recursion", [LOOP_CALLBACK] = "callback", [LOOP_OWN_KIND] = "own kind"};
  if (l->kind != LOOP_STATEMENT)
    return words[l->kind];
  const uint8_t kind = s->program->unit[l->unit].syntax.node[l->node].kind;
  return kind == SYNTAX_WHILE ? "while" : kind == SYNTAX_DO ? "do" : "for";
}

static uint32_t last_line(const struct search *s, const struct lint_loop *l)
{
  const struct syntax *x = &s->program->unit[l->unit].syntax;
  uint32_t last = l->line;
  for (uint32_t i = l->from; i < l->to; i++)
    if (x->node[i].line > last)
      last = x->node[i].line;
  return last;
}

/* What is said of both verdicts. */
static void verdict_words(const struct loop_verdict *v, char out[128])
{
  char total[32] = "", live[32] = "";
  if (v->total_pattern)
    snprintf(total, sizeof total, " (pattern %u)", v->total_pattern);
  if (v->live_pattern)
    snprintf(live, sizeof live, " (pattern %u)", v->live_pattern);
  if (v->total)
    snprintf(out, 128, "limited in total%s", total);
  else if (v->live)
    snprintf(out, 128, "limited at once%s, no limit found in total", live);
  else
    snprintf(out, 128, "no limit found, neither in total nor at once");
}

static void tell_outside(const struct search *s, struct lint_finding *f, const struct chosen_outside *outside)
{
  struct finding_place place = {.kind = PLACE_WHY, .line = outside->line};
  place.file = finding_text(s->findings, "%s", s->program->function[outside->function].file);
  place.text = finding_text(s->findings, "%s", outside->why);
  finding_add_place(s->findings, f, place);
}

static void tell_loop(const struct search *s, struct lint_finding *f, const struct judged *l)
{
  static const char *const intro[] = {"the loop", "the loop by goto", "the recursion",
                                      "a library calls it again and again; each call",
                                      "a thread that creates one of its own kind"};
  char verdict[128];
  verdict_words(&l->verdict, verdict);
  const struct program_function *function = &s->program->function[l->loop.function];
  struct finding_place place = {.kind = PLACE_LOOP, .line = l->loop.line, .last = last_line(s, &l->loop)};
  place.file = finding_text(s->findings, "%s", function->file);
  place.function = finding_text(s->findings, "%s", name_of(s, l->loop.function));
  const bool always = !l->verdict.condition[0] || !strcmp(l->verdict.condition, "true");
  place.text = finding_text(s->findings, "%s creates %s%s: %s%s%s", intro[l->loop.kind],
                            always ? "in every iteration" : "when ", always ? "" : l->verdict.condition, verdict,
                            l->verdict.live_why[0] ? ": " : "", l->verdict.live_why);
  finding_add_place(s->findings, f, place);
  for (unsigned i = 0; i < l->verdict.reasons; i++) {
    struct finding_place why = {.kind = PLACE_WHY, .line = l->loop.line};
    why.file = finding_text(s->findings, "%s", function->file);
    why.text =
        finding_text(s->findings, "'%s' is no limit: %s", l->verdict.reason[i].condition, l->verdict.reason[i].why);
    finding_add_place(s->findings, f, why);
  }
  if (l->verdict.more_reasons) {
    struct finding_place more = {.kind = PLACE_WHY, .line = l->loop.line};
    more.file = finding_text(s->findings, "%s", function->file);
    more.text = finding_text(s->findings, "nor is any of its other parts");
    finding_add_place(s->findings, f, more);
  }
  if (l->verdict.outside.why[0])
    tell_outside(s, f, &l->verdict.outside);
  if (l->verdict.limit[0]) {
    struct finding_place limit = {.kind = PLACE_WHY, .line = l->loop.line};
    limit.file = finding_text(s->findings, "%s", function->file);
    limit.text = finding_text(s->findings, "it may be limited: %s", l->verdict.limit);
    finding_add_place(s->findings, f, limit);
  }
}

static void tell_call(const struct search *s, struct lint_finding *f, unsigned level)
{
  const struct path_step *step = &s->step[level];
  size_t length;
  const char *callee = called_name(s->program, step->code, &length);
  struct finding_place place = {
      .kind = PLACE_CALL, .line = program_node(s->program, step->code)->line, .may = step->may};
  if (level) {
    callee = name_of(s, s->step[level - 1].function);
    length = strlen(callee);
  }
  place.file = finding_text(s->findings, "%s", s->program->function[step->function].file);
  place.function = finding_text(s->findings, "%s", name_of(s, step->function));
  place.callee = finding_text(s->findings, "%.*s", (int)length, callee);
  place.text =
      finding_text(s->findings, "%s() %s %.*s()%s", name_of(s, step->function), step->may ? "may call" : "calls",
                   (int)length, callee, step->may ? " through a pointer" : "");
  finding_add_place(s->findings, f, place);
}

/* The calls from the loop downwards, each loop before the call that is in it. */
static void tell_path(const struct search *s, struct lint_finding *f, unsigned level)
{
  for (unsigned i = level + 1; i-- > 0;) {
    for (unsigned k = s->loops; k-- > 0;)
      if (s->loop[k].level == i)
        tell_loop(s, f, &s->loop[k]);
    tell_call(s, f, i);
    f->may |= s->step[i].may;
  }
}

/* What did not fit ends in "...". */
static void show_cut(char *text, size_t size)
{
  size_t end = size - sizeof "...";
  if (strlen(text) + 1 < size)
    return;
  while (end && ((unsigned char)text[end] & 0xc0) == 0x80) /* not inside of a letter */
    end--;
  strcpy(text + end, "...");
}

static void show_cuts(struct loop_verdict *v)
{
  show_cut(v->condition, sizeof v->condition);
  show_cut(v->live_why, sizeof v->live_why);
  show_cut(v->outside.why, sizeof v->outside.why);
  show_cut(v->limit, sizeof v->limit);
  for (unsigned i = 0; i < v->reasons; i++) {
    show_cut(v->reason[i].condition, sizeof v->reason[i].condition);
    show_cut(v->reason[i].why, sizeof v->reason[i].why);
  }
}

static uint64_t key_of(const struct search *s, const struct judged *l)
{
  uint64_t key = hash_string(HASH_START, lint_rules[s->rule].name);
  key = hash_string(key, name_of(s, l->loop.function));
  for (unsigned i = 0; i < l->level; i++)
    key = hash_string(key, name_of(s, s->step[i].function));
  return hash_string(key, kind_word(s, &l->loop));
}

static void fill(const struct search *s, struct lint_finding *f, const struct judged *l)
{
  const struct program_function *function = &s->program->function[l->loop.function];
  const bool problem = !l->verdict.live;
  f->rule = s->rule;
  f->state = problem ? FINDING_NEW : FINDING_BOUNDED;
  f->file = finding_text(s->findings, "%s", function->file);
  f->function = finding_text(s->findings, "%s", name_of(s, l->loop.function));
  f->line = l->loop.line;
  f->loop = kind_word(s, &l->loop);
  f->condition = finding_text(s->findings, "%s", l->verdict.condition);
  f->total = l->verdict.total;
  f->live = l->verdict.live;
  f->total_pattern = l->verdict.total_pattern;
  f->live_pattern = l->verdict.live_pattern;
  f->key = key_of(s, l);
  tell_path(s, f, l->level);
  f->message = finding_text(s->findings, "%s%s", lint_rules[s->rule].message, f->may ? " (through a pointer)" : "");
}

static size_t calls_in(const struct lint_finding *f)
{
  size_t calls = 0;
  for (size_t i = 0; i < f->places; i++)
    calls += f->place[i].kind == PLACE_CALL;
  return calls;
}

/* Each loop once: one without a bound before one that has one, then the shortest path, sure before possible. */
static void tell(struct search *s, const struct judged *l)
{
  struct lint_finding fresh = {0}, *place = NULL;
  fill(s, &fresh, l);
  for (size_t i = 0; i < s->findings->count && !place; i++) {
    struct lint_finding *f = &s->findings->finding[i];
    if (f->rule == s->rule && f->line == fresh.line && f->file && fresh.file && !strcmp(f->file, fresh.file) &&
        !strcmp(f->loop, fresh.loop))
      place = f;
  }
  const bool better = place && (place->state != fresh.state ? fresh.state == FINDING_NEW
                                : place->may != fresh.may   ? place->may
                                                            : calls_in(&fresh) < calls_in(place));
  if (place && !better) {
    finding_clear(&fresh);
    return;
  }
  if (place)
    finding_clear(place);
  else
    place = findings_add(s->findings);
  if (place)
    *place = fresh;
  else
    finding_clear(&fresh);
}

/* ---- searching ---- */

static bool takes_from_outside(const struct whole_program *p, const struct lint_loop *loop)
{
  for (uint32_t i = loop->from; i < loop->to; i++) {
    const struct code_place c = {loop->unit, i};
    if (program_node(p, c)->kind == SYNTAX_CALL && called_meaning(p, c) & word_bit(WORD_INPUT))
      return true;
  }
  return false;
}

/* Loops with a bound are told with those of which it is certain that they have none. */
static bool is_meant(enum lint_outside wanted, const struct loop_verdict *v)
{
  const bool certain = v->outside.why[0] && !v->limit[0];
  return wanted == OUTSIDE_ANY || (v->live || certain) == (wanted == OUTSIDE_SEEN);
}

/* Judges a loop of that level; true: it has no bound, and the path ends. Of one that may have a bound after all, a loop
 * further out may still be certain. */
static bool look_at(struct search *s, struct lint_loop loop, unsigned level)
{
  if (lint_rules[s->rule].from_outside && !takes_from_outside(s->program, &loop))
    return false;
  struct judged *l = &s->loop[s->loops];
  struct bound_question question = {.program = s->program,
                                    .patterns = s->choice->patterns,
                                    .release = lint_rules[s->rule].release,
                                    .fails_by_value = lint_rules[s->rule].word == WORD_THREAD,
                                    .asks_outside = lint_rules[s->rule].outside != OUTSIDE_ANY,
                                    .step = s->step,
                                    .level = level,
                                    .loop = loop};
  *l = (struct judged){.loop = loop, .level = level};
  s->failed |= !loop_judge(&question, &l->verdict);
  show_cuts(&l->verdict);
  s->loops++;
  const bool told = is_meant(lint_rules[s->rule].outside, &l->verdict);
  if (told)
    tell(s, l);
  return !l->verdict.live && (told || lint_rules[s->rule].outside != OUTSIDE_SEEN);
}

static bool is_registered(const struct whole_program *p, uint32_t symbol)
{
  for (size_t i = 0; i < p->takens; i++) {
    const struct address_taken *t = &p->taken[i];
    if (t->symbol != symbol || t->given_to == PROGRAM_NONE)
      continue;
    const char *name = p->symbol[t->given_to].name;
    if (p->symbol[t->given_to].meaning & word_bit(WORD_CALLBACK) &&
        vocabulary_argument(p->vocabulary, WORD_CALLBACK, name, strlen(name)) == t->argument)
      return true;
  }
  return false;
}

/* Whether the thread that is created runs the function. Where it calls this one through a pointer that says nothing:
 * what is called differs from one thread to the other. */
static bool is_own_kind(const struct search *s, uint32_t function)
{
  size_t length;
  const struct code_place call = s->step[0].code;
  const char *name = called_name(s->program, call, &length);
  const unsigned argument = vocabulary_argument(s->program->vocabulary, lint_rules[s->rule].word, name, length);
  const struct code_place start = argument && argument != UINT_MAX ? code_child(s->program, call, argument)
                                                                   : (struct code_place){.node = PROGRAM_NONE};
  return code_is(start) &&
         program_symbol_of(s->program, code_inside(s->program, start)) == s->program->function[function].symbol;
}

/* A function that is given a function stands for the creation, as what a library has for it does: the calls below it
 * are none that the limit counts. How many these are. */
#define STANDING_MOST 2
static unsigned calls_in_creation(const struct search *s, unsigned level)
{
  unsigned calls = 0;
  for (unsigned i = 0; i <= level && i < STANDING_MOST; i++) {
    const char *type = s->program->symbol[s->program->function[s->step[i].function].symbol].type;
    calls = strstr(type, "(*)(") || strstr(type, "std::function<") ? i + 1 : calls;
  }
  return calls;
}

/* Whether the calls up to that level are certain. */
static bool is_certain(const struct search *s, unsigned level)
{
  for (unsigned i = 0; i <= level; i++)
    if (s->step[i].may)
      return false;
  return true;
}

/* Whether a path that goes up to that level may go on. */
static bool may_go_up(const struct search *s, unsigned level)
{
  return level + 1 < s->choice->calls + calls_in_creation(s, level) && level + 1 < PATH_MOST;
}

/* A function that is called again by what it calls: the first of its calls on the path is the turn of a loop, as in
 * look_at_recursion(). */
static void look_at_return(struct search *s, unsigned level, const struct lint_call *site)
{
  const unsigned before = s->loops;
  if (site->may || s->step[level].function == site->function || !may_go_up(s, level) || !is_certain(s, level) ||
      s->loops >= s->choice->loops)
    return;
  s->step[level + 1] = (struct path_step){.function = site->function, .code = site->code};
  look_at(s, loop_of_function(s->program, site->function, LOOP_RECURSION), level + 1);
  s->loops = before;
}

/* A function that calls itself: the call in it is the turn of a loop. Not if it calls through a pointer: it walks
 * through a structure then, mostly, and what is called differs from one element to the other. */
static bool look_at_recursion(struct search *s, unsigned level)
{
  const uint32_t function = s->step[level].function;
  if (!is_certain(s, level))
    return false;
  size_t count;
  const struct lint_call *site = program_calls(s->program, s->program->function[function].symbol, &count);
  for (size_t i = 0; i < count; i++)
    if (site[i].function == function && !site[i].may && may_go_up(s, level)) {
      s->step[level + 1] = (struct path_step){.function = function, .code = site[i].code};
      return look_at(s, loop_of_function(s->program, function, LOOP_RECURSION), level + 1);
    }
  return false;
}

/* All loops around a step. True: the path ends. */
static bool look_around(struct search *s, unsigned level)
{
  struct lint_loop around[LOOPS_MOST];
  const struct path_step *step = &s->step[level];
  const unsigned most = s->choice->loops - s->loops < LOOPS_MOST ? s->choice->loops - s->loops : LOOPS_MOST;
  const unsigned count = loops_around(s->program, step->function, step->code.node, around, most);
  for (unsigned i = 0; i < count; i++)
    if (look_at(s, around[i], level))
      return true;
  if (s->loops >= s->choice->loops)
    return true;
  if (is_own_kind(s, step->function) && is_certain(s, level))
    return look_at(s, loop_of_function(s->program, step->function, LOOP_OWN_KIND), level);
  if (is_registered(s->program, s->program->function[step->function].symbol))
    return look_at(s, loop_of_function(s->program, step->function, LOOP_CALLBACK), level);
  return look_at_recursion(s, level);
}

static bool is_on_path(const struct search *s, unsigned level, uint32_t function)
{
  for (unsigned i = 0; i <= level; i++)
    if (s->step[i].function == function)
      return true;
  return false;
}

static void visit(struct search *s, unsigned level);

static void visit_caller(struct search *s, unsigned level, const struct lint_call *site)
{
  if (is_on_path(s, level, site->function)) {
    look_at_return(s, level, site);
    return;
  }
  s->step[level + 1] = (struct path_step){.function = site->function, .code = site->code, .may = site->may};
  visit(s, level + 1);
}

static void visit(struct search *s, unsigned level)
{
  const struct whole_program *p = s->program;
  const unsigned before = s->loops;
  if (s->visits == VISITS_MOST) {
    s->gave_up = true;
    return;
  }
  s->visits++;
  if (!s->failed && !look_around(s, level) && s->loops < s->choice->loops && may_go_up(s, level)) {
    const uint32_t function = s->step[level].function, symbol = p->function[function].symbol;
    size_t count;
    const struct lint_call *site = program_calls(p, symbol, &count);
    for (size_t i = 0; i < count; i++)
      if (!site[i].may && means_definition(p, &site[i], function))
        visit_caller(s, level, &site[i]);
    site = program_pointer_calls(p, symbol, &count);
    for (size_t i = 0; !s->choice->direct_only && i < count; i++)
      visit_caller(s, level, &site[i]);
  }
  s->loops = before;
}

/* `std::thread::thread`, `pool<int>::pool`. */
static bool is_constructor(const char *name)
{
  const char *last = strrchr(name, ':');
  if (!last || last - name < 2)
    return false;
  const char *end = last - 1, *from;
  for (unsigned depth = 0; end > name && (end[-1] == '>' || depth); end--) { /* without <int> */
    depth += end[-1] == '>';
    depth -= end[-1] == '<';
  }
  for (from = end; from > name && from[-1] != ':'; from--)
    ;
  const size_t length = (size_t)(end - from);
  return length && !strncmp(last + 1, from, length) && (!last[1 + length] || last[1 + length] == '<');
}

/* A std::thread that is made of nothing, copied or moved creates none. */
static bool creates(const struct whole_program *p, const struct lint_call *site)
{
  const char *type = p->symbol[site->callee].type;
  if (!strncmp(type, "void ()", 7) && is_constructor(p->symbol[site->callee].name))
    return false;
  return !strstr(type, "(std::thread &&)") && !strstr(type, "(std::jthread &&)") && !strstr(type, "(thread &&)") &&
         !strstr(type, "(boost::thread &&)");
}

static bool search_from(struct search *s, struct lint_work *work, unsigned rule, uint32_t function,
                        struct code_place code)
{
  *s = (struct search){.program = work->program, .choice = work->choice, .rule = rule, .findings = work->findings};
  s->step[0] = (struct path_step){.function = function, .code = code};
  visit(s, 0);
  work->given_up[function] |= s->gave_up;
  return !s->failed && !work->findings->failed;
}

/* Uses of macros that mean the rule's word; what they expand to has no name. */
static bool search_macros(struct search *s, struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  bool good = true;
  for (uint32_t i = 0; i < p->functions; i++) {
    const struct program_function *f = &p->function[i];
    const struct syntax *x = &p->unit[f->unit].syntax;
    for (uint32_t node = f->node; good && node < f->node + x->node[f->node].size; node++) {
      const struct code_place c = {f->unit, node};
      const bool macro = x->node[node].kind == SYNTAX_MACRO || x->node[node].kind == SYNTAX_DO;
      if (macro && called_meaning(p, c) & word_bit(lint_rules[rule].word))
        good = search_from(s, work, rule, i, c);
    }
  }
  return good;
}

bool creation_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *program = work->program;
  struct search *s = malloc(sizeof *s);
  bool good = s;
  for (size_t i = 0; good && i < program->calls; i++) {
    const struct lint_call *site = &program->call[i];
    const struct program_symbol *callee = &program->symbol[site->callee];
    if (callee->meaning & word_bit(lint_rules[rule].word) && (!strstr(callee->name, "::") || creates(program, site)))
      good = search_from(s, work, rule, site->function, site->code);
  }
  if (good && lint_rules[rule].word == WORD_ADD)
    good = search_macros(s, work, rule);
  free(s);
  return good;
}
