/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a verdict less than a proof, in words: the sentences of core/loss.h, and programs that wait for the
 * outside.
 */
#include "session/losses.h"
#include "core/calls.h"
#include "schedule/thread_name.h"
#include "session/client_process.h"
#include "session/console.h"
#include <stdio.h>
#include <string.h>

#define CALLS_TOLD 6

/* The first few of them, as their programmer knows them. */
static void name_unseen_calls(const char *calls, char *out, size_t size)
{
  size_t n = 0;
  unsigned told = 0;
  for (const char *at = calls, *end; *at && n < size; at = end + strspn(end, ", ")) {
    char call[UNSEEN_CALL], name[UNSEEN_CALL];
    end = at + strcspn(at, ",");
    snprintf(call, sizeof call, "%.*s", (int)(end - at), at);
    demangle(call, name, sizeof name);
    n += (size_t)snprintf(out + n, size - n, "%s%s", told ? ", " : "", told < CALLS_TOLD ? name : "...");
    if (told++ == CALLS_TOLD)
      return;
  }
}

const char *loss_text(const struct session_result *r, const char *before, char out[LOSS_TEXT])
{
  size_t n = 0;
  char calls[LOSS_TEXT / 2] = "";
  name_unseen_calls(r->unseen_calls, calls, sizeof calls);
  out[0] = 0;
  for (unsigned i = 0; i < LOSS_COUNT && n < LOSS_TEXT; i++) {
    const char *names = i == LOSS_MODULES_BIT     ? r->unhooked
                        : i == LOSS_FUNCTIONS_BIT ? calls
                        : i == LOSS_CAUSALITY_BIT ? r->uncovered_text
                                                  : "";
    if (r->missed >> i & 1)
      n += (size_t)snprintf(out + n, LOSS_TEXT - n, "%s%s%s%s%s", n ? "; " : before, loss_sentence[i],
                            *names ? " (" : "", names, *names ? ")" : "");
  }
  return out;
}

void name_uncovered(struct session_result *r, struct symbols *symbols)
{
  const struct uncovered u = r->uncovered; /* the program may write over where it comes from */
  char place[256] = "";
  const char *call = u.kind == OP_SYSTEM ? system_call_name(u.length) : NULL;
  const char *step = u.kind < OP_COUNT && (u.pc || u.why == UNCOVERED_STEP) ? op_table[u.kind].name : "";
  const char *words = u.why < UNCOVERED_COUNT ? uncovered_words[u.why] : "";
  if (symbols && u.pc)
    symbols_format_place(symbols, u.pc, place, sizeof place);
  snprintf(r->uncovered_text, sizeof r->uncovered_text, "%s%s%s%s%s%s%s", step, call ? " " : "", call ? call : "",
           *place ? " at " : "", place, *step && *words ? ": " : "", words);
}

void print_unseen_assembly(const struct control *control)
{
  if (control && control->unseen_assembly[0])
    console_note("assembly that heddle does not understand accesses memory: %.*s", (int)sizeof control->unseen_assembly,
                 control->unseen_assembly);
}

void print_outside(const struct control *control, struct symbols *symbols)
{
  char thread[THREAD_NAME_SIZE], place[512] = "the program";
  struct schedule_thread threads[MAX_THREADS];
  const char *call = control->outside.call < 0 ? NULL : system_call_name(control->outside.call);
  uint32_t count = control->threads < MAX_THREADS ? control->threads : MAX_THREADS;
  for (uint32_t i = 0; i < count; i++)
    threads[i] =
        (struct schedule_thread){control->thread[i].parent, control->thread[i].nth, control->thread[i].process};
  thread_name(threads, count, control->outside.thread < count ? control->outside.thread : 0, thread, sizeof thread);
  char client[160];
  client_describe(control, client, sizeof client);
  if (symbols && control->outside.pc)
    symbols_format_place(symbols, control->outside.pc, place, sizeof place);
  bool told = control->outside.at[0];
  console_error("%s waits for %s (%s%s%s)%s%.*s; %s", thread,
                control->outside.process ? "another process" : "input from outside the program", call ? call : "",
                call ? ", " : "", place, told ? " at " : "", told ? (int)sizeof control->outside.at : 0,
                control->outside.at,
                control->outside.process ? "heddle does not control that yet"
                : *client                ? client
                                         : "start its client in the same program, or with --client");
}
