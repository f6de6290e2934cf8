/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of <aio.h>, which libc performs by threads of its own; here by tasks (aio_requests.c). Results are kept
 * where libc keeps them, in the control block.
 */
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/aio_requests.h"
#include "worlds/threads/system/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

/* Also by the name that programs with 64 bit offsets use: the structures are the same. */
#define WIDE(name) __asm__(".globl " #name "64\n.type " #name "64, @function\n.set " #name "64, " #name);

/* What the program says in it; the rest is ours. */
static void reads_block(const struct aiocb *block, uintptr_t pc)
{
  reads_for(block, offsetof(struct aiocb, __next_prio), pc);
  reads_for(&block->aio_offset, sizeof block->aio_offset, pc);
}

static int submit(struct aiocb *block, int operation, bool sync, uintptr_t pc)
{
  reads_block(block, pc);
  return aio_submit(block, operation, sync, NULL, pc) ? 0 : -1;
}

static int failed(int error)
{
  errno = error;
  return -1;
}

EXPORT int aio_read(struct aiocb *block)
{
  return hd_self ? submit(block, LIO_READ, false, CALLER()) : REAL(aio_read)(block);
}
WIDE(aio_read)

EXPORT int aio_write(struct aiocb *block)
{
  return hd_self ? submit(block, LIO_WRITE, false, CALLER()) : REAL(aio_write)(block);
}
WIDE(aio_write)

EXPORT int aio_fsync(int operation, struct aiocb *block)
{
  if (!hd_self)
    return REAL(aio_fsync)(operation, block);
  if (operation != O_SYNC && operation != O_DSYNC)
    return failed(EINVAL);
  long flags = sys(SYS_fcntl, block->aio_fildes, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    return failed(EBADF);
  return submit(block, operation, true, CALLER());
}
WIDE(aio_fsync)

EXPORT int aio_error(const struct aiocb *block)
{
  if (hd_self)
    aio_look(block, CALLER());
  return hd_self ? block->__error_code : REAL(aio_error)(block);
}
WIDE(aio_error)

EXPORT ssize_t aio_return(struct aiocb *block)
{
  if (hd_self)
    aio_look(block, CALLER());
  return hd_self ? block->__return_value : REAL(aio_return)(block);
}
WIDE(aio_return)

EXPORT int aio_suspend(const struct aiocb *const blocks[], int count, const struct timespec *timeout)
{
  if (!hd_self)
    return REAL(aio_suspend)(blocks, count, timeout);
  if (count < 0)
    return failed(EINVAL);
  reads_for(blocks, (size_t)count * sizeof *blocks, CALLER());
  reads_for(timeout, sizeof *timeout, CALLER());
  if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000))
    return failed(EINVAL);
  int64_t deadline = timeout ? (int64_t)rt.now + timeout->tv_sec * 1000000000 + timeout->tv_nsec : -1;
  int error = aio_wait(blocks, count, false, deadline, CALLER());
  return error ? failed(error) : 0;
}
WIDE(aio_suspend)

EXPORT int aio_cancel(int fd, struct aiocb *block)
{
  if (!hd_self)
    return REAL(aio_cancel)(fd, block);
  if (!descriptor_is_modelled(fd) && sys(SYS_fcntl, fd, F_GETFL) < 0)
    return failed(EBADF);
  if (block && block->aio_fildes != fd)
    return failed(EINVAL);
  return aio_cancel_requests(fd, block, CALLER());
}
WIDE(aio_cancel)

/* How many are to be done. */
static uint32_t count_requests(struct aiocb *const *blocks, int count)
{
  uint32_t n = 0;
  for (int i = 0; i < count; i++)
    n += blocks[i] && blocks[i]->aio_lio_opcode != LIO_NOP;
  return n;
}

static bool all_went_well(struct aiocb *const *blocks, int count)
{
  for (int i = 0; i < count; i++)
    if (blocks[i] && blocks[i]->aio_lio_opcode != LIO_NOP && blocks[i]->__error_code)
      return false;
  return true;
}

/* All, and one more member of the group until they are submitted. False: one was refused. */
static bool submit_all(struct aiocb *const *blocks, int count, struct aio_group *group, uintptr_t pc)
{
  bool all = true;
  for (int i = 0; i < count; i++) {
    if (!blocks[i] || blocks[i]->aio_lio_opcode == LIO_NOP)
      continue;
    reads_block(blocks[i], pc);
    bool done = aio_submit(blocks[i], blocks[i]->aio_lio_opcode, false, group, pc);
    group->left -= !done;
    all &= done;
  }
  return all;
}

EXPORT int lio_listio(int mode, struct aiocb *const blocks[], int count, struct sigevent *event)
{
  if (!hd_self)
    return REAL(lio_listio)(mode, blocks, count, event);
  struct notice notify;
  if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || count < 0 ||
      !notification_wanted(mode == LIO_WAIT ? NULL : event, &notify))
    return failed(EINVAL);
  reads_for(blocks, (size_t)count * sizeof *blocks, CALLER());
  struct aio_group *group = aio_new_group(count_requests(blocks, count) + 1, &notify);
  if (!group)
    return failed(EAGAIN);
  bool all = submit_all(blocks, count, group, CALLER());
  if (--group->left == 0 && mode == LIO_NOWAIT)
    notification_send(&notify, SI_ASYNCIO);
  if (mode == LIO_NOWAIT)
    return all ? 0 : failed(EIO);
  int error = aio_wait((const struct aiocb *const *)blocks, count, true, -1, CALLER());
  if (error)
    return failed(error);
  return all && all_went_well(blocks, count) ? 0 : failed(EIO);
}
WIDE(lio_listio)
