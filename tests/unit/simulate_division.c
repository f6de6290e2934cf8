/* SPDX-License-Identifier: Apache-2.0
 *
 * A divided search on more machines than there are: simulate_division [NAME=VALUE...]
 *
 * What divides the search is the product's own (session/division.h over session/frontier.h), and so is what explores a
 * unit (explore/unit.h), on a program of the toy world (toy_world.h) of which the number of classes is known. Only time
 * is not real: an execution takes `execution` seconds, `slower` times as long for the share `slow` of the workers, and
 * for all when there are more than `cores`; a message is `message` seconds on its way, and lost with probability
 * `loss`. What is lost comes again after `again` seconds, as what goes over TCP and is kept by a server does; with
 * again=0 it does not, and who waits for it gives the worker up after `deadline` seconds, and the unit is given out
 * again. A worker dies `deaths` times a second, which is noticed after `deadline`, too; then there is another. What the
 * coordinator does takes as long as it really does, times `coordinator`, one thing after the other.
 *
 * When a worker is asked for what it has is up to the division; with `budget`, as the source had it, after so many
 * seconds, and with variable=1 after so many times the share of workers that work.
 *
 * Prints one line: workers, seconds, speed-up, efficiency, what was given, asked for, too late and lost, how busy the
 * coordinator was; with trace=1 before it, for each hundredth of the time, how many workers worked. A unit is explored
 * when it is known for how long it will be, from its bytes, by one explorer for all: that is much less memory.
 */
#define TOY_THREADS 12
#include "core/rng.h"
#include "explore/explorer.h"
#include "session/division.h"
#include "toy_world.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define LOOKS_EVERY 0.02 /* seconds, as session/supervisor.c does */

enum { WORKERS_MOST = 8192, BUFFER = 64 << 20, CODE_MOST = 16, MOMENTS = 1 << 20 };

/* ---- what is asked for ---- */

static struct {
  double workers, execution, message, loss, again, deadline, deaths, slow, slower, cores, budget, variable, coordinator,
      threads, writes, seed, trace;
} option = {.workers = 8,
            .execution = 0.01,
            .message = 0.001,
            .deadline = 5,
            .slower = 1,
            .coordinator = 1,
            .threads = 6,
            .writes = 1,
            .seed = 1};

static bool take_option(const char *text)
{
  static const struct {
    const char *name;
    double *value;
  } known[] = {{"workers", &option.workers}, {"execution", &option.execution}, {"message", &option.message},
               {"loss", &option.loss},       {"deadline", &option.deadline},   {"coordinator", &option.coordinator},
               {"threads", &option.threads}, {"writes", &option.writes},       {"seed", &option.seed},
               {"trace", &option.trace},     {"again", &option.again},         {"deaths", &option.deaths},
               {"slow", &option.slow},       {"slower", &option.slower},       {"cores", &option.cores},
               {"budget", &option.budget},   {"variable", &option.variable}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i].name);
    if (!strncmp(text, known[i].name, length) && text[length] == '=') {
      *known[i].value = atof(text + length + 1);
      return true;
    }
  }
  return false;
}

/* ---- a program whose classes are the orders of its writes ---- */

static struct toy_insn code[TOY_THREADS][CODE_MOST];
static struct toy_program program;

static void write_program(void)
{
  program.threads = (int)option.threads + 1;
  for (int t = 1; t < program.threads; t++) {
    int at = 0;
    for (; at < (int)option.writes; at++)
      code[t][at] = (struct toy_insn){SET, 0, t};
    code[t][at] = (struct toy_insn){END, 0, 0};
    program.code[t] = code[t];
  }
}

/* ---- workers ---- */

enum state { FREE, GIVEN, WORKING, ANSWERING, ANSWERED, GONE };

struct worker {
  enum state state;
  double pace; /* seconds for an execution */
  struct ticket ticket;
  struct unit *unit;
  double began;
  uint64_t runs; /* so many were tried so far, */
  bool finished; /* which is all */
  bool asked;    /* to hand in */
  uint64_t turn; /* of its job: what comes for an earlier one comes too late */
  struct hand_in *out;
  uint64_t executions, blocked;
  bool learnt;
};

static struct worker worker[WORKERS_MOST];
static struct toy *toy;
static struct hand_in *hand_in;
static double working_since;
static unsigned working;

static void set_working(double now, int change);

/* Explores the worker's unit from its beginning, at most so many executions; how many there were. */
static uint64_t explore(struct worker *w, uint64_t most)
{
  struct explorer *x = toy->engine->strategy_state;
  uint64_t n = 0;
  bool more = true, busy = false;
  explorer_load(x, &toy->world, w->unit);
  w->executions = w->blocked = 0;
  w->learnt = false;
  for (; more && !w->learnt && (n < most || busy); n++) {
    more = toy_run(toy);
    busy = x->redo || x->probing;
    w->learnt = more && !x->guide && !busy;
    if (x->aside)
      continue;
    w->blocked += toy->end == NEXT_BLOCKED;
    w->executions += toy->end != NEXT_BLOCKED;
  }
  w->finished = !more || w->learnt;
  w->runs = n;
  return n;
}

static void keep_hand_in(struct worker *w)
{
  struct explorer *x = toy->engine->strategy_state;
  if (w->learnt)
    explorer_hand_in_lessons(x, &toy->world, hand_in);
  else
    explorer_hand_in(x, &toy->world, hand_in, BUFFER);
  free(w->out);
  w->out = malloc(sizeof *hand_in + hand_in->bytes);
  memcpy(w->out, hand_in, sizeof *hand_in + hand_in->bytes);
}

/* ---- time ---- */

enum happening { DIES, JOB_ARRIVES, GOES_ON, HANDS_IN, ASK_ARRIVES, ANSWER_ARRIVES, GIVEN_UP, LOOKS, COORDINATES };

struct event {
  double at;
  uint64_t number, turn;
  enum happening what;
  unsigned worker;
};

static struct event *heap;
static size_t events, event_room;
static uint64_t numbers;

static bool before(const struct event *a, const struct event *b)
{
  return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void add_event(double at, enum happening what, unsigned w)
{
  if (events == event_room) {
    event_room = event_room ? 2 * event_room : 1024;
    heap = realloc(heap, event_room * sizeof *heap);
  }
  size_t i = events++;
  struct event e = {at, numbers++, worker[w].turn, what, w};
  for (; i && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = e;
}

static struct event next_event(void)
{
  struct event first = heap[0], last = heap[--events];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < events; i = child) {
    if (child + 1 < events && before(&heap[child + 1], &heap[child]))
      child++;
    if (!before(&heap[child], &last))
      break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return first;
}

/* ---- how it went ---- */

static struct {
  uint64_t units, asks, lost, meetings, executions;
  double coordinated, worked;
  struct {
    double at;
    unsigned workers;
  } moment[MOMENTS];
  size_t moments;
} went;

static void set_working(double now, int change)
{
  went.worked += working * (now - working_since);
  working_since = now;
  working = (unsigned)((int)working + change);
  if (went.moments < MOMENTS) {
    went.moment[went.moments].at = now;
    went.moment[went.moments++].workers = working;
  }
}

/* ---- messages ---- */

static uint64_t stream;

static double chance(void)
{
  return (double)rng_below(&stream, 1 << 30) / (1 << 30);
}

/* How long a message takes that is sent until it comes. */
static double on_its_way(void)
{
  double time = option.message;
  while (option.again > 0 && chance() < option.loss)
    time += option.again;
  return time;
}

/* Of a job or an answer: the one that does not come is waited for until the deadline. */
static void send_message(double now, enum happening arrives, unsigned w)
{
  bool lost = option.again <= 0 && chance() < option.loss;
  add_event(now + (lost ? option.deadline : on_its_way()), lost ? GIVEN_UP : arrives, w);
}

/* ---- what workers do ---- */

static void work_on(unsigned n, double now)
{
  struct worker *w = &worker[n];
  uint64_t most = w->runs ? 2 * w->runs : 64;
  uint64_t runs = explore(w, most);
  if (w->finished)
    keep_hand_in(w);
  double until = w->began + (double)runs * w->pace;
  add_event(fmax(until, now), w->finished ? HANDS_IN : GOES_ON, n);
}

static void begin_job(unsigned n, double now)
{
  struct worker *w = &worker[n];
  w->state = WORKING;
  w->began = now;
  w->runs = 0;
  w->finished = false;
  set_working(now, 1);
  work_on(n, now);
}

/* Asked for what it has: after the execution that it is in. */
static void interrupt(unsigned n, double now)
{
  struct worker *w = &worker[n];
  if (w->state != WORKING)
    return;
  uint64_t runs = (uint64_t)ceil((now - w->began) / w->pace);
  if (w->finished && w->runs <= runs)
    return; /* it hands in anyway */
  explore(w, runs ? runs : 1);
  keep_hand_in(w);
  w->turn++; /* what was to come of it is not */
  add_event(w->began + (double)w->runs * w->pace, HANDS_IN, n);
}

/* ---- what the coordinator does: as session/share.c ---- */

static struct division division;
static struct unit *unit;
static double busy_until;
static double next_look = INFINITY; /* if nothing happens before */

static struct answer answer_of(const struct worker *w)
{
  struct answer a = {
      .executions = w->executions, .blocked = w->blocked, .learnt = w->learnt, .seconds = (double)w->runs * w->pace};
  a.part[ANSWER_HAND_IN] = w->out;
  a.bytes[ANSWER_HAND_IN] = sizeof *w->out + w->out->bytes;
  return a;
}

static bool is_meeting(void)
{
  bool meets = false, missing = false;
  for (unsigned i = 0; i < (unsigned)option.workers; i++) {
    struct worker *w = &worker[i];
    missing |= w->state == GIVEN || w->state == WORKING || w->state == ANSWERING || w->state == GONE;
    if (w->state != ANSWERED || meets)
      continue;
    struct answer a = answer_of(w);
    meets = division_planner.meets(&division, &w->ticket, &a);
  }
  return meets && missing;
}

static void take_answers(double now)
{
  for (;;) {
    struct worker *first = NULL;
    for (unsigned i = 0; i < (unsigned)option.workers; i++) {
      struct worker *w = &worker[i];
      if (w->state == ANSWERED && (!first || division_planner.precedes(&division, &w->ticket, &first->ticket)))
        first = w;
    }
    if (!first)
      return;
    struct answer a = answer_of(first);
    division_planner.take(&division, &first->ticket, &a, now);
    first->state = FREE;
  }
}

static bool give(unsigned n, unsigned others, double now)
{
  struct worker *w = &worker[n];
  struct job_draft draft = {.unit = unit, .room = BUFFER, .others = others};
  if (!division_planner.next(&division, &draft, &w->ticket, now))
    return false;
  unit->probes = 0;
  w->ticket.probes = false;
  free(w->unit);
  w->unit = malloc(sizeof *unit + unit->bytes);
  memcpy(w->unit, unit, sizeof *unit + unit->bytes);
  w->state = GIVEN;
  w->asked = false;
  w->turn++;
  went.units++;
  send_message(now, JOB_ARRIVES, n);
  return true;
}

static bool give_jobs(double now)
{
  unsigned idle = 0;
  bool without = false;
  for (unsigned i = 0; i < (unsigned)option.workers; i++)
    idle += worker[i].state == FREE;
  for (unsigned i = 0; i < (unsigned)option.workers; i++)
    if (worker[i].state == FREE) {
      idle--;
      if (without || !give(i, idle, now))
        without = true;
    }
  return without;
}

/* Seconds after which a worker is asked. */
static double patience(const struct worker *w, bool idle)
{
  if (option.budget <= 0)
    return division_planner.patience(&division, &w->ticket, idle);
  return option.budget * (option.variable > 0 ? fmax(1, working) / option.workers : 1);
}

static void ask(bool meeting, bool idle, double now)
{
  double due = now + LOOKS_EVERY;
  for (unsigned i = 0; i < (unsigned)option.workers; i++) {
    struct worker *w = &worker[i];
    if ((w->state != GIVEN && w->state != WORKING) || w->asked)
      continue;
    w->ticket.worked = w->state == WORKING ? now - w->began : 0;
    double at = w->ticket.given_at + (meeting ? 0 : patience(w, idle));
    if (now >= at && w->state == WORKING) {
      went.asks++;
      w->asked = true;
      add_event(now + on_its_way(), ASK_ARRIVES, i);
    } else
      due = fmin(due, fmax(at, now + option.message));
  }
  next_look = due;
  add_event(due, LOOKS, 0);
}

/* False: all is done. */
static bool coordinate(double now)
{
  struct timespec from, to;
  bool more = true;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
  if (is_meeting()) {
    went.meetings++;
    ask(true, false, now);
  } else {
    take_answers(now);
    bool out = false;
    for (unsigned i = 0; i < (unsigned)option.workers; i++)
      out |= worker[i].state != FREE;
    more = division_planner.look(&division, out, now) == JOBS_TO_COME && !division.failed;
    if (more)
      ask(false, give_jobs(now), now);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
  double took = option.coordinator * ((double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
  went.coordinated += took;
  busy_until = now + took;
  return more;
}

static void give_up(unsigned n)
{
  struct worker *w = &worker[n];
  went.lost++;
  division_planner.lost(&division, &w->ticket, NULL, 0);
  w->state = FREE;
}

/* ---- deaths ---- */

static void plan_death(unsigned n, double now)
{
  if (option.deaths > 0)
    add_event(now - log(1 - chance()) / option.deaths, DIES, n);
}

static void die(unsigned n, double now)
{
  struct worker *w = &worker[n];
  if (w->state == WORKING)
    set_working(now, -1);
  if (w->state == GIVEN || w->state == WORKING) {
    w->state = GONE;
    w->turn++; /* nothing comes of it */
    add_event(now + option.deadline, GIVEN_UP, n);
  }
  plan_death(n, now);
}

/* ---- */

static void open_workers(void)
{
  double shared = option.cores > 0 ? fmax(1, option.workers / option.cores) : 1;
  for (unsigned i = 0; i < (unsigned)option.workers; i++) {
    worker[i].pace = option.execution * shared * (chance() < option.slow ? option.slower : 1);
    plan_death(i, 0);
  }
}

static double simulate(void)
{
  open_workers();
  add_event(0, COORDINATES, 0);
  for (bool more = true; more && events;) {
    struct event e = next_event();
    struct worker *w = &worker[e.worker];
    if (e.what < LOOKS && e.what != DIES && e.turn != w->turn)
      continue;
    switch (e.what) {
    case DIES:
      die(e.worker, e.at);
      break;
    case JOB_ARRIVES:
      begin_job(e.worker, e.at);
      break;
    case GOES_ON:
      work_on(e.worker, e.at);
      break;
    case ASK_ARRIVES:
      interrupt(e.worker, e.at);
      break;
    case HANDS_IN:
      w->state = ANSWERING;
      set_working(e.at, -1);
      send_message(e.at, ANSWER_ARRIVES, e.worker);
      break;
    case ANSWER_ARRIVES:
    case GIVEN_UP:
      if (e.what == GIVEN_UP)
        give_up(e.worker);
      else
        w->state = ANSWERED;
      add_event(fmax(e.at, busy_until), COORDINATES, 0);
      break;
    case LOOKS:
    case COORDINATES:
      if (e.what == LOOKS && e.at != next_look)
        break; /* something happened before */
      if (e.at < busy_until)
        add_event(busy_until, COORDINATES, 0);
      else
        more = coordinate(e.at);
      break;
    }
    if (!more)
      return e.at;
  }
  return working_since;
}

static void print_trace(double seconds)
{
  size_t m = 0;
  for (int i = 0; i < 100; i++) {
    double at = seconds * (i + 0.5) / 100;
    while (m + 1 < went.moments && went.moment[m + 1].at <= at)
      m++;
    printf("%.4f %u\n", at, went.moment[m].workers);
  }
}

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (!take_option(argv[i])) {
      fprintf(stderr, "simulate_division: %s is no option; see the comment at the top of its source\n", argv[i]);
      return 2;
    }
  if (option.workers < 1 || option.workers > WORKERS_MOST || option.threads < 1 || option.threads >= TOY_THREADS ||
      option.writes < 1 || option.writes >= CODE_MOST) {
    fprintf(stderr, "simulate_division: at most %d workers, %d threads, %d writes\n", WORKERS_MOST, TOY_THREADS - 1,
            CODE_MOST - 1);
    return 2;
  }
  stream = (uint64_t)option.seed;
  write_program();
  toy = toy_open(&program);
  toy->control->config.max_steps = 1000;
  toy_use(toy, STRATEGY_dpor, 1);
  unit = toy_memory(BUFFER);
  hand_in = toy_memory(BUFFER);
  if (!division_open(&division))
    return 1;
  double seconds = simulate(), whole = (double)division.tally.executions * option.execution;
  if (division.failed || !frontier_is_finished(&division.frontier)) {
    fprintf(stderr, "simulate_division: %s\n", division.failed ? division.error : "it did not come to its end");
    return 1;
  }
  if (option.trace)
    print_trace(seconds);
  printf("workers %.0f executions %" PRIu64 " seconds %.3f speed-up %.2f efficiency %.3f units %" PRIu64
         " asks %" PRIu64 " meetings %" PRIu64 " redone %" PRIu64 " lost %" PRIu64 " coordinator %.3f\n",
         option.workers, division.tally.executions, seconds, whole / seconds, whole / seconds / option.workers,
         went.units, went.asks, went.meetings, division.frontier.redone, went.lost, went.coordinated / seconds);
  return 0;
}
