/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs when the program ends: the functions of atexit() and its kin, destructors of static objects among them.
 * libc takes one after the other from its list, and threads that end the program at the same time share it; so each
 * time one is taken is a step. The end itself is in loop.c.
 */
#include "worlds/threads/libc/exit_handlers.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/runtime.h"
#include <stdlib.h>

#define HANDLERS 4096

static struct handler {
  void (*at_exit)(void *);
  void (*on_exit)(int, void *);
  void *arg;
} handlers[HANDLERS];
static unsigned used, kept; /* kept: from before main, for every execution */

void exit_handlers_keep(void)
{
  kept = used;
}

void exit_handlers_reset(void)
{
  used = kept;
}

/* Where it is remembered; NULL if there is no room, or nobody who would want to know. */
static struct handler *remember(struct handler h)
{
  if (!hd_own.session || used == HANDLERS)
    return NULL;
  handlers[used] = h;
  return &handlers[used++];
}

static void run_at_exit(void *arg)
{
  const struct handler *h = arg;
  h->at_exit(h->arg);
  hidden_state_takes_handler((uintptr_t)h->at_exit);
}

static void run_on_exit(int status, void *arg)
{
  const struct handler *h = arg;
  h->on_exit(status, h->arg);
  hidden_state_takes_handler((uintptr_t)h->on_exit);
}

int __cxa_atexit(void (*function)(void *), void *arg, void *module);
EXPORT int __cxa_atexit(void (*function)(void *), void *arg, void *module)
{
  hidden_state_takes_handler(CALLER());
  struct handler *h = remember((struct handler){.at_exit = function, .arg = arg});
  return REAL(__cxa_atexit)(h ? run_at_exit : function, h ? h : arg, module);
}

int __cxa_at_quick_exit(void (*function)(void *), void *module);
EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *module)
{
  hidden_state_takes_handler(CALLER());
  return REAL(__cxa_at_quick_exit)(function, module);
}

EXPORT int on_exit(void (*function)(int, void *), void *arg)
{
  hidden_state_takes_handler(CALLER());
  struct handler *h = remember((struct handler){.on_exit = function, .arg = arg});
  return REAL(on_exit)(h ? run_on_exit : function, h ? h : arg);
}

EXPORT void exit(int status)
{
  hidden_state_takes_handler(CALLER());
  REAL(exit)(status);
  __builtin_unreachable();
}

EXPORT void quick_exit(int status)
{
  hidden_state_takes_handler(CALLER());
  REAL(quick_exit)(status);
  __builtin_unreachable();
}
