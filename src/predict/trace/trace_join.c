/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs become one trace; see trace_join.h. What events speak of must stand before them, and is known only when a file
 * has been read to its end: each is read twice.
 */
#include "predict/trace/trace_join.h"
#include "core/key.h"
#include "predict/trace/number_map.h"
#include "predict/trace/trace_writer.h"
#include <stdlib.h>
#include <string.h>

#define JOINED_FUNCTIONS 256 /* more are not watched */

/* What was written so far, without the entries of index 0. */
struct joined {
  struct trace_writer writer;
  unsigned run;
  struct number_map sites; /* by place */
  uint32_t site_count, stack_count, thread_count, object_count, function_count;
  struct trace_function function[JOINED_FUNCTIONS]; /* of whatever run had it first */
  bool failed;
};

/* From numbers of a run to those of the whole. */
struct numbering {
  uint32_t *site, *function;
  uint32_t stacks, threads, objects; /* before its own */
  uint64_t events;
  uint64_t memory; /* added to its addresses */
};

static uint32_t shifted(uint32_t number, uint32_t before)
{
  return number ? number + before : 0;
}

/* ---- what events speak of ---- */

static uint32_t join_site(struct joined *j, const struct trace_site *site)
{
  uint64_t *known = site->place ? number_map_at(&j->sites, site->place) : NULL;
  j->failed |= site->place && !known;
  if (known && *known)
    return (uint32_t)*known;
  trace_write_site(&j->writer, site);
  j->site_count++;
  if (known)
    *known = j->site_count;
  return j->site_count;
}

static uint32_t join_function(struct joined *j, const struct trace_function *f)
{
  for (uint32_t i = 0; i < j->function_count; i++)
    if (!strcmp(j->function[i].name, f->name) && !strcmp(j->function[i].type, f->type))
      return i + 1;
  if (j->function_count == JOINED_FUNCTIONS)
    return 0; /* of no type: its calls are none */
  trace_write_function(&j->writer, f);
  j->function[j->function_count] = *f;
  return ++j->function_count;
}

static void join_stack(struct joined *j, const struct numbering *n, const struct trace_stack *stack)
{
  uint32_t *sites = calloc(stack->depth + 1, sizeof *sites);
  j->failed |= !sites;
  for (uint32_t i = 0; sites && i < stack->depth; i++)
    sites[i] = n->site[stack->sites[i]];
  if (sites)
    trace_write_stack(&j->writer, &(struct trace_stack){stack->depth, sites});
  free(sites);
}

static void join_tables(struct joined *j, struct numbering *n, const struct trace *t)
{
  for (uint32_t i = 1; i < t->site_count; i++)
    n->site[i] = join_site(j, &t->sites[i]);
  for (uint32_t i = 1; i < t->function_count; i++)
    n->function[i] = join_function(j, &t->functions[i]);
  for (uint32_t i = 1; i < t->stack_count; i++)
    join_stack(j, n, &t->stacks[i]);
  for (uint32_t i = 1; i < t->thread_count; i++) {
    struct trace_thread thread = t->threads[i];
    thread.parent = shifted(thread.parent, n->threads);
    thread.create = n->site[thread.create];
    trace_write_thread(&j->writer, &thread);
  }
  for (uint32_t i = 1; i < t->object_count; i++) {
    struct trace_object object = t->objects[i];
    object.generation = shifted(object.generation, n->objects);
    trace_write_object(&j->writer, &object);
  }
  for (uint32_t i = 1; i < t->memory_count; i++) {
    struct trace_memory memory = t->memory[i];
    memory.addr += n->memory;
    trace_write_memory(&j->writer, &memory);
  }
  j->stack_count += t->stack_count - 1;
  j->thread_count += t->thread_count - 1;
  j->object_count += t->object_count - 1;
}

/* ---- events ---- */

static void join_event(struct joined *j, const struct numbering *n, struct event e)
{
  e.thread = shifted(e.thread, n->threads);
  e.other = shifted(e.other, n->threads);
  e.object = shifted(e.object, n->objects);
  e.second = e.op == OP_CALL ? n->function[e.second] : shifted(e.second, n->objects);
  e.site = n->site[e.site];
  e.stack = shifted(e.stack, n->stacks);
  e.cause = e.cause ? e.cause + n->events : 0;
  e.addr = e.addr ? e.addr + n->memory : 0;
  trace_write_event(&j->writer, &e);
}

static void join_run(struct joined *j, struct trace_reader *all, struct trace_reader *again, char *error,
                     size_t error_size)
{
  struct event e;
  while (trace_next(all, &e, error, error_size))
    ;
  const struct trace *t = trace_tables(all);
  struct numbering n = {.site = calloc(t->site_count, sizeof *n.site),
                        .function = calloc(t->function_count, sizeof *n.function),
                        .stacks = j->stack_count,
                        .threads = j->thread_count,
                        .objects = j->object_count,
                        .events = j->writer.events,
                        .memory = (uint64_t)j->run << KEY_SHIFT};
  j->failed |= !n.site || !n.function;
  if (!j->failed && !j->run)
    trace_write_head(&j->writer, j->writer.file, t->program);
  if (!j->failed)
    join_tables(j, &n, t);
  while (!j->failed && !*error && trace_next(again, &e, error, error_size))
    join_event(j, &n, e);
  free(n.site);
  free(n.function);
}

bool trace_join(FILE *out, const char *const *paths, unsigned count, char *error, size_t error_size)
{
  struct joined j = {.writer = {.file = out}};
  struct trace_reader *all[JOINED_MOST] = {NULL}; /* to the end: names of functions are theirs */
  *error = 0;
  for (unsigned i = 0; i < count && i < JOINED_MOST && !*error; i++) {
    all[i] = trace_open(paths[i], error, error_size);
    struct trace_reader *again = all[i] ? trace_open(paths[i], error, error_size) : NULL;
    j.run = i;
    if (again)
      join_run(&j, all[i], again, error, error_size);
    trace_close(again);
    if (j.failed)
      snprintf(error, error_size, "no memory left");
  }
  for (unsigned i = 0; i < JOINED_MOST; i++)
    trace_close(all[i]);
  number_map_free(&j.sites);
  if (*error)
    return false;
  trace_write_end(&j.writer);
  if (fflush(out) == 0 && !ferror(out))
    return true;
  snprintf(error, error_size, "it cannot be written");
  return false;
}
