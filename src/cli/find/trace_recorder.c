/* SPDX-License-Identifier: Apache-2.0
 *
 * From the ring to the file; see trace_recorder.h.
 */
#include "cli/find/trace_recorder.h"
#include "cli/find/hunt.h"
#include "cli/find/session_report.h"
#include "core/footprint.h"
#include "schedule/thread_name.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDED_STEPS UINT64_C(10000000000) /* a long run is no hang */

/* ---- numbers ---- */

/* 0: not known. */
static uint32_t map_get(const struct number_map *m, uint64_t key)
{
  const uint64_t *value = number_map_find(m, key);
  return value ? (uint32_t)*value : 0;
}

static bool map_set(struct number_map *m, uint64_t key, uint32_t value)
{
  uint64_t *at = number_map_at(m, key);
  if (at)
    *at = value;
  return at != NULL;
}

static void drop_numbers(struct trace_recorder *r)
{
  struct number_map *maps[] = {&r->sites, &r->objects, &r->threads, &r->stacks};
  for (unsigned i = 0; i < 4; i++)
    number_map_free(maps[i]);
}

/* ---- opening ---- */

static void begin_file(struct trace_recorder *r)
{
  rewind(r->file);
  r->failed |= ftruncate(fileno(r->file), 0) != 0;
  trace_write_head(&r->writer, r->file, r->program);
  drop_numbers(r);
  late_events_free(&r->late);
  r->site_count = r->object_count = r->thread_count = r->stack_count = r->function_count = 0;
  memset(r->functions, 0, sizeof r->functions);
  r->defined.op = OP_NONE;
  r->ended = false;
}

void trace_recorder_open(struct trace_recorder *r, FILE *file, const char *program)
{
  char error[256];
  *r = (struct trace_recorder){.file = file, .program = program};
  r->symbols = symbols_open(program, error, sizeof error);
  begin_file(r);
}

void trace_recorder_close(struct trace_recorder *r)
{
  drop_numbers(r);
  late_events_free(&r->late);
  symbols_close(r->symbols);
}

/* ---- places ---- */

static uint32_t site_of(struct trace_recorder *r, uint64_t pc, uint64_t place)
{
  uint32_t known = pc ? map_get(&r->sites, pc) : 0;
  if (!pc || known)
    return known;
  char text[256];
  struct trace_site site = {.text = text, .offset = pc, .place = place};
  if (r->symbols) {
    symbols_format_place(r->symbols, pc, text, sizeof text);
    symbols_module_offset(r->symbols, pc, &site.module, &site.offset);
  } else {
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)pc);
  }
  trace_write_site(&r->writer, &site);
  r->failed |= !map_set(&r->sites, pc, ++r->site_count);
  return r->site_count;
}

/* ---- definitions ---- */

/* As symbols know it: without the process, with the program. */
static uintptr_t symbol_address(const struct raw_event *e)
{
  return key_address(e->addr) | (uintptr_t)e->image << IMAGE_SHIFT;
}

static void write_thread(struct trace_recorder *r, const struct control *c)
{
  char name[THREAD_NAME_SIZE];
  const struct raw_event *e = &r->defined;
  uint32_t threads = c->threads < MAX_THREADS ? c->threads : MAX_THREADS;
  thread_info_name(c->thread, threads, e->object, name, sizeof name);
  struct trace_thread thread = {.parent = e->other ? map_get(&r->threads, e->other - 1) : 0,
                                .create = site_of(r, e->pc, e->place),
                                .text = name,
                                .origin = r->origin};
  trace_write_thread(&r->writer, &thread);
  r->failed |= !map_set(&r->threads, e->object, ++r->thread_count);
}

/* The name, with the process before it that has such memory for itself, if that is another than the first. */
static void add_owner(const struct control *c, const struct raw_event *e, const char *name, char *out, size_t n)
{
  const uint32_t space = key_space(e->addr), threads = c->threads < MAX_THREADS ? c->threads : MAX_THREADS;
  char owner[THREAD_NAME_SIZE];
  for (uint32_t t = 0; space && space < SPACE_SHARED && t < threads; t++)
    if (c->thread[t].process == space) {
      thread_info_name(c->thread, threads, t, owner, sizeof owner);
      snprintf(out, n, "%s's %s", owner, name);
      return;
    }
  snprintf(out, n, "%s", name);
}

static void write_object(struct trace_recorder *r, const struct control *c)
{
  char name[256], text[256 + THREAD_NAME_SIZE + 4];
  const struct raw_event *e = &r->defined;
  const char *kind = e->other < OBJECT_KIND_COUNT ? object_kind_name[e->other] : "object";
  struct memory_place place = {
      .addr = symbol_address(e), .block_pc = e->pc, .block_offset = e->value, .block_size = e->cause};
  if (e->other == OBJECT_NOTHING) { /* of calls: the whole of it, not its first member */
    place.length = UINT16_MAX;
    place.whole = true;
  }
  if (!r->symbols || !symbols_memory(r->symbols, &place, name, sizeof name))
    snprintf(name, sizeof name, "%s %u", kind, r->object_count + 1);
  char *member = e->other == OBJECT_PREDICATE ? strrchr(name, '.') : NULL;
  if (member && !strcmp(member, ".name"))
    *member = 0; /* the first of struct hd_predicate, which is meant as a whole */
  add_owner(c, e, name, text, sizeof text);
  struct trace_object object = {.kind = (uint16_t)e->other,
                                .type = (uint16_t)e->length,
                                .generation = map_get(&r->objects, e->object) ? r->object_count : 0,
                                .addr = e->addr,
                                .text = text,
                                .origin = r->origin};
  trace_write_object(&r->writer, &object);
  r->failed |= !map_set(&r->objects, e->object, ++r->object_count);
}

static void write_memory(struct trace_recorder *r, const struct raw_event *e, const struct control *c)
{
  char name[256], text[256 + THREAD_NAME_SIZE + 4];
  struct memory_place place = {.addr = symbol_address(e),
                               .length = e->length,
                               .block_pc = e->pc,
                               .block_offset = e->value,
                               .block_size = e->cause};
  struct trace_memory memory = {e->addr, e->length, text};
  if (!r->symbols || !symbols_memory(r->symbols, &place, name, sizeof name))
    return;
  add_owner(c, e, name, text, sizeof text);
  trace_write_memory(&r->writer, &memory);
}

static void write_stack(struct trace_recorder *r)
{
  struct trace_stack stack = {r->words, r->stack_sites};
  trace_write_stack(&r->writer, &stack);
  r->failed |= !map_set(&r->stacks, r->defined.object, ++r->stack_count);
}

static void defined(struct trace_recorder *r, const struct control *c)
{
  if (r->words_read < r->words)
    return;
  if (r->defined.op == RAW_THREAD)
    write_thread(r, c);
  else if (r->defined.op == RAW_OBJECT)
    write_object(r, c);
  else if (r->defined.op == RAW_STACK)
    write_stack(r);
  r->defined.op = OP_NONE;
}

static void add_word(struct trace_recorder *r, const struct raw_event *e)
{
  struct origin *o = &r->origin;
  uint32_t i = r->words_read++, site = site_of(r, e->pc, e->place);
  if (r->defined.op == RAW_STACK) {
    r->stack_sites[i % 64] = site;
  } else if (i < o->index_length) {
    o->index[i].site = e->place;
    o->index[i].count = e->cause;
  } else if (i - o->index_length < o->chain_length) {
    o->chain[i - o->index_length] = e->place;
  }
}

static void begin_origin(struct trace_recorder *r, const struct raw_event *e)
{
  r->origin = (struct origin){.fixed = e->pc,
                              .inside = e->addr,
                              .index_length = e->length < ORIGIN_DEPTH ? e->length : ORIGIN_DEPTH,
                              .chain_length = e->other < ORIGIN_DEPTH ? e->other : ORIGIN_DEPTH};
  r->words = r->origin.index_length + r->origin.chain_length;
  r->words_read = 0;
}

static uint32_t function_of(struct trace_recorder *r, uint32_t watched, const struct control *c)
{
  if (!watched || watched > WATCHED_CALLS)
    return 0;
  const struct watched_call *call = &c->config.call[watched - 1];
  if (!r->functions[watched - 1]) {
    trace_write_function(&r->writer, &(struct trace_function){call->name, call->type});
    r->functions[watched - 1] = ++r->function_count;
  }
  return r->functions[watched - 1];
}

/* ---- events ---- */

static void write_event(struct trace_recorder *r, const struct raw_event *e, const struct control *c)
{
  bool memory = op_is_memory(e->op);
  struct event event = {.thread = map_get(&r->threads, e->thread),
                        .op = e->op,
                        .order = e->order,
                        .flags = e->flags,
                        .object = e->object ? map_get(&r->objects, e->object) : 0,
                        .second = e->second ? map_get(&r->objects, e->second) : 0,
                        .site = site_of(r, e->pc, e->place),
                        .stack = e->stack ? map_get(&r->stacks, e->stack) : 0,
                        .other = e->other ? map_get(&r->threads, e->other - 1) : 0,
                        .length = e->length,
                        .addr = memory || e->op >= OP_COUNT ? e->addr : 0,
                        .value = e->value,
                        .cause = e->cause};
  if (e->op == OP_CALL) {
    event.second = function_of(r, e->other, c);
    event.other = 0;
  }
  if (e->flags & EVENT_LATE) {
    event.flags &= (uint8_t)~EVENT_LATE;
    event.cause = 0;
    r->failed |= !late_events_add(&r->late, e->cause, &event);
    return;
  }
  trace_write_event(&r->writer, &event);
}

static void take(struct trace_recorder *r, const struct raw_event *e, const struct control *c)
{
  switch (e->op) {
  case RAW_RESTART:
    begin_file(r);
    break;
  case RAW_THREAD:
  case RAW_OBJECT:
    r->defined = *e;
    break;
  case RAW_MEMORY:
    write_memory(r, e, c);
    break;
  case RAW_STACK:
    r->defined = *e;
    r->words = e->length;
    r->words_read = 0;
    defined(r, c);
    break;
  case RAW_ORIGIN:
    begin_origin(r, e);
    defined(r, c);
    break;
  case RAW_WORD:
    add_word(r, e);
    defined(r, c);
    break;
  case RAW_END:
    r->ended = true;
    break;
  default:
    if (e->op < OP_COUNT)
      write_event(r, e, c);
  }
}

/* A process that runs another program comes with modules of its own. */
static void load_maps(struct trace_recorder *r, const struct control *c)
{
  uint64_t bytes = c->maps_bytes;
  for (unsigned i = 1; i < IMAGES; i++)
    bytes += c->image_maps_bytes[i];
  if (bytes != r->maps_loaded)
    symbols_from_control(r->symbols, c);
  r->maps_loaded = bytes;
}

void trace_recorder_look(void *recorder, struct control *c)
{
  struct trace_recorder *r = recorder;
  struct event_ring *ring = CONTROL_AT(c, CONTROL_EVENTS_OFFSET);
  uint64_t written = ring->written;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (written != ring->read)
    load_maps(r, c);
  if (written - ring->read > RING_EVENTS) { /* the program wrote there */
    r->failed = true;
    return;
  }
  while (ring->read != written) {
    take(r, &ring->slot[ring->read % RING_EVENTS], c);
    ring->read++;
  }
}

bool trace_recorder_finish(struct trace_recorder *r)
{
  trace_write_end(&r->writer);
  if (r->late.count && !r->failed && r->ended) {
    r->writer.events = late_events_insert(&r->late, r->file);
    r->failed = !r->writer.events;
  }
  return !r->failed && r->ended && fflush(r->file) == 0 && !ferror(r->file);
}

void record_run(struct hunt *hunt, struct trace_recorder *recorder, double seconds, struct session_result *result)
{
  const struct options *o = hunt->options;
  struct session_request request = {
      .target = &hunt->target,
      .config = hunt->config,
      .workers = 1,
      .seconds = seconds,
      .grace = o->grace,
      .live = true,
      .notes = true,
      .look = trace_recorder_look,
      .context = recorder,
  };
  request.config.record_events = 1;
  request.config.executions = 1;
  request.config.keep_going = true;
  request.config.races = request.config.leaks = RACES_IGNORE; /* the analyses are for that */
  request.config.max_steps = RECORDED_STEPS;
  session_run(&request, result);
}
