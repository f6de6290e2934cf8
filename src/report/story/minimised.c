/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling what heddle minimise did, see the header.
 */
#include "report/story/minimised.h"
#include "report/document/build_json.h"
#include "report/story/terminal_text.h"

static void print_calls(FILE *out, const struct minimised *m)
{
  for (size_t i = 0; i < m->call_count; i++) {
    const struct test_call *c = &m->calls[i];
    bool first = !i || c[-1].thread != c->thread;
    if (first)
      fprintf(out, "    thread %-4u ", c->thread);
    fputs(first ? "" : "  ", out);
    print_escaped(out, c->operation);
    fprintf(out, "(%u, %u)", c->a, c->b);
    if (i + 1 == m->call_count || c[1].thread != c->thread)
      fputc('\n', out);
  }
}

/* How many calls from this one on are the same. */
static size_t same_calls(const struct minimised *m, size_t from)
{
  const struct test_call *first = &m->calls[from];
  size_t to = from + 1;
  while (to < m->call_count && m->calls[to].thread == first->thread && !strcmp(m->calls[to].text, first->text) &&
         !strcmp(m->calls[to].where, first->where))
    to++;
  return to - from;
}

/* A line for each: the thread, the call, its place. Returns the first call that is another thread's. */
static size_t print_thread(FILE *out, const struct minimised *m, size_t thread, size_t from)
{
  fprintf(out, "    %-6s", m->threads[thread]);
  size_t next = from;
  while (next < m->call_count && m->calls[next].thread == thread) {
    size_t times = same_calls(m, next);
    fprintf(out, "%*s ", next > from ? 10 : 0, "");
    print_escaped(out, m->calls[next].text);
    fputs("   ", out);
    print_escaped(out, m->calls[next].where);
    if (times > 1)
      fprintf(out, "   %zu times", times);
    fputc('\n', out);
    next += times;
  }
  fputs(next > from ? "" : " makes none of the calls\n", out);
  return next;
}

static void print_parts(FILE *out, const struct minimised *m)
{
  size_t next = 0;
  for (size_t t = 0; t < m->thread_count; t++)
    if (m->threads[t])
      next = print_thread(out, m, t, next);
}

#define MOST_STAYS 8 /* more are not listed */

static void print_stays(FILE *out, const struct minimised *m)
{
  for (size_t i = 0; i < m->stay_count && i < MOST_STAYS; i++) {
    fputs("  stays    ", out);
    print_escaped(out, m->stays[i].what);
    fprintf(out, ": %s   ", m->stays[i].why);
    print_escaped(out, m->stays[i].where);
    fputc('\n', out);
  }
}

static const char *plural(uint64_t n)
{
  return n == 1 ? "" : "s";
}

#define MOST_CALLS 40 /* more are not listed */

void minimised_headline(FILE *out, const struct minimised *m)
{
  fputs("✗ ", out);
  print_escaped(out, m->message); /* may be a schedule file's */
  fputs(*m->where ? "   " : "", out);
  print_escaped(out, m->where);
  fputc('\n', out);
}

void minimised_print(FILE *out, const struct minimised *m)
{
  fprintf(out, "  %u thread%s, %u call%s are left of %u thread%s, %u call%s: %llu run%s, %.2f s%s\n", m->after.threads,
          plural(m->after.threads), m->after.calls, plural(m->after.calls), m->before.threads,
          plural(m->before.threads), m->before.calls, plural(m->before.calls), (unsigned long long)m->runs,
          plural(m->runs), m->seconds, m->complete ? "" : ", when the time was up");
  if (m->call_count <= MOST_CALLS && m->threads)
    print_parts(out, m);
  else if (m->call_count <= MOST_CALLS)
    print_calls(out, m);
  print_stays(out, m);
  if (m->test) {
    char path[4096];
    shell_word(m->test, path, sizeof path);
    fprintf(out, "  test     %s\n", path);
  }
}

static json_t *size_value(struct test_size size)
{
  return json_pack("{s:I, s:I}", "threads", (json_int_t)size.threads, "calls", (json_int_t)size.calls);
}

static json_t *call_values(const struct minimised *m, bool *good)
{
  json_t *calls = container(json_array(), good);
  for (size_t i = 0; i < m->call_count && *good; i++) {
    const struct test_call *c = &m->calls[i];
    json_t *call = container(json_object(), good);
    set(call, "thread", integer(c->thread), good);
    set(call, "call", integer(c->call), good);
    set(call, "operation", text_value(c->operation), good);
    if (c->text) {
      set(call, "name", text_value(m->threads[c->thread]), good);
      set(call, "text", text_value(c->text), good);
      set(call, "where", text_value(c->where), good);
    } else {
      set(call, "a", integer(c->a), good);
      set(call, "b", integer(c->b), good);
    }
    add(calls, call, good);
  }
  return calls;
}

static json_t *stay_values(const struct minimised *m, bool *good)
{
  json_t *stays = container(json_array(), good);
  for (size_t i = 0; i < m->stay_count && *good; i++) {
    json_t *stay = container(json_object(), good);
    set(stay, "what", text_value(m->stays[i].what), good);
    set(stay, "why", text_value(m->stays[i].why), good);
    set(stay, "where", text_value(m->stays[i].where), good);
    add(stays, stay, good);
  }
  return stays;
}

static json_t *failure_value(const struct minimised *m, bool *good)
{
  if (!m->kind)
    return json_null();
  json_t *failure = container(json_object(), good);
  set(failure, "kind", text_value(m->kind), good);
  set(failure, "message", text_value(m->message), good);
  set(failure, "where", text_value(m->where), good);
  return failure;
}

static void set_result(json_t *object, const struct minimised *m, bool *good)
{
  set(object, "before", size_value(m->before), good);
  set(object, "after", size_value(m->after), good);
  set(object, "calls", call_values(m, good), good);
  if (m->threads)
    set(object, "stays", stay_values(m, good), good);
  set(object, "runs", integer(m->runs), good);
  set(object, "seconds", json_real(m->seconds), good);
  set(object, "complete", json_boolean(m->complete), good);
  set(object, "replayed", json_boolean(m->replayed), good);
  set(object, "test", text_value(m->test), good);
  set(object, "schedule", text_value(m->schedule), good);
  if (m->bug)
    set(object, "bug", json_loads(m->bug, 0, NULL), good);
}

char *minimised_json(const struct minimised *m)
{
  bool good = true;
  json_t *root = container(json_object(), &good);
  set(root, "heddle", text_value(HEDDLE_VERSION), &good);
  set(root, "command", text_value("minimise"), &good);
  set(root, "program", text_value(m->program), &good);
  set(root, "how", text_value(m->how), &good);
  set(root, "lookahead", integer(m->lookahead), &good);
  set(root, "scope", text_value(m->scope), &good);
  set(root, "retries", integer(m->retries), &good);
  set(root, "seed", seed_value(m->seed), &good);
  set(root, "failure", failure_value(m, &good), &good);
  set(root, "runs_to_fail", integer(m->runs_to_fail), &good);
  set_result(root, m, &good);
  char *text = good ? dump_document(root) : NULL;
  json_decref(root);
  return text;
}

char *minimised_text(const struct minimised *m)
{
  bool good = true;
  json_t *object = container(json_object(), &good);
  set_result(object, m, &good);
  char *text = good ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  return text;
}
