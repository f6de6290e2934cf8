/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle convert: a recorded run in another form. The binary one is heddle's own; STD is what public predictors of
 * races and deadlocks read. Which one is read is seen from the file, which one is written from the
 * name. */
#include "cli/command/commands.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cli/option/result_file.h"
#include "predict/trace/std.h"
#include "predict/trace/trace_writer.h"
#include "session/console.h"

/* What the tables have that was not written yet. */
struct written {
  struct trace_writer writer;
  uint32_t sites, stacks, threads, objects, memory, functions;
};

static void write_tables(struct written *w, const struct trace *t)
{
  for (w->sites += !w->sites; w->sites < t->site_count; w->sites++)
    trace_write_site(&w->writer, &t->sites[w->sites]);
  for (w->stacks += !w->stacks; w->stacks < t->stack_count; w->stacks++)
    trace_write_stack(&w->writer, &t->stacks[w->stacks]);
  for (w->threads += !w->threads; w->threads < t->thread_count; w->threads++)
    trace_write_thread(&w->writer, &t->threads[w->threads]);
  for (w->objects += !w->objects; w->objects < t->object_count; w->objects++)
    trace_write_object(&w->writer, &t->objects[w->objects]);
  for (w->memory += !w->memory; w->memory < t->memory_count; w->memory++)
    trace_write_memory(&w->writer, &t->memory[w->memory]);
  for (w->functions += !w->functions; w->functions < t->function_count; w->functions++)
    trace_write_function(&w->writer, &t->functions[w->functions]);
}

static bool to_binary(struct trace_reader *r, FILE *out, uint64_t *events, char *error, size_t size)
{
  struct written w = {0};
  struct event e;
  const struct trace *t = trace_tables(r);
  bool begun = false;
  while (trace_next(r, &e, error, size)) {
    if (!begun)
      trace_write_head(&w.writer, out, t->program);
    begun = true;
    write_tables(&w, t);
    trace_write_event(&w.writer, &e);
  }
  if (!begun)
    trace_write_head(&w.writer, out, t->program);
  trace_write_end(&w.writer);
  *events = w.writer.events;
  return !*error && !ferror(out);
}

static bool to_std(struct trace_reader *r, FILE *out, bool plain, uint64_t *events, char *error, size_t size)
{
  struct event e;
  struct std_writer *w = std_open(out, plain);
  if (!w) {
    snprintf(error, size, "no memory left");
    return false;
  }
  while (trace_next(r, &e, error, size)) {
    std_event(w, trace_tables(r), &e);
    ++*events;
  }
  return std_close(w) && !*error;
}

static bool write_trace(const struct options *o, struct trace_reader *r, FILE *out, uint64_t *events, char *error,
                        size_t size)
{
  if (std_is_meant(o->into))
    return to_std(r, out, o->plain, events, error, size);
  return to_binary(r, out, events, error, size);
}

static int convert(const struct options *o)
{
  char error[256] = "", unwritten[1024], count[COUNT_SIZE];
  const char *from = o->operands[0], *to = o->into;
  uint64_t events = 0;
  struct output_file output;
  struct trace_reader *r = trace_open(from, error, sizeof error);
  if (!r) {
    console_error("%s: %s", from, error);
    return STATUS_USAGE;
  }
  if (!output_file_open(&output, to, result_file_into(o), unwritten, sizeof unwritten)) {
    console_error("%s", unwritten);
    trace_close(r);
    return STATUS_FAILED;
  }
  bool good = write_trace(o, r, output.file, &events, error, sizeof error);
  trace_close(r);
  if (!good) {
    output_file_drop(&output);
    console_error("%s: %s", *error ? from : to, *error ? error : "could not be written");
    return *error ? STATUS_USAGE : STATUS_FAILED;
  }
  if (!output_file_close(&output, unwritten, sizeof unwritten)) {
    console_error("%s", unwritten);
    return STATUS_FAILED;
  }
  console_line("%s: %s event%s", to, format_count(events, count), events == 1 ? "" : "s");
  return STATUS_OK;
}

int cmd_convert(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_CONVERT, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("convert", options.all_options);
  if (options.operand_count != 2) {
    console_error("convert takes two files: heddle convert FROM TO");
    return STATUS_USAGE;
  }
  options.into = options.operands[--options.operand_count];
  return result_files_check(&options) ? convert(&options) : STATUS_USAGE;
}
