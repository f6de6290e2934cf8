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
  if (m->call_count <= MOST_CALLS)
    print_calls(out, m);
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
    add(calls,
        json_pack("{s:I, s:I, s:s, s:I, s:I}", "thread", (json_int_t)c->thread, "call", (json_int_t)c->call,
                  "operation", c->operation, "a", (json_int_t)c->a, "b", (json_int_t)c->b),
        good);
  }
  return calls;
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
