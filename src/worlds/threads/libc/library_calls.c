/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions of the C library a program may call without a doubt about what they do to its memory: those that the
 * runtime defines itself, those below, and those of the compiler's, which begin with an underscore. All others are
 * named, and are a loss as soon as there is a second thread. Add one here if it touches memory of the program only by
 * system calls, or only reads texts that say what went wrong, and keeps no state between calls that another function
 * could see. Those of the C++ library are in cxx_calls.c.
 */
#include "worlds/threads/libc/library_calls.h"
#include "core/loss.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/cxx_calls.h"
#include "worlds/threads/memory/hooked_modules.h"
#include "worlds/threads/runtime.h"

/* clang-format off */
static const char harmless[] =
    "abs accept accept4 access adjtimex aio_init alarm alphasort alphasort64 arch_prctl backtrace_symbols_fd "
    "bind bind_textdomain_codeset bindtextdomain bsd_signal bsearch btowc canonicalize_file_name capget capset "
    "chdir chmod chown chroot clock_getres clone close close_range closedir closefrom closelog connect "
    "copy_file_range copysign copysignf copysignl creat creat64 daemon dcgettext dcngettext dgettext difftime "
    "dirfd div dl_iterate_phdr dlclose dlerror dlmopen dlopen dlvsym dngettext dup dup2 dup3 duplocale eaccess "
    "endmntent epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait err errx euidaccess "
    "eventfd eventfd_read eventfd_write execl execle execlp execv execve execveat execvp execvpe faccessat "
    "fallocate fallocate64 fanotify_init fanotify_mark fchdir fchmod fchmodat fchown fchownat fcloseall fcntl "
    "fcntl64 fdatasync fdopen fdopendir fexecve ffs ffsl ffsll fgetxattr fileno fileno_unlocked finite finitef "
    "finitel flistxattr flock fnmatch fopen fopen64 forkpty fpathconf freeaddrinfo freelocale fremovexattr "
    "fsetxattr fstat fstat64 fstatat fstatat64 fstatfs fstatfs64 fstatvfs fstatvfs64 fsync ftruncate ftruncate64 "
    "ftw ftw64 futimens futimes futimesat fwide gai_strerror get_avphys_pages get_current_dir_name get_nprocs get_nprocs_conf "
    "get_phys_pages getcontext getcpu getcwd getdents64 getdirentries getdirentries64 getdtablesize getegid "
    "geteuid getgid getgroups gethostid getitimer getpagesize getpeername getpgid getpgrp getpriority getpt "
    "getresgid getresuid getrlimit getrlimit64 getrusage getsid getsockname getsockopt gettext getuid getxattr "
    "gnu_dev_major gnu_dev_makedev gnu_dev_minor gnu_get_libc_release gnu_get_libc_version grantpt group_member "
    "herror hstrerror htonl htons if_nametoindex imaxabs imaxdiv inet_makeaddr inet_ntoa initgroups "
    "inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl isalnum isalnum_l isalpha isalpha_l "
    "isascii isatty isblank isblank_l iscntrl iscntrl_l isctype isdigit isdigit_l isfdtype isgraph isgraph_l "
    "isinf isinff isinfl islower islower_l isnan isnanf isnanl isprint isprint_l ispunct ispunct_l isspace "
    "isspace_l isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l "
    "iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint iswprint_l "
    "iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l kill "
    "killpg labs lchmod lchown ldexp ldexpf ldexpl ldiv lgetxattr link linkat listen listxattr llabs lldiv "
    "llistxattr llseek lockf lockf64 longjmp lremovexattr lseek lseek64 lsetxattr lstat lstat64 lutimes madvise "
    "makecontext mallinfo mallinfo2 malloc_info malloc_stats malloc_trim mallopt memfd_create mincore mkdir "
    "mkdirat mkfifo mkfifoat mknod mknodat mlock mlock2 mlockall mmap mmap64 mprotect mremap msync munlock "
    "munlockall munmap name_to_handle_at newlocale nftw nftw64 ngettext nice ntohl ntohs ntp_adjtime open open64 "
    "open_by_handle_at openat openat64 opendir openlog openpty pathconf pause pclose personality pidfd_getfd "
    "pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set poll popen "
    "posix_fadvise posix_fadvise64 posix_fallocate posix_fallocate64 posix_madvise posix_openpt ppoll prctl "
    "pread pread64 preadv preadv2 preadv64 preadv64v2 prlimit prlimit64 process_madvise process_mrelease "
    "process_vm_readv process_vm_writev pselect psiginfo psignal pthread_atfork pthread_attr_destroy "
    "pthread_barrierattr_destroy pthread_condattr_destroy pthread_equal pthread_getspecific "
    "pthread_mutexattr_destroy pthread_rwlockattr_destroy pthread_self pthread_setspecific pthread_sigqueue "
    "pthread_yield ptrace pwrite pwrite64 pwritev pwritev2 pwritev64 pwritev64v2 raise read readahead readlink "
    "readlinkat readv recv recvfrom recvmmsg recvmsg regerror remove removexattr rename renameat renameat2 rmdir "
    "scalbn scalbnf scalbnl sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam "
    "sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler select send "
    "sendfile sendfile64 sendmmsg sendmsg sendto setcontext setegid seteuid setfsgid setfsuid setgid setgroups "
    "setitimer setjmp setlinebuf setmntent setns setpgid setpgrp setpriority setregid setresgid setresuid "
    "setreuid setrlimit setrlimit64 setsid setsockopt setuid setxattr shutdown sigabbrev_np sigaltstack sigblock "
    "sigdescr_np siggetmask sigignore siginterrupt signalfd sigpause sigqueue sigreturn sigsetmask sigsuspend "
    "sigtimedwait sigwaitinfo sockatmark socket socketpair splice stat stat64 statfs statfs64 statvfs statvfs64 "
    "statx strerror strerrordesc_np strerrorname_np strsignal swapcontext symlink symlinkat sync sync_file_range "
    "syncfs sysconf sysinfo syslog system sysv_signal tcdrain tcflow tcflush tcgetattr tcgetpgrp tcgetsid "
    "tcsendbreak tcsetattr tcsetpgrp tee textdomain tgkill thrd_current thrd_equal timerfd_create "
    "timerfd_gettime timerfd_settime tmpfile tmpfile64 toascii tolower tolower_l toupper toupper_l towctrans "
    "towctrans_l towlower_l towupper_l truncate truncate64 tss_get tss_set ualarm ulimit umask uname unlinkat "
    "unlockpt unshare uselocale utime utimensat utimes verr verrx versionsort versionsort64 vmsplice vsyslog "
    "vwarn vwarnx wait wait3 wait4 waitid waitpid warn warnx wctob wctrans wctrans_l wctype wctype_l wcwidth "
    "write writev";
/* clang-format on */

static bool is_harmless(const char *name)
{
  for (const char *at = harmless; *at; at++) {
    const char *n = name;
    while (*n && *n == *at)
      n++, at++;
    if (!*n && (*at == ' ' || !*at))
      return true;
    while (*at && *at != ' ')
      at++;
    if (!*at)
      return false;
  }
  return false;
}

static bool is_in(const struct code *code, uintptr_t target)
{
  return target >= code->start && target < code->end;
}

/* The one of the C++ library is a mangled name, for whoever tells it. */
static bool note_call(const char *name, uintptr_t target, const void *of)
{
  const struct libraries *libraries = of;
  char call[UNSEEN_CALL];
  bool c = is_in(&libraries->c, target) && *name != '_' && !is_harmless(name);
  if (!c && (!is_in(&libraries->cxx, target) || cxx_call_is_harmless(name)))
    return false;
  print_text(call, sizeof call, c ? "%s()" : "%s", name);
  add_to_list(rt.control->unseen_calls, sizeof rt.control->unseen_calls, call);
  return false;
}

void note_unseen_calls(const struct dl_phdr_info *module, const struct libraries *libraries)
{
  module_find_call(module, note_call, libraries);
}

void note_unseen_calls_loss(void)
{
  if (rt.control->unseen_calls[0])
    rt.control->losses |= LOST_FUNCTIONS;
}
