/* SPDX-License-Identifier: Apache-2.0
 *
 * From a failing execution of an ordinary program to the smallest part that fails: list the threads that main starts
 * and their calls of the functions that the user named; see which of these can be left out; leave out as many as
 * possible (strategy/minimisation.c); replay what is left in a fresh process; tell it, with a schedule file that says
 * what is left out.
 */
#include "cli/command/minimise.h"
#include "cli/find/session_report.h"
#include "cli/find/specifications.h"
#include "session/console.h"
#include "session/worker.h"
#include <stdlib.h>
#include <string.h>

/* ---- one execution, with the list of its calls ---- */

static bool is_same(const struct failure *f, const struct bug *bug)
{
  return bug->key == f->key || (f->kind == BUG_DEADLOCK && bug->kind == f->kind);
}

/* The list that is in the result; NULL: it does not fail in that way. */
static const struct made_calls *replay(struct minimisation *m, const struct failure *f,
                                       const struct schedule_record *schedule, struct session_result *result)
{
  uint64_t bytes;
  bool shows = false;
  replay_schedule(m->target, &f->config, schedule, RESET_EXEC, false, m->options->grace, result);
  for (size_t i = 0; i < result->bug_count; i++)
    shows |= is_same(f, &result->bugs[i].bug);
  return shows ? worker_answer(result->control, ANSWER_CALLS, &bytes) : NULL;
}

static bool tell_parts(const struct minimisation *m, const struct made_calls *made, const struct session_result *result,
                       const struct subset *kept, struct parts_told *told)
{
  char error[256];
  struct symbols *symbols = symbols_open(m->target->path, error, sizeof error);
  symbols_from_control(symbols, result->control);
  bool good = parts_tell(told, made, result->control, m->target->path, symbols, kept);
  symbols_close(symbols);
  if (!good)
    console_error("no memory left");
  return good;
}

/* ---- the whole ---- */

/* Functions that leave their caller with a lock, or without, are no parts: the list says so from now on. Returns how
 * many there were; -1: no memory. */
static int leave_locks_alone(struct minimisation *m, const struct control_config *config, const struct made_calls *made)
{
  bool known[WATCHED_CALLS] = {false};
  int found = 0;
  for (uint32_t i = 0; i < made->count; i++) {
    const struct made_call *call = &made->call[i];
    char *longer;
    if (!call->locks || known[call->function - 1])
      continue;
    known[call->function - 1] = true;
    if (asprintf(&longer, "%s,%s:not", m->list, config->call[call->function - 1].name) < 0)
      return -1;
    free(m->list);
    m->list = longer;
    found++;
  }
  return found;
}

/* Calls that are not there count as such that stay: nobody tries to leave them out. */
static void find_fixed(struct subset *fixed, const struct made_calls *made)
{
  uint32_t most = 0;
  for (uint32_t t = 0; t < made->threads; t++)
    most = made->thread[t].calls > most ? made->thread[t].calls : most;
  subset_fill(fixed, made->threads, most + 1);
  for (uint32_t t = 0; t < made->threads; t++)
    if (!made->thread[t].asked)
      subset_remove(fixed, t, PART_THREAD);
  for (uint32_t i = 0; i < made->count; i++)
    if (!made->call[i].stays)
      subset_remove(fixed, made->call[i].thread, made->call[i].call);
}

static bool check_size(const struct minimisation *m, const struct made_calls *made)
{
  if (made->missing)
    console_error("%s has too many threads or calls: at most %u threads of %u calls can be minimised", m->target->label,
                  SUBSET_THREADS, SUBSET_CALLS - 1);
  else if (!made->count)
    console_error("no thread that main starts calls any of %s; a call that the compiler inlined is none", m->list);
  return !made->missing && made->count;
}

enum listed { LISTED, LISTED_AGAIN, LISTED_NOT };

/* The calls of the whole test. LISTED_AGAIN: fewer of them are parts than was thought. */
static enum listed list_once(struct minimisation *m, struct failure *f)
{
  struct session_result result;
  enum listed listed = LISTED_NOT;
  f->config.kept = (struct subset){0};
  if (!parts_watch(&f->config, m->target->path, m->list) ||
      !properties_again(&f->config, m->target, m->options->spec, m->options->specs))
    return LISTED_NOT;
  const struct made_calls *made = replay(m, f, f->schedule, &result);
  if (!made)
    console_error("the failure does not show again when its schedule is followed: is the test nondeterministic?");
  else if (check_size(m, made)) {
    int locks = leave_locks_alone(m, &f->config, made);
    bool told = locks < 0 || m->whole.calls || tell_parts(m, made, &result, NULL, &m->whole);
    listed = !told || locks < 0 ? LISTED_NOT : locks ? LISTED_AGAIN : LISTED;
    m->report.before = (struct test_size){made->threads, made->count};
    find_fixed(&f->config.kept, made);
  }
  session_free(&result);
  return listed;
}

static bool list_calls(struct minimisation *m, struct failure *f)
{
  enum listed listed;
  while ((listed = list_once(m, f)) == LISTED_AGAIN)
    ;
  return listed == LISTED;
}

/* ---- what is left ---- */

static uint32_t count_threads(const struct parts_told *told)
{
  uint32_t count = 0;
  for (size_t i = 0; i < told->threads; i++)
    count += told->thread[i] != NULL;
  return count;
}

/* What was really made is what is left: also calls that could not be left out. */
static void keep_made(struct subset *kept, const struct made_calls *made)
{
  for (uint32_t t = 0; t < kept->threads; t++) {
    bool runs = subset_has(kept, t, PART_THREAD);
    subset_remove_thread(kept, t);
    if (runs)
      subset_add(kept, t, PART_THREAD);
  }
  for (uint32_t i = 0; i < made->count; i++)
    if (made->call[i].thread < kept->threads && made->call[i].call < kept->calls)
      subset_add(kept, made->call[i].thread, made->call[i].call);
}

/* In a fresh process. False: it does not fail there, or an error was printed. */
static bool list_left(struct minimisation *m, struct failure *f, const struct schedule_record *best)
{
  struct session_result result;
  f->config.kept = m->kept;
  const struct made_calls *made = replay(m, f, best, &result);
  bool good = made && tell_parts(m, made, &result, &m->kept, &m->parts);
  if (!made)
    console_error("the part that is left does not fail again in a fresh process: is the test nondeterministic?");
  if (good) {
    keep_made(&m->kept, made);
    f->config.kept = m->kept;
    m->report.after = (struct test_size){count_threads(&m->parts), made->count};
    m->report.calls = m->parts.call;
    m->report.call_count = m->parts.calls;
    m->report.threads = m->parts.thread;
    m->report.thread_count = m->parts.threads;
    m->report.stays = m->whole.stay;
    m->report.stay_count = m->whole.stays;
  }
  session_free(&result);
  return good;
}

/* ---- telling ---- */

static const struct finding *same_finding(const struct failure *f, const struct hunt *hunt)
{
  for (size_t i = 0; i < hunt->finding_count; i++)
    if (is_same(f, &hunt->findings[i].bug))
      return &hunt->findings[i];
  return NULL;
}

static bool retell(struct minimisation *m, const struct failure *f, struct hunt *hunt,
                   const struct schedule_record *best)
{
  struct options options = minimisation_options(m, f);
  const struct options *before = hunt->options;
  options.calls = m->list;
  hunt->options = &options;
  hunt->config = f->config;
  if (m->target->properties) /* its functions have the numbers of that configuration */
    *hunt->target.properties = *m->target->properties;
  outfiles_name_reduced(&hunt->files);
  minimisation_retell(hunt, best);
  const struct finding *found = same_finding(f, hunt);
  if (found) {
    m->schedule = found->path ? strdup(found->path) : NULL;
    const struct json_bug bug = json_bug_of(found);
    m->bug = json_bug_text(&bug);
  } else
    console_error("the part that is left could not be told: its failure did not show when its schedule was shrunk");
  m->report.schedule = m->schedule;
  m->report.bug = m->bug;
  hunt->options = before;
  return found;
}

int minimise_program_failure(struct minimisation *m, struct failure *f, struct hunt *hunt)
{
  if (!list_calls(m, f))
    return STATUS_FAILED;
  struct schedule_record *best = minimisation_reduce(m, f);
  bool told = false;
  if (best && list_left(m, f, best)) {
    m->report.replayed = true;
    if (!m->options->quiet)
      minimised_print(console_out(), &m->report);
    told = retell(m, f, hunt, best);
  }
  free(best);
  return told ? STATUS_BUG : STATUS_FAILED;
}
