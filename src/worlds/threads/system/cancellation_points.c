/* SPDX-License-Identifier: Apache-2.0
 *
 * Which system calls are cancellation points: those that libc makes in one of the functions listed here, which are
 * POSIX's (2.9.5.2) and Linux's own. By the place of the call, not by its number: libc opens a file as well in
 * functions that are none, and syscall() never is one. Functions that have a model of their own see to it there (sleep,
 * pthread_cond_wait, sem_wait, ...).
 */
#include "worlds/threads/system/cancellation_points.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>

/* clang-format off */
static const struct {
  const char *function; /* of those that call each other, the one that makes the call */
  short number;
} point[] = {
    {"accept", SYS_accept}, {"accept4", SYS_accept4}, {"close", SYS_close}, {"connect", SYS_connect},
    {"copy_file_range", SYS_copy_file_range}, {"creat64", SYS_creat}, {"epoll_pwait", SYS_epoll_pwait},
    {"epoll_pwait2", SYS_epoll_pwait2}, {"epoll_wait", SYS_epoll_wait}, {"fallocate64", SYS_fallocate},
    {"fcntl64", SYS_fcntl}, {"fdatasync", SYS_fdatasync}, {"fsync", SYS_fsync}, {"getrandom", SYS_getrandom},
    {"mq_timedreceive", SYS_mq_timedreceive}, {"mq_timedsend", SYS_mq_timedsend}, {"msgrcv", SYS_msgrcv},
    {"msgsnd", SYS_msgsnd}, {"msync", SYS_msync}, {"open64", SYS_open}, {"open_by_handle_at", SYS_open_by_handle_at},
    {"openat64", SYS_openat}, {"pause", SYS_pause}, {"poll", SYS_poll}, {"ppoll", SYS_ppoll}, {"pread64", SYS_pread64},
    {"preadv64", SYS_preadv}, {"preadv64v2", SYS_preadv2}, {"pselect", SYS_pselect6}, {"pwrite64", SYS_pwrite64},
    {"pwritev64", SYS_pwritev}, {"pwritev64v2", SYS_pwritev2}, {"read", SYS_read}, {"readv", SYS_readv},
    {"recv", SYS_recvfrom}, {"recvfrom", SYS_recvfrom}, {"recvmmsg", SYS_recvmmsg}, {"recvmsg", SYS_recvmsg},
    {"select", SYS_select}, {"send", SYS_sendto}, {"sendmmsg", SYS_sendmmsg}, {"sendmsg", SYS_sendmsg},
    {"sendto", SYS_sendto}, {"sigsuspend", SYS_rt_sigsuspend}, {"sigtimedwait", SYS_rt_sigtimedwait},
    {"splice", SYS_splice}, {"sync_file_range", SYS_sync_file_range}, {"tcdrain", SYS_ioctl}, {"tee", SYS_tee},
    {"vmsplice", SYS_vmsplice}, {"wait4", SYS_wait4}, {"waitid", SYS_waitid}, {"write", SYS_write},
    {"writev", SYS_writev},
};
/* clang-format on */
#define POINTS (sizeof point / sizeof *point)

/* Where they are in libc. */
static struct {
  uintptr_t start, end;
} code[POINTS];
static bool in_place_of_function; /* libc makes each call where the function is, and not in a place for all of them */

static bool has_system_call(uintptr_t start, uintptr_t end)
{
  for (const unsigned char *at = (const unsigned char *)start; (uintptr_t)at + 1 < end; at++)
    if (at[0] == 0x0f && at[1] == 0x05)
      return true;
  return false;
}

void cancellation_points_boot(void)
{
  in_place_of_function = false;
  for (size_t i = 0; i < POINTS; i++) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *at = optional_symbol(point[i].function);
    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
      continue;
    code[i].start = (uintptr_t)at;
    code[i].end = code[i].start + symbol->st_size;
    in_place_of_function |= has_system_call(code[i].start, code[i].end);
  }
}

bool is_cancellation_point(const struct call *c, uintptr_t instruction)
{
  if (c->number == SYS_fcntl && c->arg[1] != F_SETLKW && c->arg[1] != F_OFD_SETLKW)
    return false;
  for (size_t i = 0; i < POINTS; i++)
    if (instruction && in_place_of_function ? instruction - code[i].start < code[i].end - code[i].start
                                            : point[i].number == c->number && c->number != SYS_ioctl)
      return true;
  return false;
}
