/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading many units at the same time; see the header.
 */
#include "lint/gather.h"
#include "frontend/libclang.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 512
#define JOBS_MOST 64

/* What the processes share. */
enum unit_state { UNIT_OPEN, UNIT_READ, UNIT_LOST };
struct shared_unit {
  uint32_t command;
  _Atomic uint32_t state;
  char line[LINE_SIZE]; /* LOST: why */
};
struct shared {
  _Atomic size_t next, done;
  struct shared_unit unit[];
};

struct unit_reading {
  struct gather *gather;
  struct shared *shared;
  struct syntax *facts; /* of each command; without bytes: not yet, or lost */
  size_t units, bytes;
  pid_t child[JOBS_MOST];
  unsigned children;
};

/* ---- the readers ---- */

static void read_units(const struct unit_reading *r)
{
  for (size_t at; (at = atomic_fetch_add(&r->shared->next, 1)) < r->units;) {
    struct shared_unit *u = &r->shared->unit[at];
    const bool good = fact_cache_make(r->gather->cache, &r->gather->commands->command[u->command], u->line, LINE_SIZE);
    atomic_store(&u->state, good ? UNIT_READ : UNIT_LOST);
    atomic_fetch_add(&r->shared->done, 1);
  }
}

static bool start_reader(struct unit_reading *r)
{
  const pid_t parent = getpid(), child = fork();
  if (child < 0)
    return false;
  if (!child) {
    signal(SIGINT, SIG_IGN); /* whoever started us ends us */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
      read_units(r);
    _exit(0);
  }
  r->child[r->children++] = child;
  return true;
}

static void forget(struct unit_reading *r, unsigned which)
{
  r->child[which] = r->child[--r->children];
}

/* A reader that died lost the unit that it had; another one goes on with the rest. */
static void collect(struct unit_reading *r)
{
  for (unsigned i = r->children; i-- > 0;) {
    int status;
    if (waitpid(r->child[i], &status, WNOHANG) != r->child[i])
      continue;
    forget(r, i);
    if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0) && atomic_load(&r->shared->next) < r->units)
      start_reader(r);
  }
}

static void end_readers(struct unit_reading *r)
{
  for (unsigned i = 0; i < r->children; i++)
    kill(r->child[i], SIGKILL);
  for (unsigned i = 0; i < r->children; i++)
    waitpid(r->child[i], NULL, 0);
  r->children = 0;
}

static enum gather_end wait_for_readers(struct unit_reading *r)
{
  static const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  while (r->children) {
    if (r->gather->stop()) {
      end_readers(r);
      return GATHER_STOPPED;
    }
    if (r->gather->progress)
      r->gather->progress(atomic_load(&r->shared->done), r->units);
    nanosleep(&moment, NULL);
    collect(r);
  }
  return GATHER_DONE;
}

/* ---- the program ---- */

static void take_read(struct unit_reading *r)
{
  struct gather *g = r->gather;
  for (size_t i = 0; i < r->units; i++) {
    struct shared_unit *u = &r->shared->unit[i];
    const struct compile_command *command = &g->commands->command[u->command];
    char line[LINE_SIZE];
    if (atomic_load(&u->state) == UNIT_READ && fact_cache_find(g->cache, command, true, &r->facts[u->command])) {
      g->read++;
      continue;
    }
    snprintf(line, sizeof line, "%s: libclang failed to read it", command->source);
    g->problem(g->data, true, atomic_load(&u->state) == UNIT_LOST ? u->line : line);
    g->lost++;
  }
}

/* Assembly has its rows in a compile_commands.json, too. */
static bool is_assembly(const char *source)
{
  const char *dot = strrchr(source, '.');
  return dot && (!strcmp(dot, ".S") || !strcmp(dot, ".s") || !strcmp(dot, ".asm"));
}

/* What the cache has not, as units to be read. False: it was stopped before all were looked for. */
static bool take_cached(struct unit_reading *r)
{
  struct gather *g = r->gather;
  for (size_t i = 0; i < g->commands->count; i++) {
    if (g->stop())
      return false;
    if (is_assembly(g->commands->command[i].source))
      continue;
    if (!g->cache->temporary && fact_cache_find(g->cache, &g->commands->command[i], false, &r->facts[i]))
      g->cached++;
    else
      r->shared->unit[r->units++].command = (uint32_t)i;
  }
  return true;
}

/* In the order of the commands, wherever they came from: the findings are the same then. */
static bool add_all(struct unit_reading *r, struct whole_program *program)
{
  for (size_t i = 0; i < r->gather->commands->count; i++) {
    if (!r->facts[i].bytes)
      continue;
    const char *problem = syntax_text(&r->facts[i], r->facts[i].problem);
    if (*problem) {
      r->gather->problem(r->gather->data, false, problem);
      r->gather->partly++;
    }
    program_add(program, &r->facts[i]);
  }
  return program_finish(program);
}

static enum gather_end read_rest(struct unit_reading *r, char *error, size_t error_size)
{
  const unsigned jobs = r->gather->jobs < JOBS_MOST ? r->gather->jobs : JOBS_MOST;
  if (!r->units)
    return GATHER_DONE;
  if (!libclang_open(error, error_size)) /* before the fork: it is loaded once */
    return GATHER_FAILED;
  for (unsigned i = 0; i < jobs && i < r->units; i++)
    if (!start_reader(r) && !r->children) {
      snprintf(error, error_size, "no process can be started: %s", strerror(errno));
      return GATHER_FAILED;
    }
  const enum gather_end end = wait_for_readers(r);
  if (end == GATHER_DONE)
    take_read(r);
  return end;
}

enum gather_end gather_all(struct gather *g, struct whole_program *program, char *error, size_t error_size)
{
  const size_t count = g->commands->count;
  struct unit_reading r = {.gather = g, .facts = calloc(count + 1, sizeof *r.facts)};
  r.bytes = sizeof *r.shared + count * sizeof r.shared->unit[0];
  r.shared = mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  enum gather_end end = GATHER_FAILED;
  snprintf(error, error_size, "no memory left");
  if (r.facts && r.shared != MAP_FAILED) {
    end = take_cached(&r) ? read_rest(&r, error, error_size) : GATHER_STOPPED;
    if (end == GATHER_DONE && !add_all(&r, program))
      end = GATHER_FAILED;
  }
  for (size_t i = 0; r.facts && i < count; i++)
    syntax_close(&r.facts[i]);
  free(r.facts);
  if (r.shared != MAP_FAILED)
    munmap(r.shared, r.bytes);
  return end;
}
