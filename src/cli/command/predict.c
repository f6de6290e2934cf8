/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle predict: record a few runs, analyse them, then try to bring about what they predict. Only what really
 * happened, and happened again in a fresh process, is a bug.
 */
#include "cli/command/commands.h"
#include "cli/find/prediction_hunt.h"
#include "cli/find/protocols.h"
#include "cli/help/help.h"
#include "session/console.h"
#include <inttypes.h>

#define PREDICT_SECONDS 60.0

/* Guesses that nothing came of are many, and of little use. */
static bool is_guess(const struct tried *tried)
{
  return !tried->outcome.target && !tried->prediction->sound && tried->prediction->kind != PREDICT_DEADLOCK &&
         tried->prediction->kind != PREDICT_COMMUNICATION;
}

static void tell(const struct prediction_hunt *f, const struct tried *tried)
{
  const struct options *o = f->hunt->options;
  if (!o->quiet && (o->all || o->only_predict || !is_guess(tried)))
    tried_print(console_out(), tried);
}

static void summarise_communication(const struct communication *c, bool loop_guards)
{
  const struct model_result *r = &c->result;
  if (loop_guards)
    console_line("blocked waits: %u if a condition is asked once, %u if it is asked again after a wake-up",
                 c->groups_once, c->groups_looping);
  if (c->program->problem[0])
    console_note("conditions: %s", c->program->problem);
  if (r->too_large)
    console_note("too many threads to look for lost wake-ups");
  else if (!r->complete)
    console_note("there may be more lost wake-ups: the search was ended, then %" PRIu64 " random walks were made",
                 r->walks);
}

static void summarise(const struct prediction_hunt *f)
{
  protocols_tell(&f->protocols);
  size_t guesses = 0, confirmed = 0, bugs = f->hunt->finding_count;
  char events[COUNT_SIZE];
  for (size_t i = 0; i < f->predictions.count; i++)
    guesses += is_guess(&f->tried[i]);
  for (size_t i = 0; i < f->predictions.count; i++)
    confirmed += f->tried[i].outcome.target > 0;
  console_line("%zu prediction%s from %s event%s, %zu confirmed, %zu bug%s", f->predictions.count,
               f->predictions.count == 1 ? "" : "s", format_count(f->events, events), f->events == 1 ? "" : "s",
               confirmed, bugs, bugs == 1 ? "" : "s");
  if (guesses && !f->hunt->options->all && !f->hunt->options->only_predict)
    console_line("%zu guess%s that %s not confirmed %s not listed (--all)", guesses, guesses == 1 ? "" : "es",
                 guesses == 1 ? "was" : "were", guesses == 1 ? "is" : "are");
  for (unsigned i = 0; i < f->recordings; i++)
    summarise_communication(&f->recording[i].communication, f->hunt->options->loop_guards);
  if (f->locks.length_hit || f->locks.memory_hit)
    console_note("there may be more circles of locks: a limit was reached (--max-cycle)");
}

static int predict(struct prediction_hunt *f)
{
  struct session_result result = {0};
  int status = STATUS_FAILED;
  if (!prediction_hunt_open(f, &result)) {
    status = f->hunt->options->from ? STATUS_USAGE : STATUS_FAILED;
    if (result.end == SESSION_TIME)
      console_error("the run did not come to its end in time, so there is nothing to predict from; give it more "
                    "--time, or see "
                    "with heddle check whether it hangs");
    else if (result.end != SESSION_DONE)
      status = hunt_finish(f->hunt, &result);
  } else if (prediction_hunt_analyse(f)) {
    prediction_hunt_try(f, tell);
    summarise(f);
    result.executions = f->recordings;
    struct analysis_view analysis = {.tables = trace_tables(f->recording[0].reader),
                                     .communication = &f->recording[0].communication,
                                     .protocols = &f->protocols,
                                     .times = f->times,
                                     .events = f->events};
    struct predictions_view view = {f->tried, f->predictions.count, &analysis};
    f->hunt->predictions = &view;
    status = hunt_finish(f->hunt, &result);
  }
  session_free(&result);
  return status;
}

int cmd_predict(int argc, char **argv)
{
  struct options options;
  struct hunt hunt;
  if (!options_parse(&options, FOR_PREDICT, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("predict", options.all_options);
  bool chosen = options.strategy != STRATEGY_COUNT;
  if (!chosen)
    options.strategy = STRATEGY_rr;
  int status = hunt_open(&hunt, "predict", &options, true);
  if (status)
    return status;
  struct prediction_hunt f = {.hunt = &hunt,
                              .several = !chosen,
                              .started = now_seconds(),
                              .seconds = options.seconds < 0 ? PREDICT_SECONDS : options.seconds};
  deadline_set(f.seconds);
  status = predict(&f);
  prediction_hunt_close(&f);
  hunt_close(&hunt);
  return status;
}
