/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading, writing, and from one descriptor to another. Messages of sockets are in sockets.c; how a call waits until it
 * can be made is in ready.c.
 */
#include "core/system.h"
#include "worlds/threads/kernel/channel_calls.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/ready.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <sys/syscall.h>

long read_call(const struct call *c)
{
  long fd = c->arg[0], result;
  if (descriptor_is_standard(fd))
    step_on_system(c->number, SYSTEM_STANDARD, SYSTEM_OPEN_FILES, place_in_program(c->pc));
  if (descriptor_is_standard(fd)) /* still */
    return standard_read(c);
  if (kernel_call_by_now(c, &result))
    return result;
  result = when_ready(c, fd, POLLIN);
  descriptor_acquired(fd);
  return result;
}

long write_call(const struct call *c)
{
  long fd = c->arg[0], result;
  if (rt.engine->threads > 1 && descriptor_is_standard(fd))
    step_on_system(c->number, SYSTEM_STANDARD, 0, place_in_program(c->pc));
  if (descriptor_is_standard(fd)) /* still */
    return standard_write(c);
  if (kernel_call_by_now(c, &result))
    return result;
  descriptor_released(fd);
  return or_signal(transfer_whole(c, POLLOUT));
}

long splice_call(const struct call *c)
{
  bool sends = c->number == SYS_sendfile;
  long in = c->arg[sends], out = c->arg[sends ? 0 : c->number == SYS_splice ? 2 : 1];
  for (;;) {
    long interrupted = wait_for_fd(in, POLLIN, 0, c->pc);
    if (!interrupted)
      interrupted = wait_for_fd(out, POLLOUT, 0, c->pc);
    if (interrupted)
      return interrupted;
    long flags = sys(SYS_fcntl, in, F_GETFL);
    sys(SYS_fcntl, in, F_SETFL, flags | O_NONBLOCK);
    long result = perform_at_once(c, out);
    sys(SYS_fcntl, in, F_SETFL, flags);
    if (result != -EAGAIN || !descriptor_blocks(in))
      return or_signal(result);
  }
}

/* Standard input and output are on no file system; who hears that reads and writes instead. */
long copy_range_call(const struct call *c)
{
  return descriptor_is_standard(c->arg[0]) || descriptor_is_standard(c->arg[2]) ? -EXDEV : UNKNOWN;
}
