/* SPDX-License-Identifier: Apache-2.0
 *
 * Exhaustive search, in process, over toy programs: strategy dpor against strategy dfs, both against a search through
 * the states of the toy world that knows neither engine nor explorer, and against closed formulas.
 *
 * For a few thousand random programs (half of them, unless FULL is set: variables, mutexes, semaphores, data choices,
 * branches; then loops that wait, threads that create, join and ask for others, programs that end in the middle of a
 * step) it must hold that
 *  - the states in which executions end are those that can be reached,
 *  - a loop that nobody ends is found exactly if there is one,
 *  - dpor runs as many executions as dfs finds classes, the same ones, none twice, and abandons none,
 *  - the classes are those of an independent reckoning of what depends on what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "explore/explorer.h"
#include "generated.h"

enum { EXECUTIONS_MAX = 4000, STEPS_MAX = 80 };

/* ---- what can be reached: all states, without engine and explorer ---- */

enum { STATES_MAX = 20000, EDGES_MAX = 80000 };

struct reach {
  struct set states, finals;
  unsigned edges;
  struct {
    unsigned from, to;
  } edge[EDGES_MAX];
  unsigned first_edge[STATES_MAX];
  bool ends[STATES_MAX];     /* an end can be reached from there */
  uint32_t ways[STATES_MAX]; /* to an end, see ways_from() */
  struct toy_state state[STATES_MAX];
  bool livelock; /* there is a state from which nothing leads to an end */
};

static bool at_end(const struct toy_program *p, const struct toy_state *s)
{
  if (p->bug && p->bug(s))
    return true;
  for (int t = 0; t < TOY_THREADS; t++)
    if (toy_alive(s, t) && toy_enabled(p, s, t))
      return false;
  return true;
}

/* False: too many. */
static bool reach_step(const struct toy_program *p, struct reach *r, unsigned from, int t, int choice)
{
  bool fresh;
  struct toy_state next = r->state[from];
  toy_apply(p, &next, t, choice);
  unsigned to = set_add(&r->states, number_of(&next), &fresh);
  if (r->states.count >= STATES_MAX || r->edges == EDGES_MAX)
    return false;
  if (fresh)
    r->state[to] = next;
  r->edge[r->edges].from = from;
  r->edge[r->edges++].to = to;
  return true;
}

/* Of the thread's next step. */
static unsigned outcomes(const struct toy_program *p, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  return i && i->kind == CHOOSE ? (unsigned)i->value : 1;
}

static bool reach_from(const struct toy_program *p, struct reach *r, unsigned from)
{
  r->first_edge[from] = r->edges;
  for (int t = 0; t < TOY_THREADS; t++) {
    if (!toy_alive(&r->state[from], t) || !toy_enabled(p, &r->state[from], t))
      continue;
    unsigned n = outcomes(p, &r->state[from], t);
    for (unsigned choice = 0; choice < n; choice++)
      if (!reach_step(p, r, from, t, (int)choice))
        return false;
  }
  return true;
}

static bool reach_all(const struct toy_program *p, struct reach *r)
{
  bool fresh, moved = true;
  set_clear(&r->states);
  set_clear(&r->finals);
  r->edges = 0;
  r->livelock = false;
  r->state[0] = toy_start(p);
  set_add(&r->states, number_of(&r->state[0]), &fresh);
  for (unsigned i = 0; i < r->states.count; i++) {
    r->ends[i] = at_end(p, &r->state[i]);
    if (r->ends[i])
      set_add(&r->finals, end_number(p, r->state[i]), &fresh);
    else if (!reach_from(p, r, i))
      return false;
  }
  while (moved) {
    moved = false;
    for (unsigned i = r->edges; i-- > 0;)
      if (r->ends[r->edge[i].to] && !r->ends[r->edge[i].from])
        moved = r->ends[r->edge[i].from] = true;
  }
  for (unsigned i = 0; i < r->states.count; i++)
    r->livelock |= !r->ends[i];
  return true;
}

static bool polls(const struct toy_program *p)
{
  for (int t = 0; t < p->threads; t++)
    for (const struct toy_insn *i = p->code[t]; i && i->kind != END; i++)
      if (i->kind == TRYJOIN)
        return true;
  return false;
}

/* A thread whose step dfs takes at once; TOY_THREADS: none. */
static int goes_at_once(const struct toy_program *p, const struct toy_state *s, bool polled)
{
  for (int t = 0; t < TOY_THREADS; t++) {
    const struct toy_insn *i = toy_next_insn(p, s, t);
    if (toy_alive(s, t) && unseen(p, s, t) && !(polled && i && i->kind == END))
      return t;
  }
  return TOY_THREADS;
}

#define UNKNOWN_WAYS UINT32_MAX
#define MANY_WAYS (UINT32_C(1) << 20)

/* In how many ways an end is reached from that state, at most MANY_WAYS. Going round in circles does not count, so that
 * dfs runs as many executions or more. */
static uint32_t ways_from(const struct toy_program *p, struct reach *r, unsigned from, bool polled)
{
  const struct toy_state *s = &r->state[from];
  if (r->ways[from] != UNKNOWN_WAYS)
    return r->ways[from];
  r->ways[from] = 0;
  if (at_end(p, s))
    return r->ways[from] = 1;
  uint32_t ways = 0;
  unsigned edge = r->first_edge[from];
  int only = goes_at_once(p, s, polled);
  for (int t = 0; t < TOY_THREADS; t++) {
    if (!toy_alive(s, t) || !toy_enabled(p, s, t))
      continue;
    for (unsigned end = edge + outcomes(p, s, t); edge < end; edge++)
      if (ways < MANY_WAYS && (only == TOY_THREADS || only == t))
        ways += ways_from(p, r, r->edge[edge].to, polled);
  }
  return r->ways[from] = ways;
}

static bool has_more_ways(const struct toy_program *p, struct reach *r, uint32_t limit)
{
  for (unsigned i = 0; i < r->states.count; i++)
    r->ways[i] = UNKNOWN_WAYS;
  return ways_from(p, r, 0, polls(p)) > limit;
}

/* ---- classes, reckoned from the log of an execution ---- */

struct logged {
  const struct toy_insn *insn;
  int code;
  unsigned nth;
};

static bool counts(const struct toy_insn *i)
{
  return i && i->kind != END && i->kind != YIELD && i->kind != JOIN;
}

static bool reads_var(enum toy_kind kind)
{
  return kind == READ || kind == SPIN || kind == SPIN_BACK;
}

static bool on_var(enum toy_kind kind)
{
  return reads_var(kind) || kind == WRITE || kind == SET || kind == ADD || kind == SET_BITS;
}

static bool on_mutex(enum toy_kind kind)
{
  return kind == LOCK || kind == UNLOCK || kind == TRYLOCK;
}

static bool order_shows(const struct toy_program *p, const struct toy_insn *a, const struct toy_insn *b)
{
  if (a->kind == CREATE && b->kind == CREATE)
    return true;
  if (a->kind == EVENT || b->kind == EVENT)
    return a->kind == b->kind && (!a->object || !b->object || a->object == b->object);
  if (a->object != b->object)
    return false;
  if (!p->bug && a->kind == b->kind && (a->kind == ADD || a->kind == SET_BITS))
    return false;
  if (on_var(a->kind) && on_var(b->kind))
    return !reads_var(a->kind) || !reads_var(b->kind);
  if (on_mutex(a->kind) && on_mutex(b->kind))
    return true;
  return (a->kind == WAIT && (b->kind == WAIT || b->kind == POST)) || (a->kind == POST && b->kind == WAIT);
}

/* Of the last execution: what every step saw before it, and its result. */
static uint64_t reckon_class(const struct toy *t)
{
  struct logged event[STEPS_MAX];
  unsigned n = 0, nth[TOY_THREADS] = {0}, choices = 0;
  struct toy_state s = toy_start(t->program);
  uint64_t sum = 0;
  bool others = false, yielded[TOY_THREADS] = {0};
  for (int i = 0; i < TOY_THREADS; i++)
    others |= t->bug && !t->end && i != t->log[t->steps - 1] && toy_alive(&t->state, i);
  assert_true(t->steps <= STEPS_MAX);
  for (unsigned k = 0; k < t->steps; k++) {
    int code = t->log[k];
    const struct toy_insn *insn = toy_next_insn(t->program, &s, code);
    bool last = others && k + 1 == t->steps; /* it cuts others off */
    int choice = insn && insn->kind == CHOOSE && insn->value > 1 ? (int)t->engine->choice[choices++].value : 0;
    int result = toy_apply(t->program, &s, code, choice);
    bool again = insn && insn->kind == YIELD && yielded[code]; /* others went first */
    yielded[code] = insn && insn->kind == YIELD;
    if (!counts(insn) && !last && !again)
      continue;
    bool tells = insn && (insn->kind == CHOOSE || insn->kind == TRYJOIN); /* what the order of these steps does not */
    uint64_t h = mix64((uint64_t)code << 32 ^ ++nth[code]) ^ mix64(tells ? (uint64_t)result : 99);
    for (unsigned j = 0; j < n; j++)
      if (event[j].code != code && (last || order_shows(t->program, insn, event[j].insn)))
        h += mix64(mix64((uint64_t)event[j].code << 32 ^ event[j].nth));
    event[n++] = (struct logged){insn, code, nth[code]};
    sum += mix64(h);
  }
  return sum;
}

/* ---- a search ---- */

struct search {
  struct set classes, reckoned, both, finals;
  unsigned executions, twice, blocked, livelocks;
  bool complete, lost;
};

static struct search plain, reduced;
static bool forgetful; /* dpor keeps only the first steps of witnesses */
static struct reach truth;

/* Where an execution stands when all it can do is wait is its end: what follows is for those who tell of it. */
static bool on_the_way; /* and it was not there yet */

static unsigned watching_pick(void *state, const struct choice *c)
{
  struct explorer *x = state;
  unsigned next = (x->reducing ? &strategy_dpor : &strategy_dfs)->pick(state, c);
  on_the_way = !x->freewheeling;
  return next;
}

static void note_execution(struct search *s, struct toy *t, bool loops)
{
  struct explorer *x = t->engine->strategy_state;
  bool fresh;
  if (x->aside)
    return;
  if (t->end == NEXT_BLOCKED) {
    s->blocked++;
    return;
  }
  if (x->cycle[1]) { /* a livelock, and the branch comes again */
    s->livelocks++;
    return;
  }
  s->executions++;
  set_add(&s->classes, x->class_hash, &fresh);
  s->twice += !fresh;
  if (!loops) {
    uint64_t own = reckon_class(t);
    set_add(&s->reckoned, own, &fresh);
    set_add(&s->both, mix64(own) ^ x->class_hash, &fresh);
  }
  if (on_the_way || t->end != NEXT_TOO_LONG)
    set_add(&s->finals, end_number(t->program, t->state), &fresh);
  else
    s->livelocks++;
}

static void search(struct search *s, struct toy *t, enum strategy_id id, bool loops)
{
  struct strategy watching = *strategy_table[id];
  watching.pick = watching_pick;
  set_clear(&s->classes);
  set_clear(&s->reckoned);
  set_clear(&s->both);
  set_clear(&s->finals);
  s->executions = s->twice = s->blocked = s->livelocks = 0;
  s->complete = s->lost = false;
  t->control->config.hashes = 1;
  t->control->config.max_steps = STEPS_MAX;
  toy_use(t, id, 1);
  t->engine->strategy = &watching;
  struct explorer *x = t->engine->strategy_state;
  x->wasteful = x->thrifty = forgetful;
  for (unsigned i = 0; i < EXECUTIONS_MAX && !s->complete; i++) {
    on_the_way = true;
    s->complete = !toy_run(t);
    if (!x->order.events && !s->complete && !x->fixed && !x->redo) { /* it learnt something and begins anew */
      set_clear(&s->classes);
      set_clear(&s->reckoned);
      set_clear(&s->both);
      set_clear(&s->finals);
      s->executions = s->twice = s->blocked = s->livelocks = 0;
      continue;
    }
    note_execution(s, t, loops);
  }
  s->lost = x->lost != 0;
  t->engine->strategy = strategy_table[id];
}

/* ---- the tests ---- */

/* What is wrong with the ends that the searches came to, or NULL. */
static const char *wrong_ends(void)
{
  if (!reduced.complete)
    return "dpor does not come to an end";
  if ((plain.lost && !plain.livelocks) || (reduced.lost && !reduced.livelocks))
    return "something was left out";
  if (!set_within(&reduced.finals, &truth.finals) || !set_within(&plain.finals, &truth.finals))
    return "an execution ended where none can";
  if (!set_equal(&plain.finals, &truth.finals))
    return "dfs does not reach all";
  if (!set_equal(&reduced.finals, &truth.finals))
    return "dpor does not reach all";
  if (truth.livelock != (plain.livelocks > 0))
    return "dfs and loops that do not end";
  if (truth.livelock != (reduced.livelocks > 0))
    return "dpor and loops that do not end";
  return NULL;
}

/* What is wrong with the classes, or NULL. */
static const char *wrong_classes(bool reckoned)
{
  if (plain.blocked || (reduced.blocked && !forgetful))
    return "an execution was abandoned";
  if (reckoned && (plain.reckoned.count != plain.both.count || plain.classes.count != plain.both.count))
    return "the classes are not those reckoned";
  if (reduced.twice)
    return "dpor ran a class twice";
  if (!set_within(&reduced.classes, &plain.classes))
    return "dpor ran a class that dfs does not know";
  if (!set_equal(&reduced.classes, &plain.classes))
    return "dpor missed a class";
  return NULL;
}

/* False: too large for the oracles. */
static bool search_both(const struct toy_program *p, bool loops)
{
  if (!reach_all(p, &truth) || has_more_ways(p, &truth, EXECUTIONS_MAX))
    return false;
  struct toy *t = toy_open(p);
  search(&plain, t, STRATEGY_dfs, loops);
  if (plain.complete)
    search(&reduced, t, STRATEGY_dpor, loops);
  toy_close(t);
  return plain.complete;
}

static void tell(const struct toy_program *p, const char *what)
{
  print_message("%s: ends %u, dfs %u, dpor %u; executions %u, %u, abandoned %u; classes %u, %u; reckoned %u; "
                "without end %d, %u, %u\n",
                what, truth.finals.count, plain.finals.count, reduced.finals.count, plain.executions,
                reduced.executions, reduced.blocked, plain.classes.count, reduced.classes.count, plain.reckoned.count,
                truth.livelock, plain.livelocks, reduced.livelocks);
  print_program(p);
}

enum { ENDS_ONLY, CLASSES_TOO };

/* The half where there is no time for all. */
static unsigned so_many(unsigned programs)
{
  return getenv("FULL") ? programs : programs / 2;
}

static void try_programs(unsigned most, unsigned features, int how, uint64_t stream)
{
  unsigned programs = so_many(most);
  unsigned tried = 0, executions = 0, many = 0, failed = 0;
  static struct generated g;
  for (unsigned i = 0; i < programs && failed < 5; i++) {
    generate(&g, features, &stream);
    if (!search_both(&g.program, features & LOOPS))
      continue;
    const char *what = wrong_ends();
    if (!what && how == CLASSES_TOO)
      what = wrong_classes(!(features & LOOPS));
    tried++;
    executions += reduced.executions;
    many += reduced.executions >= 5;
    failed += !!what;
    if (what)
      tell(&g.program, what);
  }
  assert_int_equal(failed, 0);
  print_message("%u programs, %u executions\n", tried, executions);
  assert_true(tried > programs / 2 && many > programs / 8); /* programs worth the name */
}

static void plain_programs(void **unused)
{
  (void)unused;
  try_programs(1500, 0, CLASSES_TOO, 1);
}

/* Those of different monitors commute, and all that a monitor can read is read. */
static void events_of_properties(void **unused)
{
  (void)unused;
  try_programs(1500, EVENTS, CLASSES_TOO, 8);
  try_programs(300, EVENTS | FAMILY | ENDS, ENDS_ONLY, 9);
}

static void families_of_threads(void **unused)
{
  (void)unused;
  try_programs(500, FAMILY, CLASSES_TOO, 2);
}

static void several_that_create_threads(void **unused)
{
  (void)unused;
  try_programs(500, FAMILY | CREATORS, CLASSES_TOO, 3);
}

static void threads_that_are_asked_whether_they_have_ended(void **unused)
{
  (void)unused;
  try_programs(500, FAMILY | POLLS, CLASSES_TOO, 4);
}

static void programs_that_end_in_a_step(void **unused)
{
  (void)unused;
  try_programs(1000, ENDS, CLASSES_TOO, 5);
}

static void loops_that_wait_come_to_all_ends(void **unused)
{
  (void)unused;
  try_programs(1000, LOOPS, ENDS_ONLY, 6);
}

static void loops_that_wait_have_classes(void **unused)
{
  (void)unused;
  try_programs(700, LOOPS, CLASSES_TOO, 7);
}

static void loops_and_ends_in_a_step(void **unused)
{
  (void)unused;
  try_programs(400, LOOPS | ENDS, CLASSES_TOO, 8);
}

static void loops_of_families(void **unused)
{
  (void)unused;
  try_programs(400, LOOPS | FAMILY, CLASSES_TOO, 9);
}

/* Depth first search has no end there. Some executions are abandoned, since they come back to where they were, and
 * a few classes come twice: what has been tried is not always known where all is tried. */
static void threads_that_back_off(void **unused)
{
  (void)unused;
  static struct generated g;
  uint64_t stream = 11;
  unsigned tried = 0, round = 0;
  for (unsigned i = 0; i < so_many(2000); i++) {
    generate_back_off(&g, &stream);
    if (!reach_all(&g.program, &truth))
      continue;
    struct toy *t = toy_open(&g.program);
    search(&reduced, t, STRATEGY_dpor, true);
    round += ((struct explorer *)t->engine->strategy_state)->comes_round && reduced.complete;
    toy_close(t);
    if (!reduced.complete)
      continue;
    const char *what = reduced.lost && !truth.livelock              ? "something was left out"
                       : !set_equal(&reduced.finals, &truth.finals) ? "not the ends there are"
                       : truth.livelock != (reduced.livelocks > 0)  ? "loops that do not end"
                                                                    : NULL;
    tried++;
    if (what)
      tell(&g.program, what);
    assert_null(what);
  }
  print_message("%u programs, %u come round\n", tried, round);
  assert_true(tried > so_many(1000) && round > so_many(100));
}

/* Some executions are abandoned then, but no class is lost, and none comes twice. */
static void what_is_forgotten_is_found_again(void **unused)
{
  (void)unused;
  forgetful = true;
  try_programs(250, 0, CLASSES_TOO, 10);
  try_programs(100, FAMILY | CREATORS, CLASSES_TOO, 11);
  try_programs(100, FAMILY | POLLS, CLASSES_TOO, 12);
  try_programs(150, ENDS, CLASSES_TOO, 13);
  try_programs(100, ENDS | FAMILY, CLASSES_TOO, 14);
  try_programs(100, LOOPS, CLASSES_TOO, 15);
  try_programs(100, LOOPS | FAMILY, CLASSES_TOO, 16);
  forgetful = false;
}

/* ---- closed formulas ---- */

static void check_count(const struct toy_program *p, unsigned expected)
{
  struct toy *t = toy_open(p);
  search(&reduced, t, STRATEGY_dpor, false);
  toy_close(t);
  assert_true(reduced.complete && !reduced.lost);
  assert_int_equal(reduced.executions, expected);
  assert_int_equal(reduced.twice, 0);
  assert_int_equal(reduced.blocked, 0);
  assert_int_equal(reduced.reckoned.count, expected);
}

/* n threads with the same code. */
static struct toy_program crowd(int n, const struct toy_insn *code)
{
  struct toy_program p = {.threads = n + 1};
  for (int t = 1; t <= n; t++)
    p.code[t] = code;
  return p;
}

static void writers_and_lockers_come_in_any_order(void **unused)
{
  (void)unused;
  unsigned factorial = 1;
  for (int n = 1; n <= 6; n++) {
    factorial *= (unsigned)n;
    struct toy_program writers = crowd(n, CODE({SET, 0, 1})), lockers = crowd(n, CODE({LOCK, 0, 0}, {UNLOCK, 0, 0}));
    check_count(&writers, factorial);
    check_count(&lockers, factorial);
  }
}

/* One writes a variable for each reader: each read is before or after. */
static void every_reader_before_or_after(void **unused)
{
  (void)unused;
  static struct toy_insn writer[8];
  for (int n = 1; n <= 6; n++) {
    struct toy_program p = {.threads = n + 2, .code = {NULL, writer}};
    static struct toy_insn reader[6][2];
    for (int i = 0; i < n; i++) {
      writer[i] = (struct toy_insn){SET, i, 1};
      reader[i][0] = (struct toy_insn){READ, i, 0};
      p.code[i + 2] = reader[i];
    }
    check_count(&p, 1u << n);
    struct toy_program one = crowd(n + 1, CODE({READ, 0, 0})); /* and of one variable that is written once */
    one.code[1] = CODE({SET, 0, 1});
    check_count(&one, 1u << n);
  }
}

/* A read and a write each: of three threads' 90 interleavings 36 differ. */
static void increments_that_get_lost(void **unused)
{
  (void)unused;
  static const unsigned expected[] = {0, 1, 4, 36};
  for (int n = 1; n <= 3; n++) {
    struct toy_program p = crowd(n, CODE({READ, 0, 0}, {WRITE, 0, 1}));
    check_count(&p, expected[n]);
  }
}

static void what_does_not_meet_is_run_once(void **unused)
{
  (void)unused;
  struct toy_program readers = crowd(6, CODE({READ, 0, 0}, {READ, 1, 0}));
  struct toy_program posts = crowd(6, CODE({POST, 0, 0}, {YIELD, 0, 0}, {POST, 0, 0}));
  struct toy_program apart = {.threads = 5,
                              .code = {NULL, CODE({SET, 0, 1}, {SET, 0, 2}), CODE({SET, 1, 1}, {READ, 1, 0}),
                                       CODE({LOCK, 0, 0}, {UNLOCK, 0, 0}), CODE({LOCK, 1, 0})}};
  check_count(&readers, 1);
  check_count(&posts, 1);
  check_count(&apart, 1);
}

static void choices_multiply(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3, .code = {NULL, CODE({CHOOSE, 0, 3}, {CHOOSE, 0, 2}), CODE({CHOOSE, 0, 4})}};
  check_count(&p, 24);
  struct toy_program after = {.threads = 3, .code = {NULL, CODE({CHOOSE, 0, 3}, {WRITE, 0, 0}), CODE({WRITE, 0, 7})}};
  check_count(&after, 6);
}

/* ---- small programs that were explored wrongly once ---- */

static void check_case(const struct toy_program *p, unsigned classes, bool loops)
{
  assert_true(search_both(p, loops));
  const char *what = wrong_ends();
  if (!what)
    what = wrong_classes(!loops);
  if (what)
    tell(p, what);
  assert_null(what);
  assert_int_equal(reduced.executions, classes);
}

/* The order matters although nobody is left to be cut off in one of the two. */
static void an_end_after_which_nobody_is_left(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 4, .bug = var_0_is_2, .code = {NULL, CODE({SET, 0, 2}), CODE({SET, 1, 2}), CODE({SET, 1, 1})}};
  check_case(&p, 5, false);
}

/* Who is blocked when the program ends might have come first, and then it does not end so. */
static void an_end_while_another_is_blocked(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 3, .bug = var_0_is_2, .code = {NULL, CODE({LOCK, 0, 0}, {SET, 0, 2}), CODE({LOCK, 0, 0})}};
  check_case(&p, 2, false);
}

/* A thread starts at once, before the node at which a witness begins that names its start: what else follows that in
 * the tree is not lost with it. */
static void an_end_behind_a_start_that_came_before(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 4,
                          .exits = true,
                          .sem = {1},
                          .bug = a_register_is_2,
                          .code = {CODE({CREATE, 1, 0}, {SET, 0, 2}, {CREATE, 2, 0}, {CREATE, 3, 0}, {READ, 0, 2}),
                                   CODE({READ, 0, 2}, {WAIT, 0, 1}), CODE({TRYLOCK, 0, 1}, {READ, 0, 2}, {WAIT, 0, 1}),
                                   CODE({SET, 0, 1})}};
  check_case(&p, 15, false);
}

/* It ends with one of the outcomes only. */
static void an_end_that_was_chosen(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 3, .bug = a_register_is_2, .code = {NULL, CODE({SET, 1, 1}), CODE({CHOOSE, 0, 3})}};
  check_case(&p, 4, false);
  struct toy_program after = {
      .threads = 3, .bug = a_register_is_2, .code = {NULL, CODE({CHOOSE, 0, 3}), CODE({SET, 0, 1}, {READ, 0, 0})}};
  check_case(&after, 5, false);
}

/* In the other order the step does not end it: then it does not depend on everything. */
static void an_end_that_depends_on_what_was_read(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 4, .bug = a_register_is_2, .code = {NULL, CODE({READ, 0, 0}), CODE({READ, 1, 0}), CODE({SET, 0, 2})}};
  check_case(&p, 3, false);
  struct toy_program before = {.threads = 4,
                               .bug = a_register_is_2,
                               .code = {NULL, CODE({SET, 1, 2}), CODE({TRYLOCK, 1, 0}), CODE({READ, 1, 0})}};
  check_case(&before, 3, false);
}

/* Announced as the creation of the same thread. */
static void two_creations_at_a_time(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 4,
      .code = {CODE({CREATE, 1, 0}, {CREATE, 2, 0}), CODE({CREATE, 3, 0}), CODE({SET, 0, 1}), CODE({READ, 0, 0})}};
  check_case(&p, 4, false);
}

/* All that the thread does is to end. */
static void an_end_that_only_a_poll_can_tell(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 2, .exits = true, .code = {CODE({CREATE, 1, 0}, {WAIT, 1, 0}, {TRYJOIN, 1, 0}), CODE({POST, 1, 0})}};
  check_case(&p, 2, false);
}

static void a_loop_that_yields(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3,
                          .code = {NULL, CODE({SET, 0, 2}, {SET, 0, 1}), CODE({YIELD, 0, 0}, {SPIN_BACK, 0, 1})}};
  check_case(&p, 1, true);
}

static void a_loop_under_a_lock(void **unused)
{
  (void)unused;
  struct toy_program p = {.threads = 3,
                          .code = {NULL, CODE({LOCK, 0, 0}, {CHOOSE, 0, 2}),
                                   CODE({LOCK, 0, 0}, {READ, 0, 0}, {UNLOCK, 0, 0}, {BRANCH, -3, 1})}};
  check_case(&p, 4, true);
}

static void a_loop_that_tries_to_lock(void **unused)
{
  (void)unused;
  struct toy_program p = {
      .threads = 4,
      .code = {NULL, CODE({LOCK, 0, 0}), CODE({TRYLOCK, 0, 0}, {BRANCH, -1, 1}), CODE({LOCK, 0, 0}, {UNLOCK, 0, 0})}};
  check_case(&p, 4, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writers_and_lockers_come_in_any_order),
      cmocka_unit_test(every_reader_before_or_after),
      cmocka_unit_test(increments_that_get_lost),
      cmocka_unit_test(what_does_not_meet_is_run_once),
      cmocka_unit_test(choices_multiply),
      cmocka_unit_test(plain_programs),
      cmocka_unit_test(events_of_properties),
      cmocka_unit_test(families_of_threads),
      cmocka_unit_test(several_that_create_threads),
      cmocka_unit_test(threads_that_are_asked_whether_they_have_ended),
      cmocka_unit_test(programs_that_end_in_a_step),
      cmocka_unit_test(loops_that_wait_come_to_all_ends),
      cmocka_unit_test(loops_that_wait_have_classes),
      cmocka_unit_test(loops_and_ends_in_a_step),
      cmocka_unit_test(loops_of_families),
      cmocka_unit_test(threads_that_back_off),
      cmocka_unit_test(what_is_forgotten_is_found_again),
      cmocka_unit_test(an_end_after_which_nobody_is_left),
      cmocka_unit_test(an_end_while_another_is_blocked),
      cmocka_unit_test(an_end_behind_a_start_that_came_before),
      cmocka_unit_test(an_end_that_was_chosen),
      cmocka_unit_test(an_end_that_depends_on_what_was_read),
      cmocka_unit_test(two_creations_at_a_time),
      cmocka_unit_test(an_end_that_only_a_poll_can_tell),
      cmocka_unit_test(a_loop_that_yields),
      cmocka_unit_test(a_loop_under_a_lock),
      cmocka_unit_test(a_loop_that_tries_to_lock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
