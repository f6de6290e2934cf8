/* SPDX-License-Identifier: Apache-2.0
 *
 * Futures that become ready when a thread ends (set_value_at_thread_exit() and its kin): the C++ library stores that in
 * code that has no hooks. All else of futures is compiled into the program. What the library registers for the end of
 * the thread is ours here, and takes the same steps as its own.
 */
#include "worlds/threads/libc/announce.h"

/* The library's binary interface: what a shared state begins with, who owns it, and what the thread will do. */
struct state {
  const void *functions;
  void *result;
  uint32_t ready;
};

#define WAITED_FOR UINT32_C(0x80000000) /* in ready */

struct owners {
  const struct owners_functions *functions;
  int32_t count, watchers; /* the owners together are one of these */
};

struct owners_functions {
  void (*destructors[2])(struct owners *owners);
  void (*dispose)(struct owners *owners);
  void (*destroy)(struct owners *owners);
};

struct duty {
  struct duty *next;
  void (*perform)(void *duty);
  struct state *state;
  struct owners *owners;
};

#define NOTIFY_ALL _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj
#define SET _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv
#define LIBRARY(name) REAL(name) /* which makes a text of the name */

void NOTIFY_ALL(uint32_t *word);
void _ZdlPv(void *memory);

/* Whether it was the last one. */
static bool lets_go(int32_t *count)
{
  updates_atomically(count, sizeof *count, CALLER());
  return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Nobody owns the state any more where there is no owner left. */
static bool becomes_owner(struct owners *owners)
{
  updates_atomically(&owners->count, sizeof owners->count, CALLER());
  int32_t count = __atomic_load_n(&owners->count, __ATOMIC_RELAXED);
  while (count &&
         !__atomic_compare_exchange_n(&owners->count, &count, count + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
  return count;
}

static void stops_watching(struct owners *owners)
{
  if (lets_go(&owners->watchers))
    owners->functions->destroy(owners);
}

static void makes_ready(struct state *state, struct owners *owners)
{
  updates_atomically(&state->ready, sizeof state->ready, CALLER());
  if (__atomic_exchange_n(&state->ready, 1, __ATOMIC_RELEASE) & WAITED_FOR)
    LIBRARY(NOTIFY_ALL)(&state->ready);
  if (!lets_go(&owners->count))
    return;
  owners->functions->dispose(owners);
  stops_watching(owners);
}

static void perform(void *of)
{
  struct duty *duty = of;
  struct owners *owners = duty->owners;
  if (owners && becomes_owner(owners))
    makes_ready(duty->state, owners);
  if (owners)
    stops_watching(owners);
  _ZdlPv(duty); /* operator delete */
}

void SET(struct duty *duty);
EXPORT void SET(struct duty *duty)
{
  LIBRARY(SET)(duty);
  if (hd_self)
    duty->perform = perform;
}
