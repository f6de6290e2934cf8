/* SPDX-License-Identifier: Apache-2.0
 *
 * A hunt by prediction: a few recorded runs, the analyses over them, and the attempts to bring about what they predict.
 * What heddle predict and heddle check share. Bugs that really happen are reproduced and told as any others (hunt.h).
 */
#include "cli/find/prediction_hunt.h"
#include "cli/find/prediction_plan.h"
#include "cli/find/protocols.h"
#include "cli/find/trace_recorder.h"
#include "predict/order/atomicity.h"
#include "predict/order/races.h"
#include "predict/protocol/protocol.h"
#include "predict/trace/trace_join.h"
#include "session/console.h"
#include "session/worker.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREDICT_RUNS 100

/* ---- the runs ---- */

#define SHORT_EVENTS 100000 /* the analyses read fewer a second where much is shared */
#define SHORT_PART 16       /* of the time that there is: a run that takes so much is not made again */

static FILE *hidden_file(struct recording *r)
{
  r->file = tmpfile();
  if (!r->file)
    console_error("no temporary file can be made: %s", strerror(errno));
  else
    snprintf(r->path, sizeof r->path, "/proc/self/fd/%d", fileno(r->file));
  return r->file;
}

/* False: an error was printed, which names it so. */
static bool open_trace(struct recording *r, const char *path, const char *name)
{
  char error[256];
  r->reader = trace_open(path, error, sizeof error);
  if (!r->reader)
    console_error("%s: %s", name, error);
  return r->reader != NULL;
}

static void close_recording(struct recording *r)
{
  trace_close(r->reader);
  if (r->file)
    fclose(r->file);
  communication_free(&r->communication);
  *r = (struct recording){0};
}

/* The trace of a run made now, in a file that nobody else sees; how many events it has, 0: it did not come to its end,
 * or an error was printed. */
static uint64_t record_now(struct prediction_hunt *f, struct recording *r, struct session_result *result)
{
  struct trace_recorder recorder;
  if (!hidden_file(r))
    return 0;
  trace_recorder_open(&recorder, r->file, f->hunt->target.path);
  record_run(f->hunt, &recorder, f->seconds / 2, result);
  bool good = trace_recorder_finish(&recorder) && result->end == SESSION_DONE;
  uint64_t events = recorder.writer.events;
  trace_recorder_close(&recorder);
  return good && open_trace(r, r->path, "the run cannot be read") ? events : 0;
}

static bool has_passed(const struct prediction_hunt *f, const struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count; i++)
    if (bug_is_fatal(&result->bugs[i].bug, &f->hunt->config))
      return false;
  return true;
}

/* A run that did not pass teaches no protocol; what it found is told at the end, by those that predicted it if some
 * did. */
static void record_by_chance(struct prediction_hunt *f, unsigned nth)
{
  struct recording *next = &f->recording[f->recordings];
  struct session_result result = {0};
  struct control_config before = f->hunt->config;
  f->hunt->config.strategy = STRATEGY_random;
  f->hunt->config.seed = before.seed + nth;
  bool recorded = record_now(f, next, &result) > 0, passed = has_passed(f, &result);
  f->hunt->config = before;
  if (recorded && passed)
    f->recordings++;
  else
    close_recording(next);
  if (passed)
    session_free(&result);
  else
    f->by_chance[f->failures++] = result;
}

/* One strategy shows one order, and perhaps nobody waits in it. */
static void record_more(struct prediction_hunt *f, uint64_t events, double took)
{
  for (unsigned i = 1; i < RECORDINGS && events < SHORT_EVENTS && took < f->seconds / SHORT_PART && !time_is_up(); i++)
    record_by_chance(f, i);
}

static bool join_recordings(struct prediction_hunt *f)
{
  char error[256] = "";
  const char *path[RECORDINGS];
  for (unsigned i = 0; i < f->recordings; i++)
    path[i] = f->recording[i].path;
  if (!hidden_file(&f->all))
    return false;
  if (!trace_join(f->all.file, path, f->recordings, error, sizeof error)) {
    console_error("the recorded runs: %s", error);
    return false;
  }
  return open_trace(&f->all, f->all.path, "the recorded runs");
}

bool prediction_hunt_open(struct prediction_hunt *f, struct session_result *result)
{
  const char *from = f->hunt->options->from;
  struct recording *first = &f->recording[0];
  f->recordings = 1;
  double begin = now_seconds();
  if (from) {
    if (!open_trace(first, from, from))
      return false;
  } else {
    uint64_t events = record_now(f, first, result);
    f->times.record = now_seconds() - begin;
    if (!events)
      return false;
    if (f->several)
      record_more(f, events, f->times.record);
  }
  if (f->recordings > 1 && !join_recordings(f))
    return false;
  f->reader = f->recordings > 1 ? f->all.reader : first->reader;
  return true;
}

/* ---- the analyses ---- */

struct analyses {
  struct goodlock *locks;
  struct races *races;
  struct atomicity *atomicity;
  struct protocol *protocols; /* the hunt's own: what it learnt is needed later */
};

static bool open_analyses(struct analyses *a, struct prediction_hunt *f)
{
  const struct options *o = f->hunt->options;
  struct goodlock_options locks = {.naming = o->naming,
                                   .k = (unsigned)o->depth,
                                   .max_length = (uint32_t)o->max_cycle,
                                   .start_order = o->start_order};
  a->locks = goodlock_open(&locks);
  a->races = races_open();
  a->atomicity = atomicity_open(ATOMICITY_OPTIONS);
  a->protocols = f->protocol = protocol_new(PROTOCOL_DEFAULTS);
  return a->locks && a->races && a->atomicity && a->protocols;
}

static void close_analyses(struct analyses *a)
{
  goodlock_close(a->locks);
  races_close(a->races);
  atomicity_close(a->atomicity);
}

#define LOOK_EVERY 4096 /* events: looking at the clock costs as much as a few of them */

static bool is_too_late(uint64_t events)
{
  return events % LOOK_EVERY == 0 && time_is_up();
}

/* All analyses in one pass. False: an error was printed. */
static bool read_trace(struct prediction_hunt *f, struct analyses *a)
{
  char error[256];
  struct event e;
  const struct trace *tables = trace_tables(f->reader);
  double begin = now_seconds();
  while (trace_next(f->reader, &e, error, sizeof error)) {
    if (is_too_late(f->events)) {
      snprintf(error, sizeof error, "the time was up before it was read; give it more --time");
      break;
    }
    goodlock_event(a->locks, tables, &e);
    races_event(a->races, tables, &e);
    atomicity_event(a->atomicity, tables, &e);
    protocol_event(a->protocols, tables, &e);
    f->events++;
  }
  f->times.read = now_seconds() - begin;
  if (*error)
    console_error("%s: %s", f->hunt->options->from ? f->hunt->options->from : "the recorded run", error);
  return !*error;
}

/* Protocols are known when the run has been read; what it could have done to them takes another reading. */
static void check_protocols(struct prediction_hunt *f, struct protocol *p)
{
  char error[256];
  struct event e = {0};
  struct trace_reader *again = trace_again(f->reader, error, sizeof error);
  bool late = false;
  while (again && !(late = is_too_late(e.number)) && trace_next(again, &e, error, sizeof error))
    protocol_check(p, trace_tables(again), &e);
  if (!again || late || !protocol_finish(p, trace_tables(again), &f->predictions))
    console_note("not all calls could be checked against their protocols");
  trace_close(again);
}

/* False: an error was printed. */
static bool finish_protocols(struct prediction_hunt *f, struct protocol *p)
{
  double begin = now_seconds();
  bool wanted = protocol_learn(p, trace_tables(f->reader));
  f->times.learn = now_seconds() - begin;
  if (wanted)
    check_protocols(f, p);
  f->times.check = now_seconds() - begin - f->times.learn;
  f->protocols = *protocol_figures(p);
  return protocols_write(p, &f->hunt->config, f->hunt->options->write_protocols);
}

static const struct trace *tables_of(const struct prediction_hunt *f, const struct prediction *p)
{
  return trace_tables(p->kind == PREDICT_COMMUNICATION ? f->recording[p->run].reader : f->reader);
}

/* Whether an earlier run predicted the same: threads of the same places, stuck at the same ones. */
static bool is_known(const struct prediction_hunt *f, const struct prediction *p)
{
  char mine[1024], other[1024];
  prediction_sentence(tables_of(f, p), p, mine, sizeof mine);
  for (size_t i = 0; i < f->predictions.count; i++) {
    const struct prediction *q = &f->predictions.list[i];
    if (q->kind != p->kind || q->run == p->run)
      continue;
    prediction_sentence(tables_of(f, q), q, other, sizeof other);
    if (!strcmp(mine, other))
      return true;
  }
  return false;
}

/* Its tables are whole when it has been read; that of the only run has been. */
static void read_tables(const struct prediction_hunt *f, struct trace_reader *reader)
{
  char error[256];
  struct event e;
  while (reader != f->reader && trace_next(reader, &e, error, sizeof error))
    ;
}

/* Who waits for whom, in one run; reads its file again. False: an error was printed. */
static bool analyse_communication(struct prediction_hunt *f, unsigned run)
{
  char error[256];
  struct recording *r = &f->recording[run];
  struct predictions found = {0};
  struct communication_options options = {
      .loop_guards = f->hunt->options->loop_guards,
      .limits = {.seconds = f->seconds / 10 / f->recordings, .seed = f->hunt->options->seed}};
  double begin = now_seconds();
  read_tables(f, r->reader);
  bool good = communication_analyse(&r->communication, r->reader, &options, error, sizeof error);
  f->times.programs += now_seconds() - begin;
  if (good)
    model_predict(&r->communication.result, false, &found);
  else
    console_error("waits and signals of the run: %s", error);
  for (size_t i = 0; i < found.count; i++) {
    found.list[i].run = run;
    if (!is_known(f, &found.list[i]))
      predictions_add(&f->predictions, &found.list[i]);
  }
  f->predictions.failed |= found.failed;
  predictions_free(&found);
  return good;
}

bool prediction_hunt_analyse(struct prediction_hunt *f)
{
  struct analyses a = {0};
  bool room = open_analyses(&a, f);
  bool good = room && protocols_give(a.protocols, f->hunt->options->protocol) && read_trace(f, &a);
  for (unsigned i = 0; i < f->recordings && good; i++)
    good = analyse_communication(f, i);
  if (good) {
    goodlock_finish(a.locks, trace_tables(f->reader), &f->predictions, &f->locks);
    races_finish(a.races, &f->predictions);
    atomicity_finish(a.atomicity, &f->predictions);
    good = finish_protocols(f, a.protocols);
    f->tried = calloc(f->predictions.count + 1, sizeof *f->tried);
    room = !f->predictions.failed && f->tried;
  }
  close_analyses(&a);
  if (!room)
    console_error("no memory left for what the run did");
  return good && room;
}

/* ---- trying ---- */

static void add_course(const struct prediction_hunt *f, const struct prediction *prediction, struct plan *plan)
{
  const struct trace *t = tables_of(f, prediction);
  const struct communication *c = &f->recording[prediction->run].communication;
  const struct model_group *group = &c->result.group[prediction->group - 1];
  plan_add_steps(plan, t, group);
  plan_add_pauses(plan, t, c->program, group);
}

static bool add_protocol(const struct prediction_hunt *f, const struct prediction *prediction, struct plan *plan)
{
  const struct automaton *a = protocol_automaton(f->protocol, prediction->protocol);
  bool added = a && plan_add_protocol(plan, a);
  if (a && !added)
    console_note("a protocol of %u states is too large to be followed in executions", a->states);
  return added;
}

static void take_bugs(struct prediction_hunt *f, struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count && f->found; i++)
    session_add_bug(f->found, &result->bugs[i]);
  if (result->bug_count && !f->found)
    hunt_reproduce_all(f->hunt, result, true);
}

/* One session of executions that follow the plan. */
static struct tried try_plan(struct prediction_hunt *f, const struct prediction *prediction,
                             const struct plan_options *options)
{
  const struct options *o = f->hunt->options;
  struct tried tried = {.prediction = prediction, .tables = tables_of(f, prediction)};
  struct plan plan;
  plan_make(&plan, tried.tables, prediction, options);
  if (prediction->kind == PREDICT_TYPESTATE && !add_protocol(f, prediction, &plan))
    return tried;
  if (prediction->kind == PREDICT_COMMUNICATION)
    add_course(f, prediction, &plan);
  struct session_request request = {.target = &f->hunt->target,
                                    .config = f->hunt->config,
                                    .workers = 1,
                                    .grace = o->grace,
                                    .live = true,
                                    .plan = &plan,
                                    .seconds = f->started + f->seconds - now_seconds()};
  struct session_result result;
  request.config.strategy = STRATEGY_confirm;
  request.config.executions = o->runs ? o->runs : PREDICT_RUNS;
  request.config.keep_going = true;
  request.config.races = plan.kind == PLAN_RACE && f->hunt->config.races != RACES_IGNORE ? RACES_REPORT : RACES_IGNORE;
  request.config.leaks = RACES_IGNORE;
  request.config.detectors = RACE_BY_CLOCKS | RACE_BY_PENDING;
  if (request.seconds <= 0)
    return tried;
  session_run(&request, &result);
  tried.runs = result.executions + result.cut;
  tried.seconds = result.seconds;
  uint64_t bytes;
  const struct plan_outcome *outcome = result.control ? worker_answer(result.control, ANSWER_OUTCOME, &bytes) : NULL;
  if (outcome)
    tried.outcome = *outcome;
  size_t before = f->hunt->finding_count;
  take_bugs(f, &result);
  tried.reported = f->hunt->finding_count > before;
  session_free(&result);
  return tried;
}

/* As asked for; if that does not bring it about, without what may stand in the way: letting others pass can let them
 * take what the thread needs, and another run may come to the same place with other locks, or as another thread. */
static struct tried try_one(struct prediction_hunt *f, const struct prediction *prediction)
{
  const struct options *o = f->hunt->options;
  const struct plan_options ways[] = {
      {o->naming, (unsigned)o->depth, o->no_contexts, o->no_yield},
      {o->naming, (unsigned)o->depth, o->no_contexts, true},
      {NAMING_SITE, (unsigned)o->depth, true, true},
  };
  bool chosen = o->no_contexts || o->no_yield || o->naming != NAMING_INDEX;
  bool more = prediction->kind == PREDICT_DEADLOCK && !chosen;
  struct tried first = try_plan(f, prediction, &ways[0]);
  for (size_t i = 1; more && i < sizeof ways / sizeof ways[0] && !first.outcome.target && !time_is_up(); i++) {
    struct tried next = try_plan(f, prediction, &ways[i]);
    first.reported |= next.reported;
    if (next.outcome.target)
      first = next;
  }
  return first;
}

/* Data races that nobody wants to know of are not brought about either. */
static bool is_wanted(const struct prediction_hunt *f, const struct prediction *prediction)
{
  return prediction->kind != PREDICT_RACE || f->hunt->config.races != RACES_IGNORE;
}

void prediction_hunt_try(struct prediction_hunt *f,
                         void (*tell)(const struct prediction_hunt *f, const struct tried *tried))
{
  for (size_t i = 0; i < f->predictions.count; i++) {
    const struct prediction *p = &f->predictions.list[i];
    f->tried[i] = (struct tried){.prediction = p, .tables = tables_of(f, p)};
    if (!f->hunt->options->only_predict && is_wanted(f, p) && !time_is_up())
      f->tried[i] = try_one(f, p);
    if (tell)
      tell(f, &f->tried[i]);
  }
  for (unsigned i = 0; i < f->failures && !f->hunt->options->only_predict; i++)
    take_bugs(f, &f->by_chance[i]);
}

void prediction_hunt_close(struct prediction_hunt *f)
{
  for (unsigned i = 0; i < RECORDINGS; i++)
    close_recording(&f->recording[i]);
  close_recording(&f->all);
  for (unsigned i = 0; i < f->failures; i++)
    session_free(&f->by_chance[i]);
  predictions_free(&f->predictions);
  protocol_free(f->protocol);
  free(f->tried);
}
