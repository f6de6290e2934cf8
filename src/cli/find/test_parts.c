/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that can be left out, see the header. Types come from the debug information; whether anybody reads a result,
 * from the code of the functions that make the call. Without a disassembler, somebody does.
 */
#include "cli/find/test_parts.h"
#include "cli/find/hunt.h"
#include "debuginfo/call_shapes.h"
#include "debuginfo/callers.h"
#include "link/unused_results.h"
#include "schedule/thread_name.h"
#include "session/console.h"
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LANDING_PAD 4 /* bytes that may stand before the room for a call */

_Static_assert(SHAPE_ARGUMENTS == PART_ARGUMENTS, "arguments in registers");

/* ---- results that nobody reads ---- */

/* What the disassembler says of a range of the program's code; NULL: it cannot be asked. */
static FILE *disassemble(const char *program, const struct code_range *range)
{
  char low[40], high[40];
  snprintf(low, sizeof low, "--start-address=0x%" PRIx64, range->low);
  snprintf(high, sizeof high, "--stop-address=0x%" PRIx64, range->high);
  char *const argv[] = {"objdump", "-d", "--no-show-raw-insn", low, high, (char *)program, NULL};
  FILE *text = tmpfile();
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status = -1;
  if (!text || posix_spawn_file_actions_init(&actions) != 0)
    return text;
  posix_spawn_file_actions_adddup2(&actions, fileno(text), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  bool started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (started && waitpid(pid, &status, 0) == pid && status == 0) {
    rewind(text);
    return text;
  }
  fclose(text);
  return NULL;
}

static void find_unused(struct control_config *config, const char *program)
{
  uint64_t function[2 * WATCHED_CALLS];
  size_t functions = 0, callers;
  for (uint32_t i = 0; i < config->calls; i++)
    if (config->call[i].gives == GIVES_NUMBER) {
      function[functions++] = config->call[i].sled;
      function[functions++] = config->call[i].sled - LANDING_PAD;
    }
  struct code_range *caller = functions ? callers_of(program, function, functions, &callers) : NULL;
  for (size_t i = 0; caller && i < callers; i++) {
    FILE *text = disassemble(program, &caller[i]);
    if (!text)
      continue;
    config->unused_results +=
        (uint32_t)unused_results(text, function, functions, config->unused_result + config->unused_results,
                                 UNUSED_RESULTS - config->unused_results);
    fclose(text);
  }
  free(caller);
}

/* ---- which calls ---- */

/* The address of a function in the process that the symbols are of; 0: it has none. */
static uintptr_t address_of(struct symbols *symbols, const struct watched_call *call, const char *program)
{
  uintptr_t address;
  return symbols_module_address(symbols, basename(program), call->sled, &address) ? address : 0;
}

bool parts_watch(struct control_config *config, const char *program, const char *list)
{
  char error[256];
  if (!watch_calls(config, program, list))
    return false;
  struct symbols *symbols = symbols_open(program, error, sizeof error);
  for (uint32_t i = 0; i < config->calls; i++) {
    const struct call_shape shape = symbols_call_shape(symbols, address_of(symbols, &config->call[i], program));
    config->call[i].gives = shape.gives;
    config->call[i].fills = shape.fills;
  }
  symbols_close(symbols);
  config->leaves_out = 1;
  config->unused_results = 0;
  find_unused(config, program);
  return true;
}

/* ---- words ---- */

struct teller {
  struct parts_told *told;
  const struct made_calls *made;
  const struct control *control;
  struct symbols *symbols;
  const char *program;
};

static const struct watched_call *function_of(const struct teller *t, const struct made_call *call)
{
  return &t->control->config.call[call->function - 1];
}

static char *name_of(const struct teller *t, const struct made_call *call)
{
  const char *name = function_of(t, call)->name;
  return strndup(name, strcspn(name, "."));
}

static char *where_of(const struct teller *t, uint64_t pc)
{
  char text[256];
  symbols_format_place(t->symbols, pc, text, sizeof text);
  return strdup(text);
}

static bool add_call(struct teller *t, const struct made_call *call)
{
  char text[512];
  uintptr_t address = address_of(t->symbols, function_of(t, call), t->program);
  symbols_call_text(t->symbols, address, call->argument, text, sizeof text);
  struct test_call *c = &t->told->call[t->told->calls++];
  *c = (struct test_call){.thread = call->thread,
                          .call = call->call,
                          .operation = name_of(t, call),
                          .text = strdup(text),
                          .where = where_of(t, call->pc)};
  return c->operation && c->text && c->where;
}

static const char *why_stays(const struct teller *t, const struct made_call *call)
{
  if (call->locks)
    return "it takes or gives up a lock that its caller goes on with";
  if (!call->stays)
    return NULL;
  if (call->own)
    return "it may fill in a variable of its caller";
  if (function_of(t, call)->gives == GIVES_NUMBER)
    return "its result is used";
  return symbols_have_debug_info(t->symbols) ? "it returns more than a number"
                                             : "what it returns is not known without debug information (-g)";
}

/* One line for a function and a reason. */
static bool add_stay(struct teller *t, char *what, const char *why, uint64_t pc)
{
  struct parts_told *told = t->told;
  for (size_t i = 0; i < told->stays; i++)
    if (what && !strcmp(told->stay[i].what, what) && !strcmp(told->stay[i].why, why)) {
      free(what);
      return true;
    }
  struct test_stay *grown = what ? realloc(told->stay, (told->stays + 1) * sizeof *grown) : NULL;
  if (!grown)
    free(what);
  else {
    told->stay = grown;
    grown[told->stays++] = (struct test_stay){what, why, where_of(t, pc)};
  }
  return grown && grown[told->stays - 1].where;
}

static char *thread_called(const struct teller *t, const struct test_thread *thread)
{
  char name[THREAD_NAME_SIZE];
  thread_info_name(t->control->thread, t->control->threads, thread->index, name, sizeof name);
  return strdup(name);
}

static int by_thread(const void *a, const void *b)
{
  const struct test_call *x = a, *y = b;
  return x->thread != y->thread ? (x->thread < y->thread ? -1 : 1) : (x->call > y->call) - (x->call < y->call);
}

bool parts_tell(struct parts_told *told, const struct made_calls *made, const struct control *control,
                const char *program, struct symbols *symbols, const struct subset *kept)
{
  struct teller t = {told, made, control, symbols, program};
  *told = (struct parts_told){.call = calloc(made->count + 1, sizeof *told->call),
                              .thread = calloc(made->threads + 1, sizeof *told->thread)};
  bool good = told->call && told->thread;
  for (uint32_t i = 0; good && i < made->threads; i++) {
    const struct test_thread *thread = &made->thread[i];
    told->threads = i + 1;
    if (!kept || subset_has(kept, i, PART_THREAD))
      good = (told->thread[i] = thread_called(&t, thread)) != NULL;
    if (good && thread->asked)
      good = add_stay(&t, thread_called(&t, thread), "somebody asks for its result", thread->pc);
  }
  for (uint32_t i = 0; good && i < made->count; i++) {
    const char *why = why_stays(&t, &made->call[i]);
    good = add_call(&t, &made->call[i]) && (!why || add_stay(&t, name_of(&t, &made->call[i]), why, made->call[i].pc));
  }
  if (good)
    qsort(told->call, told->calls, sizeof *told->call, by_thread);
  return good;
}

void parts_told_free(struct parts_told *told)
{
  for (size_t i = 0; i < told->calls; i++) {
    free((char *)told->call[i].operation);
    free((char *)told->call[i].text);
    free((char *)told->call[i].where);
  }
  for (size_t i = 0; i < told->stays; i++) {
    free(told->stay[i].what);
    free(told->stay[i].where);
  }
  for (size_t i = 0; i < told->threads; i++)
    free(told->thread[i]);
  free(told->call);
  free(told->stay);
  free(told->thread);
  *told = (struct parts_told){0};
}
