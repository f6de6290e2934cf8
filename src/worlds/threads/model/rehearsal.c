/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX allows a wait on a condition variable to end though nobody signalled, so what it is for is looked at again, in
 * a loop. A search does not try such ends (unless with --spurious), and where they could make a difference, its end is
 * no proof.
 *
 * What the thread would do is rehearsed, by a copy of the process: there the call returns at once, and the thread alone
 * goes on, until it waits again, as it was, with nothing changed but what is on its own stack; or is about to do
 * anything that others could see. If it waits again, such an end makes no difference in one of two cases.
 *
 * - The thread could as well have come to the mutex only then. Nobody saw that it came before, since from when it took
 * the mutex it has only read (its section); and when the wait is over it reads the same in the same order, so it is the
 *   same piece of the program, which would have seen the same if it had come later, when others had written something.
 * - Or what it reads then is as it was whenever it could end so: whoever changes it signals before he gives the mutex
 * back.
 *
 * A rehearsal stands for all waits at the same place with the same section and the same variables of the thread.
 * Nothing of the copy stays, so that executions are as they are without.
 *
 * If it is back twice in a row as it was the time before, it will be back always: the first time a variable may have
 * got its first value, such as the result of the rehearsal.
 */
#include "worlds/threads/model/rehearsal.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/spinning.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PLACES 1024 /* a power of two, of which half are used */
#define READS 6     /* of a wait that others can tell from one that begins later */
#define ROUNDS 3
#define STEPS 100000
#define COMES_BACK 77 /* its status; any other means that it does not; */
#define AS_IT_CAME 78 /* and this, that it read what it had read in its section */

bool rehearsing;

/* What a thread reads when its wait is over. */
struct later_read {
  uintptr_t addr;
  uint64_t size, value;
};
struct later_reads {
  uint32_t count; /* more than READS: not all are here */
  struct later_read look[READS];
};

static struct {
  uint64_t key[PLACES];
  bool as_it_came[PLACES];
  struct later_reads looks[PLACES];
  uint32_t used;
} rehearsed SYSTEM;

static struct {
  uint32_t condition, steps, rounds;
  uintptr_t pc;
  uint64_t state, section;   /* the section's: what it had read */
  struct later_reads *looks; /* shared with whoever has it rehearsed */
} rehearsal;

static _Noreturn void leave_with(int status)
{
  for (;;)
    sys(SYS_exit_group, status);
}

void rehearsal_ends(void)
{
  leave_with(0);
}

/* ---- in the copy ---- */

/* It has all that it is made of for itself; and an end, if it does not come to one. */
static void be_copy(void)
{
  const struct rlimit most = {1, 1};
  sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  sys(SYS_prlimit64, 0, RLIMIT_CPU, &most, NULL);
  if (!system_memory_is_own() || !shadow_is_own())
    rehearsal_ends();
  rehearsing = true;
  filter_again();
  memory_steps_everywhere();
}

/* The wait is over, once more. */
static bool come_back(uintptr_t pc)
{
  struct section *section = &self_thread()->section;
  const uint64_t state = local_state(pc);
  if (!state || rehearsal.rounds == ROUNDS)
    rehearsal_ends();
  if (rehearsal.rounds && state == rehearsal.state)
    leave_with(section->read == rehearsal.section ? AS_IT_CAME : COMES_BACK);
  if (!rehearsal.rounds++)
    rehearsal.section = section->read;
  rehearsal.state = state;
  rehearsal.looks->count = 0;
  section->read = 0;
  return true;
}

/* Whoever comes for a mutex that is held for a moment is only later, and what it does then is looked at again. */
static bool is_harmless(const struct operation *op)
{
  if (op->kind == OP_MUTEX_LOCK || op->kind == OP_MUTEX_UNLOCK)
    return world_enabled(self_index(), op);
  const bool own = op->addr - hd_self->stack_low < hd_self->stack_size;
  return op_is_access(op->kind) && (!op_writes_memory(op->kind) || (own && op->traits & OP_PRIVATE));
}

static uint64_t value_at(uintptr_t addr, uint64_t size)
{
  uint64_t value = 0;
  copy_bytes(&value, (const void *)addr, size < sizeof value ? size : sizeof value);
  return value;
}

static void note_look(struct later_reads *looks, const struct operation *op)
{
  if (looks->count < READS && op->length <= sizeof(uint64_t))
    looks->look[looks->count++] = (struct later_read){op->addr, op->length, value_at(op->addr, op->length)};
  else
    looks->count = READS + 1;
}

void rehearsal_step(const struct operation *op)
{
  if (!is_harmless(op) || ++rehearsal.steps == STEPS)
    rehearsal_ends();
  if (op_is_access(op->kind) && !op_writes_memory(op->kind) && !(op->traits & OP_PRIVATE))
    note_look(rehearsal.looks, op);
  section_step(&self_thread()->section, op);
}

/* ---- what was rehearsed ---- */

/* Callers of a function that waits for them are told apart by where they are on the stack. */
static uint64_t key_of(uintptr_t pc)
{
  const uintptr_t high = hd_self->stack_low + hd_self->stack_size;
  const uint64_t place =
      mix64(stable_place(place_in_program(pc)) ^ mix64(high - (uintptr_t)__builtin_frame_address(0)));
  return mix64(place ^ mix64(self_thread()->section.read ^ mix64(local_state(pc)))) | 1;
}

/* All of it can be looked at, and is as it was. */
static bool are_as_they_were(const struct later_reads *looks)
{
  for (uint32_t i = 0; i < looks->count; i++) {
    const struct later_read *l = &looks->look[i];
    if (!memory_is_readable(l->addr) || value_at(l->addr, l->size) != l->value)
      return false;
  }
  return true;
}

/* Where what was rehearsed of the wait is, or could be. */
static uint32_t find(uint64_t key, bool told)
{
  uint32_t at = key >> 32 & (PLACES - 1);
  while (rehearsed.key[at] &&
         (rehearsed.key[at] != key || ((told || !rehearsed.as_it_came[at]) && !are_as_they_were(&rehearsed.looks[at]))))
    at = (at + 1) & (PLACES - 1);
  return at;
}

/* Its status. */
static int have_it_rehearsed(uint32_t condition, uintptr_t pc, struct later_reads *looks)
{
  int status = 0;
  const long copy = sys(SYS_clone, 0L, 0L, 0L, 0L, 0L);
  if (copy == 0) {
    be_copy();
    rehearsal.condition = condition;
    rehearsal.pc = pc;
    rehearsal.looks = looks;
    come_back(pc);
    return 0;
  }
  while (copy > 0 && sys(SYS_wait4, copy, &status, __WCLONE, NULL) < 0)
    ;
  return copy > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void rehearse(uint32_t at, uint64_t key, uint32_t condition, uintptr_t pc)
{
  const long shared =
      sys(SYS_mmap, 0L, sizeof(struct later_reads), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
  if (shared < 0 || rehearsed.used == PLACES / 2) {
    lose(LOST_UNASKED);
    return;
  }
  struct later_reads *looks = (struct later_reads *)shared;
  const int status = have_it_rehearsed(condition, pc, looks);
  if (rehearsing)
    return;
  if (status == COMES_BACK || status == AS_IT_CAME) {
    rehearsed.key[at] = key;
    rehearsed.as_it_came[at] = status == AS_IT_CAME;
    rehearsed.looks[at] = *looks;
    rehearsed.used++;
  } else {
    lose(LOST_UNASKED);
  }
  sys(SYS_munmap, shared, sizeof *looks);
}

bool rehearsal_of_wait(uint32_t condition, uint32_t mutex, uintptr_t pc)
{
  if (unlikely(rehearsing)) {
    if (rehearsal.condition != condition || rehearsal.pc != pc)
      rehearsal_ends();
    return come_back(pc);
  }
  struct section *section = &self_thread()->section;
  section->looks = 0;
  if (!rt.engine->strategy->exhaustive || rt.control->config.spurious || rt.control->losses & LOST_UNASKED ||
      rt.engine->threads == 1)
    return false;
  bool told = section->told || section->mutex != mutex;
  const uint64_t key = key_of(pc);
  const uint32_t at = find(key, told);
  if (!rehearsed.key[at])
    rehearse(at, key, condition, pc);
  if (rehearsing)
    return true;
  if (rt.control->losses & LOST_UNASKED || (!told && rehearsed.as_it_came[at]))
    return false;
  if (rehearsed.looks[at].count > READS)
    lose(LOST_UNASKED);
  section->looks = at + 1;
  section->mutex = mutex;
  section->condition = condition;
  object_by_id(mutex)->looked_behind = true;
  return false;
}

/* ---- what others can tell ---- */

void section_begin(uint32_t mutex)
{
  self_thread()->section = (struct section){.mutex = mutex};
}

void section_step(struct section *section, const struct operation *op)
{
  const enum op_kind kind = (enum op_kind)op->kind;
  if (op->traits & OP_PRIVATE)
    return;
  if (op_is_access(kind) && !op_writes_memory(kind))
    section->read = mix64(section->read ^ mix64(op->addr + ((uint64_t)op->length << 56)));
  else if (kind != OP_MUTEX_LOCK && kind != OP_COND_WAIT && kind != OP_YIELD)
    section->told = true;
}

void sections_compare(const struct object *mutex)
{
  for (unsigned t = 0; t < rt.engine->threads && mutex->looked_behind; t++) {
    const struct section *section = &rt.thread[t].section;
    if (section->looks && section->mutex == mutex->id &&
        !threadset_has(&object_by_id(section->condition)->signalled, t) &&
        !are_as_they_were(&rehearsed.looks[section->looks - 1]))
      lose(LOST_UNASKED);
  }
}
