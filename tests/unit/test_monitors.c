/* SPDX-License-Identifier: Apache-2.0
 *
 * Monitors of all six formalisms against evaluators that know nothing of states: each looks at the whole trace and
 * follows the definition. Formulas and traces are random, with a new seed every time, which a failure names.
 *
 *     test_monitors [TRACES [SEED]]
 *
 * runs so many traces for each formalism, 4000 unless told otherwise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/monitor.h"
#include "core/rng.h"
#include "language/property_compile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LETTERS 3
#define LONGEST 24
#define TREES 64

static uint64_t traces = 4000, seed, drawn;
static struct spec spec;
static struct property_set set;
static struct property_monitor monitor;
static char text[8192];

static unsigned draw(unsigned below)
{
  return (unsigned)(mix64(seed + 0x9e3779b97f4a7c15u * ++drawn) % below);
}

/* ---- a monitor from a text ---- */

static const char head[] = "P() { event a before() : call(f(..)) {} event b before() : call(g(..)) {} "
                           "event c before() : call(h(..)) {} event d before() : call(i(..)) {}\n";

/* False if it is too large. */
static bool compile(const char *formalism, const char *formula, const char *handler)
{
  struct tokens t;
  char error[160];
  snprintf(text, sizeof text, "%s%s: %s\n@%s {} }", head, formalism, formula, handler);
  tokens_begin(&t, text, COMMENTS_LIKE_C);
  if (!spec_read(&t, &spec))
    fail_msg("%s\n%u:%u: %s", text, t.error.line, t.error.column, t.error.text);
  set.properties = set.rules = set.edges = set.states = set.symbols = set.name_bytes = 0;
  return property_compile_monitor(&spec, &set, &monitor, error, sizeof error);
}

static uint32_t run(const uint8_t *trace, unsigned length)
{
  static struct monitor_memory memory;
  uint16_t state;
  uint32_t categories = 0;
  monitor_begin(&set, &monitor, &state, &memory);
  for (unsigned i = 0; i < length; i++)
    categories = monitor_step(&set, &monitor, &state, &memory, trace[i]);
  return categories;
}

static unsigned draw_trace(uint8_t *trace, unsigned most)
{
  unsigned length = 1 + draw(most);
  for (unsigned i = 0; i < length; i++)
    trace[i] = (uint8_t)draw(LETTERS);
  return length;
}

static const char *letters_of(const uint8_t *trace, unsigned length)
{
  static char letters[LONGEST + 1];
  for (unsigned i = 0; i < length; i++)
    letters[i] = (char)('a' + trace[i]);
  letters[length] = 0;
  return letters;
}

static void expect(bool said, bool right, const char *what, const uint8_t *trace, unsigned length)
{
  if (said != right)
    fail_msg("seed %lu: the monitor says %s%s of %s\n%s", (unsigned long)seed, said ? "" : "not ", what,
             letters_of(trace, length), text);
}

/* ---- formulas as trees ---- */

struct tree {
  char kind; /* a letter of `operators` below, or 'e': an event */
  unsigned left, right, event;
};

static struct tree tree[TREES];
static unsigned tree_count;

static unsigned draw_tree(const char *unary, const char *binary, unsigned depth)
{
  struct tree t = {.kind = 'e', .event = draw(LETTERS)};
  size_t operators = strlen(unary) + strlen(binary);
  if (depth && draw(4)) {
    unsigned which = draw((unsigned)operators);
    t.kind = which < strlen(unary) ? unary[which] : binary[which - strlen(unary)];
    t.left = draw_tree(unary, binary, depth - 1);
    if (which >= strlen(unary))
      t.right = draw_tree(unary, binary, depth - 1);
  }
  tree[tree_count] = t;
  return tree_count++;
}

/* Each operator by its letter: before, between and behind its operands. */
static const struct {
  char kind;
  const char *before, *between, *behind;
} operators[] = {{'~', "~", "", ""},     {'*', "", "", "*"},    {'+', "", "", "+"},    {'?', "", "", "?"},
                 {'.', "", " ", ""},     {'|', "", " | ", ""},  {'&', "", " & ", ""},  {'!', "!", "", ""},
                 {'A', "", " and ", ""}, {'O', "", " or ", ""}, {'I', "", " => ", ""}, {'X', "o ", "", ""},
                 {'G', "[] ", "", ""},   {'F', "<> ", "", ""},  {'U', "", " U ", ""},  {'R', "", " R ", ""},
                 {'P', "(*) ", "", ""},  {'H', "[*] ", "", ""}, {'N', "<*> ", "", ""}, {'S', "", " S ", ""}};

static void write_tree(unsigned node, char *out, size_t size)
{
  const struct tree *t = &tree[node];
  size_t n = 0;
  if (t->kind == 'e') {
    snprintf(out, size, "%c", 'a' + t->event);
    return;
  }
  while (operators[n].kind != t->kind)
    n++;
  char left[2048], right[2048] = "";
  write_tree(t->left, left, sizeof left);
  if (*operators[n].between)
    write_tree(t->right, right, sizeof right);
  snprintf(out, size, "(%s%s%s%s%s)", operators[n].before, left, operators[n].between, right, operators[n].behind);
}

static bool compile_tree(const char *formalism, const char *handler, const char *unary, const char *binary,
                         unsigned depth, unsigned *root)
{
  char formula[4096];
  tree_count = 0;
  *root = draw_tree(unary, binary, depth);
  write_tree(*root, formula, sizeof formula);
  return compile(formalism, formula, handler);
}

/* ---- regular expressions ---- */

static int8_t known[TREES][LONGEST + 1][LONGEST + 1];

static bool matches(unsigned node, const uint8_t *w, unsigned from, unsigned to);

static bool split(unsigned first, unsigned second, const uint8_t *w, unsigned from, unsigned least, unsigned to)
{
  for (unsigned k = least; k <= to; k++)
    if (matches(first, w, from, k) && matches(second, w, k, to))
      return true;
  return false;
}

static bool matches_anew(const struct tree *t, unsigned node, const uint8_t *w, unsigned from, unsigned to)
{
  switch (t->kind) {
  case 'e':
    return to == from + 1 && w[from] == t->event;
  case '~':
    return !matches(t->left, w, from, to);
  case '|':
    return matches(t->left, w, from, to) || matches(t->right, w, from, to);
  case '&':
    return matches(t->left, w, from, to) && matches(t->right, w, from, to);
  case '?':
    return from == to || matches(t->left, w, from, to);
  case '.':
    return split(t->left, t->right, w, from, from, to);
  case '*':
    return from == to || split(t->left, node, w, from, from + 1, to);
  default: /* '+': one, or one and more of them, of which only the first may be empty */
    return matches(t->left, w, from, to) || split(t->left, node, w, from, from + 1, to);
  }
}

static bool matches(unsigned node, const uint8_t *w, unsigned from, unsigned to)
{
  int8_t *k = &known[node][from][to];
  if (!*k)
    *k = matches_anew(&tree[node], node, w, from, to) ? 1 : -1;
  return *k > 0;
}

static bool is_match(unsigned root, const uint8_t *w, unsigned length)
{
  memset(known, 0, sizeof known);
  return matches(root, w, 0, length);
}

/* Whether a word of the expression begins with it and has at most so many letters more. */
static bool can_match(unsigned root, uint8_t *w, unsigned length, unsigned more)
{
  if (is_match(root, w, length))
    return true;
  for (unsigned letter = 0; more && letter < LETTERS + 1; letter++) {
    w[length] = (uint8_t)letter;
    if (can_match(root, w, length + 1, more - 1))
      return true;
  }
  return false;
}

static void expressions(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  unsigned root;
  for (uint64_t n = 0; n < traces;) {
    if (!compile_tree("ere", "fail", "~*+?", "....|||&&", 3, &root))
      continue;
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 8);
      uint32_t said = run(w, length);
      expect(said & CATEGORY_MATCH, is_match(root, w, length), "match", w, length);
      bool more = false;
      for (unsigned least = 0; !more && least <= (said & CATEGORY_FAIL ? 2u : 7u); least += 1 + least / 2)
        more = can_match(root, w, length, least);
      expect(said & CATEGORY_FAIL, !more, "fail", w, length);
    }
  }
}

/* ---- temporal logic ---- */

/* Whether the formula holds at each place of a word that goes on from its end at `again`. */
static void holds_on_lasso(unsigned node, const uint8_t *w, unsigned length, unsigned again, bool *at)
{
  const struct tree *t = &tree[node];
  bool left[LONGEST], right[LONGEST] = {0};
  if (t->kind == 'e') {
    for (unsigned i = 0; i < length; i++)
      at[i] = w[i] == t->event;
    return;
  }
  holds_on_lasso(t->left, w, length, again, left);
  if (strchr("AOIUR", t->kind))
    holds_on_lasso(t->right, w, length, again, right);
  bool greatest = t->kind == 'G' || t->kind == 'R';
  for (unsigned i = 0; i < length; i++)
    at[i] = greatest;
  for (unsigned round = 0; round <= length; round++)
    for (unsigned i = length; i-- > 0;) {
      unsigned then = i + 1 < length ? i + 1 : again;
      at[i] = t->kind == '!'   ? !left[i]
              : t->kind == 'A' ? left[i] && right[i]
              : t->kind == 'O' ? left[i] || right[i]
              : t->kind == 'I' ? !left[i] || right[i]
              : t->kind == 'X' ? left[then]
              : t->kind == 'G' ? left[i] && at[then]
              : t->kind == 'F' ? left[i] || at[then]
              : t->kind == 'U' ? right[i] || (left[i] && at[then])
                               : right[i] && (left[i] || at[then]);
    }
}

/* Whether it can go on with at most so many letters, of which the last ones are repeated for ever. */
static bool can_hold(unsigned root, uint8_t *w, unsigned trace, unsigned length, unsigned more)
{
  bool at[LONGEST];
  for (unsigned again = trace; again < length; again++) {
    holds_on_lasso(root, w, length, again, at);
    if (at[0])
      return true;
  }
  for (unsigned letter = 0; more && letter < LETTERS + 1; letter++) {
    w[length] = (uint8_t)letter;
    if (can_hold(root, w, trace, length + 1, more - 1))
      return true;
  }
  return false;
}

static void future(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  unsigned root;
  for (uint64_t n = 0; n < traces;) {
    if (!compile_tree("ltl", "violation", "!XGF", "AOIUR", 3, &root))
      continue;
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 8);
      bool said = run(w, length) & CATEGORY_VIOLATION, can = false;
      for (unsigned more = 1; !can && more <= (said ? 3u : 7u); more++)
        can = can_hold(root, w, length, length, more);
      expect(said, !can, "violation", w, length);
    }
  }
}

/* Whether it holds at the place, which is the last one so far. */
static bool held(unsigned node, const uint8_t *w, unsigned at)
{
  const struct tree *t = &tree[node];
  switch (t->kind) {
  case 'e':
    return w[at] == t->event;
  case '!':
    return !held(t->left, w, at);
  case 'A':
    return held(t->left, w, at) && held(t->right, w, at);
  case 'O':
    return held(t->left, w, at) || held(t->right, w, at);
  case 'I':
    return !held(t->left, w, at) || held(t->right, w, at);
  case 'P':
    return at && held(t->left, w, at - 1);
  case 'H':
    return held(t->left, w, at) && (!at || held(node, w, at - 1));
  case 'N':
    return held(t->left, w, at) || (at && held(node, w, at - 1));
  default: /* 'S' */
    return held(t->right, w, at) || (at && held(t->left, w, at) && held(node, w, at - 1));
  }
}

static void past(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  unsigned root;
  for (uint64_t n = 0; n < traces;) {
    if (!compile_tree("ptltl", "violation", "!PHN", "AOIS", 4, &root))
      continue;
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 8);
      uint32_t said = run(w, length);
      expect(said & CATEGORY_VALIDATION, held(root, w, length - 1), "validation", w, length);
      expect(said & CATEGORY_VIOLATION, !held(root, w, length - 1), "violation", w, length);
    }
  }
}

/* ---- states ---- */

static void states(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  for (uint64_t n = 0; n < traces;) {
    char formula[1024] = "";
    int to[4][LETTERS];
    for (unsigned q = 0; q < 4; q++) {
      snprintf(formula + strlen(formula), sizeof formula - strlen(formula), "s%u [ ", q);
      for (unsigned e = 0; e < LETTERS; e++) {
        to[q][e] = (int)draw(6) - 1;
        to[q][e] = to[q][e] > 3 ? -1 : to[q][e];
        if (to[q][e] >= 0)
          snprintf(formula + strlen(formula), sizeof formula - strlen(formula), "%c -> s%d%s", 'a' + e, to[q][e],
                   draw(2) ? ", " : " ");
      }
      strcat(formula, "] ");
    }
    strcat(formula, "alias odd = s1, s3");
    assert_true(compile("fsm", formula, "fail"));
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 8);
      int q = 0;
      for (unsigned i = 0; i < length && q >= 0; i++)
        q = to[q][w[i]];
      uint32_t said = run(w, length);
      expect(said & CATEGORY_FAIL, q < 0, "fail", w, length);
      expect(said & CATEGORY_ALIAS, q == 1 || q == 3, "odd", w, length);
    }
  }
}

/* ---- grammars ---- */

#define RULES 8
#define NONTERMINALS 3

static struct {
  unsigned left, length;
  unsigned right[4]; /* a letter, or 10 + a nonterminal */
} production[RULES];
static unsigned productions;

static bool derives[NONTERMINALS][LONGEST + 1][LONGEST + 1]; /* exactly these letters */
static bool begins[NONTERMINALS][LONGEST + 1];               /* some word that begins with the letters from here on */
static bool productive[NONTERMINALS];

static bool piece_derives(unsigned symbol, const uint8_t *w, unsigned from, unsigned to)
{
  return symbol < 10 ? to == from + 1 && w[from] == symbol : derives[symbol - 10][from][to];
}

static bool rest_derives(unsigned p, unsigned i, const uint8_t *w, unsigned from, unsigned to)
{
  if (i == production[p].length)
    return from == to;
  for (unsigned k = from; k <= to; k++)
    if (piece_derives(production[p].right[i], w, from, k) && rest_derives(p, i + 1, w, k, to))
      return true;
  return false;
}

static bool rest_is_productive(unsigned p, unsigned i)
{
  for (; i < production[p].length; i++)
    if (production[p].right[i] >= 10 && !productive[production[p].right[i] - 10])
      return false;
  return true;
}

/* The right side from i on gives a word that begins with the letters from `from` on. */
static bool rest_begins(unsigned p, unsigned i, const uint8_t *w, unsigned from, unsigned length)
{
  if (from == length)
    return rest_is_productive(p, i);
  if (i == production[p].length)
    return false;
  unsigned symbol = production[p].right[i];
  if (symbol >= 10 && begins[symbol - 10][from] && rest_is_productive(p, i + 1))
    return true;
  for (unsigned k = from; k <= length; k++)
    if (piece_derives(symbol, w, from, k) && rest_begins(p, i + 1, w, k, length))
      return true;
  return false;
}

static void derive_all(const uint8_t *w, unsigned length)
{
  memset(derives, 0, sizeof derives);
  memset(begins, 0, sizeof begins);
  memset(productive, 0, sizeof productive);
  for (bool more = true; more;) {
    more = false;
    for (unsigned p = 0; p < productions; p++) {
      unsigned n = production[p].left;
      if (!productive[n] && rest_is_productive(p, 0))
        more = productive[n] = true;
      for (unsigned from = 0; from <= length; from++) {
        for (unsigned to = from; to <= length; to++)
          if (!derives[n][from][to] && rest_derives(p, 0, w, from, to))
            more = derives[n][from][to] = true;
        if (!begins[n][from] && rest_begins(p, 0, w, from, length))
          more = begins[n][from] = true;
      }
    }
  }
}

static void draw_grammar(char *formula, size_t size)
{
  productions = 0;
  *formula = 0;
  for (unsigned n = 0; n < NONTERMINALS; n++) {
    unsigned count = 1 + draw(RULES / NONTERMINALS);
    for (unsigned i = 0; i < count; i++) {
      unsigned p = productions++;
      production[p].left = n;
      production[p].length = draw(5);
      snprintf(formula + strlen(formula), size - strlen(formula), "%s%c%s",
               n && !i ? ", "
               : i     ? " | "
                       : "",
               i ? ' ' : (char)('S' + n), i ? "" : " ->");
      for (unsigned k = 0; k < production[p].length; k++) {
        unsigned symbol = draw(2) ? draw(LETTERS) : 10 + draw(NONTERMINALS);
        production[p].right[k] = symbol;
        snprintf(formula + strlen(formula), size - strlen(formula), " %c",
                 symbol < 10 ? (char)('a' + symbol) : (char)('S' + symbol - 10));
      }
      if (!production[p].length)
        strcat(formula, " epsilon");
    }
  }
}

static void grammars(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  for (uint64_t n = 0; n < traces;) {
    char formula[1024];
    draw_grammar(formula, sizeof formula);
    if (!compile("cfg", formula, "fail")) {
      derive_all(w, 0);
      assert_false(productive[0]);
      continue;
    }
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 10);
      uint32_t said = run(w, length);
      assert_false(said & CATEGORY_LOST);
      derive_all(w, length);
      expect(said & CATEGORY_MATCH, derives[0][0][length], "match", w, length);
      expect(said & CATEGORY_FAIL, !begins[0][0], "fail", w, length);
    }
  }
}

/* ---- rewriting ---- */

static struct {
  unsigned left, right; /* right: 100 fail, 101 succeed */
  uint8_t letters[4], to[4];
} rewriting[RULES];
static unsigned rewritings;

/* 1: failed, 2: succeeded, 3: without an end. */
static unsigned rewrite(const uint8_t *trace, unsigned length)
{
  uint8_t w[1024];
  memcpy(w, trace, length);
  for (unsigned steps = 0;; steps++) {
    unsigned end = 0, rule = rewritings;
    for (; end < length && rule == rewritings; end++)
      for (rule = 0; rule < rewritings; rule++)
        if (rewriting[rule].left <= end + 1 &&
            !memcmp(w + end + 1 - rewriting[rule].left, rewriting[rule].letters, rewriting[rule].left))
          break;
    if (rule == rewritings)
      return 0;
    if (rewriting[rule].right >= 100)
      return rewriting[rule].right - 99;
    if (steps == 2000 || length > 64)
      return 3;
    unsigned from = end - rewriting[rule].left, right = rewriting[rule].right;
    memmove(w + from + right, w + end, length - end);
    memcpy(w + from, rewriting[rule].to, right);
    length = length - rewriting[rule].left + right;
  }
}

static void draw_rules(char *formula, size_t size)
{
  *formula = 0;
  rewritings = 1 + draw(5);
  for (unsigned r = 0; r < rewritings; r++) {
    rewriting[r].left = 1 + draw(3);
    for (unsigned i = 0; i < rewriting[r].left; i++) {
      rewriting[r].letters[i] = (uint8_t)draw(LETTERS);
      snprintf(formula + strlen(formula), size - strlen(formula), "%c ", 'a' + rewriting[r].letters[i]);
    }
    strcat(formula, "->");
    rewriting[r].right = draw(6) == 0 ? 100 + draw(2) : draw(rewriting[r].left + 1);
    for (unsigned i = 0; rewriting[r].right < 100 && i < rewriting[r].right; i++) {
      rewriting[r].to[i] = (uint8_t)draw(LETTERS);
      snprintf(formula + strlen(formula), size - strlen(formula), " %c", 'a' + rewriting[r].to[i]);
    }
    strcat(formula, rewriting[r].right == 100   ? " #fail .\n"
                    : rewriting[r].right == 101 ? " #succeed .\n"
                    : rewriting[r].right        ? " .\n"
                                                : " #epsilon .\n");
  }
}

static void rules(void **unused)
{
  (void)unused;
  uint8_t w[LONGEST];
  for (uint64_t n = 0; n < traces;) {
    char formula[1024];
    draw_rules(formula, sizeof formula);
    assert_true(compile("srs", formula, "fail"));
    for (unsigned k = 0; k < 20; k++, n++) {
      unsigned length = draw_trace(w, 16), right = rewrite(w, length);
      uint32_t said = run(w, length);
      expect(said & CATEGORY_LOST, right == 3, "lost", w, length);
      expect(said & CATEGORY_FAIL, right == 1, "fail", w, length);
      expect(said & CATEGORY_SUCCEED, right == 2, "succeed", w, length);
    }
  }
}

/* ---- what is known ---- */

#define GROUPS "S -> A S | B S | epsilon, A -> A a A b | epsilon, B -> B c B d | epsilon"

/* A grammar and rules, on all traces of up to eight events in which nothing ends that has not begun. */
static void agree(const char *as_grammar, const char *as_rules)
{
  static struct property_set first;
  static struct monitor_memory memory[2];
  struct property_monitor grammar;
  assert_true(compile("cfg", as_grammar, "fail"));
  first = set;
  grammar = monitor;
  assert_true(compile("srs", as_rules, "fail"));
  unsigned compared = 0, failed = 0;
  for (unsigned length = 1; length <= 8; length++)
    for (unsigned code = 0; code < 1u << 2 * length; code++) {
      int open[2] = {0, 0};
      bool well_formed = true;
      uint16_t state;
      uint32_t said[2] = {0, 0};
      chart_begin(&first.symbol[grammar.next], &memory[0]);
      monitor_begin(&set, &monitor, &state, &memory[1]);
      for (unsigned i = 0; i < length && well_formed; i++) {
        unsigned letter = code >> 2 * i & 3;
        open[letter / 2] += letter % 2 ? -1 : 1;
        well_formed = open[letter / 2] >= 0;
        said[0] = chart_step(&first.symbol[grammar.next], &memory[0], letter);
        said[1] = monitor_step(&set, &monitor, &state, &memory[1], letter);
      }
      if (!well_formed)
        continue;
      assert_int_equal(said[0] & (CATEGORY_FAIL | CATEGORY_LOST), said[1] & (CATEGORY_FAIL | CATEGORY_LOST));
      compared++;
      failed += said[0] & CATEGORY_FAIL ? 1 : 0;
    }
  assert_int_equal(compared, 12256);
  assert_true(failed > 1000 && failed < compared);
}

#define APART "c d -> #epsilon . a b -> #epsilon . c b -> #fail . a d -> #fail . c a -> #fail . a c -> #fail ."

/* Two groups exclude each other, each is free in itself; readers and a writer. */
static void grammar_and_rules_agree(void **unused)
{
  (void)unused;
  agree(GROUPS, APART);
  agree("S -> A S | c d S | epsilon, A -> A a A b | epsilon", APART " c c -> #fail .");
}

/* A list of any length needs no more room than a short one, and nesting as much as it is deep. */
static void long_traces(void **unused)
{
  (void)unused;
  static const char *const grammar[] = {GROUPS, "S -> a b S | epsilon", "S -> S a b | epsilon"};
  static struct monitor_memory memory;
  uint16_t state;
  for (size_t g = 0; g < sizeof grammar / sizeof *grammar; g++) {
    assert_true(compile("cfg", grammar[g], "fail"));
    monitor_begin(&set, &monitor, &state, &memory);
    for (unsigned i = 0; i < 100000; i++) {
      assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 0) & ~(unsigned)CATEGORY_MATCH, 0);
      assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 1), CATEGORY_MATCH);
    }
    assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 1), CATEGORY_FAIL);
  }
  assert_true(compile("cfg", "S -> a S b | epsilon", "fail"));
  monitor_begin(&set, &monitor, &state, &memory);
  for (unsigned i = 0; i < 40; i++)
    assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 0), 0);
  for (unsigned i = 0; i < 40; i++)
    assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 1), i == 39 ? CATEGORY_MATCH : 0);
  monitor_begin(&set, &monitor, &state, &memory);
  for (unsigned i = 0; i < 200; i++)
    monitor_step(&set, &monitor, &state, &memory, 0);
  assert_int_equal(monitor_step(&set, &monitor, &state, &memory, 1), CATEGORY_LOST);
}

static void sizes(void **unused)
{
  (void)unused;
  assert_true(compile("ltl", "[] (a => <> b)", "violation")); /* nothing is ever a bad prefix */
  assert_int_equal(monitor.states, 2);
  assert_true(compile("ltl", "!b U a", "violation"));
  assert_int_equal(monitor.states, 3);
  assert_true(compile("ere", "(a b)* c", "fail"));
  assert_int_equal(monitor.states, 4);
  assert_false(compile("cfg", "S -> a S", "fail"));
  assert_false(compile("ere", "(a|b)* a (a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)", "fail"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(expressions),
                                     cmocka_unit_test(future),
                                     cmocka_unit_test(past),
                                     cmocka_unit_test(states),
                                     cmocka_unit_test(grammars),
                                     cmocka_unit_test(rules),
                                     cmocka_unit_test(grammar_and_rules_agree),
                                     cmocka_unit_test(long_traces),
                                     cmocka_unit_test(sizes)};
  seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
  traces = argc > 1 ? strtoull(argv[1], NULL, 0) : traces;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
