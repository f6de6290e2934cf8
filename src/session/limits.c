/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header.
 */
#include "session/limits.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define STACK (8 << 20) /* as is usual; libdw takes a good part of it for large programs */
#define ENOUGH 8192     /* for the most workers there can be, and what else is open */

static struct rlimit users; /* of open files */
static bool raised;

void limits_raise(void)
{
  if (getrlimit(RLIMIT_NOFILE, &users) != 0 || users.rlim_cur >= ENOUGH)
    return;
  struct rlimit more = {users.rlim_max < ENOUGH ? users.rlim_max : ENOUGH, users.rlim_max};
  raised = setrlimit(RLIMIT_NOFILE, &more) == 0;
}

/* ---- the stack ---- */

static struct {
  int (*run)(int, char **);
  int argc;
  char **argv;
  int result;
  ucontext_t before, inside;
} call;

static void run_call(void)
{
  call.result = call.run(call.argc, call.argv);
}

int limits_with_stack(int (*run)(int, char **), int argc, char **argv)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK)
    return run(argc, argv);
  void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || getcontext(&call.inside) != 0)
    return run(argc, argv);
  call.run = run;
  call.argc = argc;
  call.argv = argv;
  call.inside.uc_stack.ss_sp = stack;
  call.inside.uc_stack.ss_size = STACK;
  call.inside.uc_link = &call.before;
  makecontext(&call.inside, run_call, 0);
  return swapcontext(&call.before, &call.inside) == 0 ? call.result : run(argc, argv);
}

/* ---- what the program gets back ---- */

void limits_restore(void)
{
  if (raised)
    setrlimit(RLIMIT_NOFILE, &users);
}
