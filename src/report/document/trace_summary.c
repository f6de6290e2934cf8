/* SPDX-License-Identifier: Apache-2.0
 *
 * What was recorded; see trace_summary.h.
 */
#include "report/document/trace_summary.h"
#include "report/document/build_json.h"

/* A place that no event is at has no text: it is told as a number. */
static json_t *place_value(const struct trace *t, uint64_t place)
{
  for (uint32_t i = 1; i < t->site_count; i++)
    if (t->sites[i].place == place)
      return text_value(t->sites[i].text);
  return integer(place);
}

static json_t *origin_value(const struct trace *t, const struct origin *o, bool *good)
{
  json_t *value = container(json_object(), good), *index = container(json_array(), good),
         *chain = container(json_array(), good);
  for (uint32_t i = 0; i < o->index_length; i++) {
    add(index, place_value(t, o->index[i].site), good);
    add(index, integer(o->index[i].count), good);
  }
  for (uint32_t i = 0; i < o->chain_length; i++)
    add(chain, place_value(t, o->chain[i]), good);
  if (o->fixed)
    set(value, "fixed", integer(o->fixed), good);
  set(value, "inside", integer(o->inside), good);
  set(value, "index", index, good);
  set(value, "chain", chain, good);
  return value;
}

static json_t *threads_value(const struct trace *t, bool *good)
{
  json_t *list = container(json_array(), good);
  for (uint32_t i = 1; i < t->thread_count; i++) {
    json_t *value = container(json_object(), good);
    set(value, "name", text_value(t->threads[i].text), good);
    set(value, "created", text_value(t->threads[i].create ? t->sites[t->threads[i].create].text : NULL), good);
    set(value, "origin", origin_value(t, &t->threads[i].origin, good), good);
    add(list, value, good);
  }
  return list;
}

static json_t *objects_value(const struct trace *t, bool *good)
{
  json_t *list = container(json_array(), good);
  for (uint32_t i = 1; i < t->object_count; i++) {
    const struct trace_object *o = &t->objects[i];
    json_t *value = container(json_object(), good);
    set(value, "name", text_value(o->text), good);
    set(value, "kind", text_value(object_kind_name[o->kind]), good);
    set(value, "generation", integer(o->generation), good);
    set(value, "origin", origin_value(t, &o->origin, good), good);
    add(list, value, good);
  }
  return list;
}

static json_t *counts_value(const uint64_t count[OP_COUNT], bool *good)
{
  json_t *value = container(json_object(), good);
  for (unsigned i = 0; i < OP_COUNT; i++)
    if (count[i])
      set(value, op_table[i].name, integer(count[i]), good);
  return value;
}

char *trace_summary_json(struct trace_reader *reader, const char *version, char *error, size_t error_size)
{
  uint64_t count[OP_COUNT] = {0}, events = 0;
  const struct trace *t = trace_tables(reader);
  struct event e;
  bool good = true;
  while (trace_next(reader, &e, error, error_size)) {
    count[e.op]++;
    events++;
  }
  if (*error)
    return NULL;
  json_t *root = container(json_object(), &good);
  set(root, "heddle", text_value(version), &good);
  set(root, "command", text_value("record"), &good);
  set(root, "program", text_value(t->program), &good);
  set(root, "events", integer(events), &good);
  set(root, "operations", counts_value(count, &good), &good);
  set(root, "sites", integer(t->site_count ? t->site_count - 1 : 0), &good);
  set(root, "threads", threads_value(t, &good), &good);
  set(root, "objects", objects_value(t, &good), &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  if (!text)
    snprintf(error, error_size, "no memory left");
  return text;
}
