/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard input and output, which are heddle's: what the program reads is part of the job, what it writes goes to the
 * control block. Their numbers may be closed and given to others, until the end of the execution. Takes no step and
 * waits for nothing.
 */
#include "worlds/threads/system/standard.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/system/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define KEPT_FROM 900 /* numbers that programs hardly come to */

static struct {
  uint64_t closed;      /* by the program */
  int kept[3];          /* what those were, under other numbers */
  uint64_t nonblocking; /* made so by the program */
  uint64_t until_exec;  /* likewise: another program does not get them */
} state;

bool descriptor_is_standard(long fd)
{
  return fd >= 0 && fd <= 2 && !descriptor_is_controlled(fd);
}

bool descriptors_have_room_at_standard(void)
{
  return state.closed;
}

bool standard_is_closed(long fd)
{
  return state.closed >> fd & 1;
}

void output_write(const void *data, size_t size)
{
  struct control *c = rt.control;
  if (c->output_bytes >= CONTROL_SIZE_OF(OUTPUT))
    return;
  if (size > CONTROL_SIZE_OF(OUTPUT) - c->output_bytes)
    size = CONTROL_SIZE_OF(OUTPUT) - c->output_bytes;
  copy_bytes(CONTROL_AT(c, CONTROL_OUTPUT_OFFSET + c->output_bytes), data, size);
  c->output_bytes += size;
}

size_t standard_take_input(void *to, size_t size)
{
  const struct job *job = &rt.engine->job;
  uint64_t left = job->bytes[JOB_INPUT] - rt.input_at;
  if (size > left)
    size = left;
  copy_bytes(to, (const char *)job->part[JOB_INPUT] + rt.input_at, size);
  rt.input_at += size;
  return size;
}

long standard_read(const struct call *c)
{
  long fd = c->arg[0];
  if (standard_is_closed(fd) || fd != 0)
    return -EBADF;
  if (c->number == SYS_read)
    return (long)standard_take_input((void *)c->arg[1], (size_t)c->arg[2]);
  long total = 0;
  const struct iovec *v = (const struct iovec *)c->arg[1];
  for (long i = 0; i < c->arg[2]; i++)
    total += (long)standard_take_input(v[i].iov_base, v[i].iov_len);
  return total;
}

long standard_write(const struct call *c)
{
  long fd = c->arg[0];
  if (standard_is_closed(fd) || fd == 0)
    return -EBADF;
  if (c->number == SYS_write) {
    output_write((void *)c->arg[1], (size_t)c->arg[2]);
    return c->arg[2];
  }
  long total = 0;
  const struct iovec *v = (const struct iovec *)c->arg[1];
  for (long i = 0; i < c->arg[2]; i++) {
    output_write(v[i].iov_base, v[i].iov_len);
    total += (long)v[i].iov_len;
  }
  return total;
}

/* About to open one, with a footprint that does not have the number that is free now. */
static bool somebody_opens(void)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *op = &e->thread[t].pending;
    if (t != e->current && e->thread[t].alive && op->kind == OP_SYSTEM && op->addr & SYSTEM_DESCRIPTORS &&
        !(op->addr & SYSTEM_STANDARD))
      return true;
  }
  return false;
}

long standard_close(long fd)
{
  if (standard_is_closed(fd))
    return -EBADF;
  if (somebody_opens())
    lose(LOST_CALLS);
  state.closed |= UINT64_C(1) << fd;
  state.kept[fd] = (int)sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM); /* its number is free for others now */
  return sys(SYS_close, fd);
}

static long standard_closes_on_exec(const struct call *c)
{
  uint64_t bit = UINT64_C(1) << c->arg[0];
  long result = sys(SYS_fcntl, c->arg[0], c->arg[1], c->arg[2]);
  if (result >= 0 && c->arg[1] == F_SETFD)
    state.until_exec = c->arg[2] & FD_CLOEXEC ? state.until_exec | bit : state.until_exec & ~bit;
  return result;
}

/* Flags of the standard descriptors are the program's own affair: behind them is no file to block on. */
long standard_flags(const struct call *c)
{
  if (c->arg[1] == F_GETFD || c->arg[1] == F_SETFD)
    return standard_closes_on_exec(c);
  long flags = sys(SYS_fcntl, c->arg[0], F_GETFL);
  if (flags >= 0 && c->arg[1] == F_GETFL)
    return (flags & ~O_NONBLOCK) | (state.nonblocking >> c->arg[0] & 1 ? O_NONBLOCK : 0);
  if (flags < 0)
    return flags;
  uint64_t bit = UINT64_C(1) << c->arg[0];
  state.nonblocking = c->arg[2] & O_NONBLOCK ? state.nonblocking | bit : state.nonblocking & ~bit;
  return 0;
}

void standard_reset(void)
{
  for (long fd = 0; fd <= 2; fd++)
    if (standard_is_closed(fd) && state.kept[fd] >= 0) {
      sys(SYS_dup2, state.kept[fd], fd);
      sys(SYS_close, state.kept[fd]);
    }
  for (long fd = 0; fd <= 2; fd++)
    if (state.until_exec >> fd & 1)
      sys(SYS_fcntl, fd, F_SETFD, 0L);
  state.closed = state.nonblocking = state.until_exec = 0;
}

void standard_go_on(void)
{
  for (long fd = 0; fd <= 2; fd++)
    if (sys(SYS_fcntl, fd, F_GETFD) < 0) {
      state.closed |= UINT64_C(1) << fd;
      state.kept[fd] = -1;
    }
}
