/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rules; texts, and running them.
 */
#include "lint/lint_rules.h"
#include "lint/lint.h"
#include <limits.h>
#include <string.h>

#define ABOUT_LOOPS                                                                                                    \
  "The loop, the calls from it to the creation, and the condition under which the creation is reached are read from "  \
  "the source. The condition must have a part that can hold only so often: a number that runs towards a constant, a "  \
  "flag that the loop turns over, a collection that it empties, a pointer that it sets once; or the loop walks "       \
  "through something finite. Where no such pattern fits, nobody meant a bound. "

const struct lint_rule lint_rules[LINT_RULES] = {
    {"unbounded-threads", true, "Threads are created in a loop without a bound.",
     ABOUT_LOOPS "A server that starts a thread for each request without a limit becomes slow or dies under load. Two "
                 "verdicts are given: of all threads, and of those at the same time, which a semaphore, a counter "
                 "with a limit or a join in the same turn can bound; only if neither has a bound it is a finding.",
     "Refuse or wait when there are too many: a counter under a lock that is compared with a limit and counted down "
     "when a thread ends, a semaphore with a slot for each thread, or a pool of threads that is made once.",
     "thread creation in a loop without bound", WORD_THREAD, WORD_JOIN, creation_run},
    {"unbounded-processes", false, "Processes are created in a loop without a bound.",
     ABOUT_LOOPS "A server that forks for each request without a limit can be brought down by anybody who connects.",
     "Count the children, count down when one is reaped, and refuse or wait at a limit.",
     "process creation in a loop without bound", WORD_PROCESS, WORD_REAP, creation_run},
    {"unbounded-sockets", false, "Sockets are opened in a loop without a bound.",
     ABOUT_LOOPS "Each connection takes a descriptor, of which there are not many.",
     "Stop accepting at a limit, and close connections that are idle.", "sockets are opened in a loop without bound",
     WORD_SOCKET, WORD_CLOSE, creation_run},
    {"unbounded-files", false, "Files are opened in a loop without a bound.",
     ABOUT_LOOPS "Each open file takes a descriptor, of which there are not many.",
     "Close each file in the turn of the loop that opened it.", "files are opened in a loop without bound", WORD_OPEN,
     WORD_CLOSE, creation_run},
    {"unbounded-memory", false, "Memory is allocated in a loop without a bound.",
     ABOUT_LOOPS "What grows with what others send must have a limit.",
     "Free it in the same turn, or bound the collection that it is put into.",
     "memory is allocated in a loop without bound", WORD_MEMORY, WORD_FREE, creation_run},
};

const char *lint_rule_name(unsigned rule)
{
  return lint_rules[rule].name;
}

unsigned lint_rule_by_name(const char *name)
{
  for (unsigned i = 0; i < LINT_RULES; i++)
    if (!strcmp(lint_rules[i].name, name))
      return i;
  return UINT_MAX;
}

bool lint_run(const struct whole_program *program, const struct lint_choice *choice, struct findings *findings)
{
  bool good = true;
  for (unsigned i = 0; good && i < LINT_RULES; i++)
    if (choice->rules >> i & 1)
      good = lint_rules[i].run(program, choice, i, findings);
  good &= !findings->failed;
  if (good)
    findings_sort(findings);
  return good;
}
