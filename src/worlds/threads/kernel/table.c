/* SPDX-License-Identifier: Apache-2.0
 *
 * The descriptors of a process: which number means which open file description. Numbers are given out as POSIX has it,
 * the lowest that is free. What is modelled has no descriptor of the kernel's; what is the kernel's (files, devices) is
 * moved to the number that the program is to see. Makes no step, and knows no kind of objects.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/kernel/inotify.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define FDS 65536
#define DESCRIPTIONS 8192
#define OPENINGS MAX_THREADS
#define KEPT_FROM 1100 /* numbers of the kernel's that programs hardly come to */

struct process_table {
  uint16_t description[FDS];        /* 0: none of this execution */
  uint64_t close_on_exec[FDS / 64]; /* of what is modelled; the kernel knows it of the rest */
  long end;                         /* none from there on */
};

static struct {
  struct process_table process[PROCESSES];
  struct description description[DESCRIPTIONS]; /* [0] is never used */
  unsigned end;
  struct {
    uint8_t process;
    int fd;
    uint16_t description;
  } opening[OPENINGS]; /* numbers that are taken, and mean nothing yet */
  unsigned openings;
  uint32_t numbers;
  struct vclock clock; /* of all that is the kernel's */
} state SYSTEM;

static struct {
  long limit;               /* of numbers; 0: not asked yet */
  uint64_t asked[FDS / 64]; /* whether the process was started with a descriptor of that number … */
  uint64_t inherited[FDS / 64];
} start;

/* Numbers mean what they mean to this process, or, while it looks at what another one's threads are about to do, to
 * that. */
static unsigned seen_as; /* + 1; 0: nobody else */

void numbers_of(unsigned process)
{
  seen_as = process + 1;
}

void numbers_of_own(void)
{
  seen_as = 0;
}

static struct process_table *own_table(void)
{
  return &state.process[seen_as ? seen_as - 1 : hd_own.process];
}

static bool bit(const uint64_t *set, long i)
{
  return set[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *set, long i, bool on)
{
  uint64_t one = UINT64_C(1) << (i % 64);
  set[i / 64] = on ? set[i / 64] | one : set[i / 64] & ~one;
}

/* ---- descriptions ---- */

struct description *description_at(uint16_t id)
{
  return &state.description[id];
}

uint16_t description_id(const struct description *d)
{
  return (uint16_t)(d - state.description);
}

struct description *description_of(long fd)
{
  if ((unsigned long)fd >= FDS || !own_table()->description[fd])
    return NULL;
  return &state.description[own_table()->description[fd]];
}

struct description *description_new(enum channel_kind kind, uint16_t channel, uint32_t flags)
{
  unsigned i = 1;
  while (i < state.end && state.description[i].references)
    i++;
  if (i == DESCRIPTIONS)
    fail(0, "the program has more than %u files and the like open at once; heddle has no room for more", DESCRIPTIONS);
  if (i == state.end)
    state.end++;
  state.description[i] = (struct description){
      .kind = kind, .references = 1, .channel = channel, .flags = flags, .number = ++state.numbers, .kept = -1};
  return &state.description[i];
}

void description_release(struct description *d)
{
  if (--d->references) {
    if (is_modelled(d) && hd_self)
      release_to(&channel_at(d->channel)->clock); /* who sees the end of it knows that all have closed it */
    return;
  }
  if (d->kept >= 0)
    sys(SYS_close, d->kept);
  if (is_modelled(d))
    rules_of(d)->close(d);
  else
    file_unlocked(d->number);
}

/* ---- numbers ---- */

static bool is_inherited(long fd)
{
  if (!bit(start.asked, fd)) {
    set_bit(start.asked, fd, true);
    set_bit(start.inherited, fd, sys(SYS_fcntl, fd, F_GETFD) >= 0);
  }
  return bit(start.inherited, fd);
}

/* Which of those being opened has this number here; OPENINGS: none. */
static unsigned opening_of(long fd)
{
  for (unsigned i = 0; i < state.openings; i++)
    if (state.opening[i].fd == (int)fd && &state.process[state.opening[i].process] == own_table())
      return i;
  return OPENINGS;
}

static bool is_free(long fd)
{
  if (own_table()->description[fd] || (state.openings && opening_of(fd) < OPENINGS))
    return false;
  return fd <= 2 ? standard_is_closed(fd) : !is_inherited(fd);
}

void descriptor_limit_changed(void)
{
  start.limit = 0;
}

static long limit(void)
{
  struct rlimit most = {FDS, FDS};
  if (!start.limit) {
    sys(SYS_prlimit64, 0L, RLIMIT_NOFILE, NULL, &most);
    start.limit = most.rlim_cur < FDS ? (long)most.rlim_cur : FDS;
  }
  return start.limit;
}

long number_free(long from)
{
  long most = limit();
  while (from < most && !is_free(from))
    from++;
  return from < most ? from : -EMFILE;
}

long numbers_end(void)
{
  return own_table()->end;
}

void number_set(long fd, struct description *d, bool close_on_exec)
{
  struct process_table *t = own_table();
  t->description[fd] = description_id(d);
  set_bit(t->close_on_exec, fd, close_on_exec);
  if (fd >= t->end)
    t->end = fd + 1;
}

long number_give(struct description *d, bool close_on_exec)
{
  long fd = number_free(0);
  if (fd < 0)
    description_release(d);
  else
    number_set(fd, d, close_on_exec);
  return fd;
}

void number_clear(long fd)
{
  struct description *d = description_of(fd);
  own_table()->description[fd] = 0;
  description_release(d);
}

long number_take(struct description *d)
{
  long fd = number_free(0);
  if (fd < 0 || state.openings == OPENINGS) {
    description_release(d);
    return -EMFILE;
  }
  state.opening[state.openings].process = hd_own.process;
  state.opening[state.openings].fd = (int)fd;
  state.opening[state.openings++].description = description_id(d);
  return fd;
}

static struct description *opening_over(unsigned i)
{
  struct description *d = description_at(state.opening[i].description);
  state.opening[i] = state.opening[--state.openings];
  return d;
}

long number_taken(long fd, long error, bool close_on_exec)
{
  struct description *d = opening_over(opening_of(fd));
  if (error)
    description_release(d);
  else
    number_set(fd, d, close_on_exec);
  return error ? error : fd;
}

/* The threads that were about to have them are gone. */
static void drop_openings(void)
{
  for (unsigned i = 0; i < state.openings; i++)
    if (&state.process[state.opening[i].process] == own_table())
      description_release(opening_over(i--));
}

bool closes_on_exec(long fd)
{
  return bit(own_table()->close_on_exec, fd);
}

void set_close_on_exec(long fd, bool closes)
{
  set_bit(own_table()->close_on_exec, fd, closes);
}

/* ---- the kernel's ---- */

bool descriptor_is_controlled(long fd)
{
  return description_of(fd);
}

bool descriptor_is_modelled(long fd)
{
  return is_modelled(description_of(fd));
}

bool descriptor_is_free(long fd)
{
  return fd >= 0 && fd < FDS && is_free(fd);
}

/* The kernel gave it the lowest number that it has free itself. Returns where it is now. */
static long move_to_number(long fd, long number)
{
  if (fd == number)
    return fd;
  long flags = sys(SYS_fcntl, fd, F_GETFD);
  long moved = sys(SYS_dup3, fd, number, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
  sys(SYS_close, fd);
  return moved == -EBADF ? -EMFILE : moved;
}

/* The kernel gives it out now, so nobody has inherited it. */
static void note_own(long fd)
{
  if (fd >= FDS)
    return;
  set_bit(start.asked, fd, true);
  set_bit(start.inherited, fd, false);
}

long descriptor_opened(long fd)
{
  if (fd < 0)
    return fd;
  note_own(fd);
  long number = number_free(0);
  if (number < 0)
    sys(SYS_close, fd);
  else
    number = move_to_number(fd, number);
  if (number >= 0)
    number_set(number, description_new(CHANNEL_NONE, 0, 0), false);
  return number;
}

void descriptor_inherited_closed(long fd)
{
  if (fd >= 0 && fd < FDS)
    set_bit(start.inherited, fd, false);
}

uint32_t descriptor_description(long fd)
{
  const struct description *d = description_of(fd);
  return d ? d->number : 0;
}

long descriptor_next(long fd)
{
  for (fd++; fd < own_table()->end; fd++)
    if (own_table()->description[fd])
      return fd;
  return -1;
}

void descriptor_closed(long fd)
{
  number_clear(fd);
}

void numbers_become_real(struct description *d, long fd)
{
  struct process_table *t = own_table();
  long high = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM);
  sys(SYS_close, fd);
  for (long i = 0; i < t->end; i++)
    if (description_of(i) == d)
      sys(SYS_dup3, high, i, closes_on_exec(i) ? O_CLOEXEC : 0);
  sys(SYS_close, high);
}

/* ---- duplicates ---- */

/* Of one of the kernel's: a number from there on, or that very one. */
static long duplicate_real(long fd, long at, bool very, bool close_on_exec)
{
  struct description *d = description_of(fd);
  long number = very ? at : number_free(at);
  if (number < 0)
    return number;
  notice_closing(number);
  records_unlocked(number);
  long result = sys(SYS_dup3, fd, number, close_on_exec ? O_CLOEXEC : 0);
  if (result < 0 || result >= FDS)
    return result;
  if (description_of(number))
    number_clear(number);
  if (d)
    d->references++;
  number_set(number, d ? d : description_new(CHANNEL_NONE, 0, 0), false);
  return number;
}

long duplicate(long fd, long at_least, bool close_on_exec, uintptr_t pc)
{
  struct description *d = description_of(fd);
  if (at_least < 0 || at_least >= limit())
    return -EINVAL;
  if (descriptor_is_standard(fd) && !standard_is_closed(fd)) {
    long number = number_free(at_least);
    if (number >= 0)
      number_set(number, standard_copy(fd, pc), close_on_exec);
    return number;
  }
  if (!is_modelled(d))
    return sys(SYS_fcntl, fd, F_GETFD) < 0 ? -EBADF : duplicate_real(fd, at_least, false, close_on_exec);
  long number = number_free(at_least);
  if (number < 0)
    return number;
  d->references++;
  number_set(number, d, close_on_exec);
  return number;
}

long duplicate_to(long fd, long to, bool close_on_exec, uintptr_t pc)
{
  struct description *d = description_of(fd), *old = description_of(to);
  if (to < 0 || to >= limit())
    return -EBADF;
  if (!is_modelled(d) && sys(SYS_fcntl, fd, F_GETFD) < 0)
    return -EBADF;
  if (fd == to)
    return to;
  if (opening_of(to) < OPENINGS)
    return -EBUSY;
  if (!d && descriptor_is_standard(fd) && !standard_is_closed(fd)) {
    d = standard_copy(fd, pc);
    d->references--; /* that of the number, below */
  }
  if (!old && to > 2 && in_place() && is_inherited(to))
    change_reset(RESET_FORK, pc, "the program replaces a descriptor it was started with");
  if (!old && to <= 2 && !standard_is_closed(to))
    standard_close(to);
  if (!is_modelled(d)) {
    if (is_modelled(old))
      number_clear(to);
    return duplicate_real(fd, to, true, close_on_exec);
  }
  d->references++;
  notice_closing(to);
  records_unlocked(to);
  if (old && !is_modelled(old))
    sys(SYS_close, to);
  if (old)
    number_clear(to);
  number_set(to, d, close_on_exec);
  return to;
}

/* ---- a descriptor of the kernel's on its way in a message ---- */

uint16_t description_to_send(long fd)
{
  struct description *d = description_of(fd);
  if (!d && sys(SYS_fcntl, fd, F_GETFD) < 0)
    return 0;
  if (!d)
    d = description_new(CHANNEL_NONE, 0, 0);
  else
    d->references++;
  if (!is_modelled(d) && d->kept < 0)
    d->kept = (int)sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM);
  return description_id(d);
}

long description_received(uint16_t id, bool close_on_exec)
{
  struct description *d = description_at(id);
  long number = number_free(0);
  if (number >= 0 && !is_modelled(d))
    number = sys(SYS_dup3, d->kept, number, close_on_exec ? O_CLOEXEC : 0);
  if (number < 0)
    description_release(d);
  else
    number_set(number, d, close_on_exec);
  return number;
}

/* ---- what one thread writes and another reads orders the two ---- */

void descriptor_released(long fd)
{
  struct description *d = description_of(fd);
  if (rt.engine->threads > 1)
    release_to(is_modelled(d) ? &channel_at(d->channel)->clock : &state.clock);
}

void descriptor_acquired(long fd)
{
  struct description *d = description_of(fd);
  if (rt.engine->threads > 1)
    acquire_from(is_modelled(d) ? &channel_at(d->channel)->clock : &state.clock);
}

void descriptors_acquired(void)
{
  if (rt.engine->threads > 1)
    acquire_from(&state.clock);
}

/* ---- the next execution ---- */

/* What is the kernel's is closed by whoever has it: this process, or it ends. */
static void close_all(void)
{
  for (unsigned p = 0; p < rt.engine->processes; p++) {
    struct process_table *t = &state.process[p];
    for (long fd = 0; fd < t->end; fd++) {
      uint16_t id = t->description[fd];
      if (p == 0 && id && !is_modelled(&state.description[id]))
        sys(SYS_close, fd);
      t->description[fd] = 0;
    }
    t->end = 0;
  }
  for (unsigned i = 1; i < state.end; i++) {
    if (state.description[i].references && state.description[i].kept >= 0)
      sys(SYS_close, state.description[i].kept);
    state.description[i].references = 0;
  }
  state.end = 1;
  state.numbers = state.openings = 0;
  vclock_clear(&state.clock);
}

void descriptors_begin(void)
{
  state.end = 1;
  kernel_reset();
}

void descriptors_boot(void)
{
  fill_bytes(start.asked, 0, sizeof start.asked);
  start.limit = 0;
}

void descriptors_reset(void)
{
  if (state.end > 1) {
    close_all();
    descriptor_waits_reset();
    kernel_reset();
  }
  standard_reset(); /* only now are their numbers free */
}

/* ---- other processes ---- */

void descriptors_fork(unsigned process, unsigned copy)
{
  struct process_table *from = &state.process[process], *to = &state.process[copy];
  for (long fd = 0; fd < from->end; fd++) {
    to->description[fd] = from->description[fd];
    if (to->description[fd])
      state.description[to->description[fd]].references++;
  }
  copy_bytes(to->close_on_exec, from->close_on_exec, sizeof to->close_on_exec);
  to->end = from->end;
}

/* Its process stays until the execution ends (turn.c), but others wait for that: FIFOs, locks of files. */
static void close_of_kernel(long fd)
{
  if (is_modelled(description_of(fd)))
    return;
  fifo_closed(fd);
  notice_closing(fd);
  records_unlocked(fd);
  sys(SYS_close, fd);
}

void descriptors_process_ended(unsigned process)
{
  numbers_of(process);
  for (long fd = 0; fd < own_table()->end; fd++)
    if (description_of(fd)) {
      close_of_kernel(fd);
      number_clear(fd);
    }
  drop_openings();
  numbers_of_own();
  kernel_state_changed();
  pending_refresh();
}

void descriptors_exec(void)
{
  for (long fd = 0; fd < own_table()->end; fd++) {
    const struct description *d = description_of(fd);
    bool closes = d && (is_modelled(d) ? closes_on_exec(fd) : sys(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC);
    if (closes) {
      close_of_kernel(fd);
      number_clear(fd);
    }
  }
  drop_openings();
  kernel_state_changed();
  pending_refresh();
}
