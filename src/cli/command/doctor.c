/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle doctor, see the header. Each facility is one function that tries it, in a child where that leaves traces, and
 * says what is wrong and what helps.
 */
#include "cli/command/doctor.h"
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "core/control.h"
#include "session/console.h"
#include "session/installed.h"
#include "session/memory_file.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEWEST_FILES 256 /* heddle's own descriptors begin above 100 */
#define HEAP_SPACE (UINT64_C(1) << 40)

#define ALLOW_ALL "in a container: --security-opt seccomp=unconfined"

struct obstacle {
  char why[160];
  const char *remedy;
};

static bool missing(struct obstacle *f, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Always false, for `return missing(…)`. */
static bool missing(struct obstacle *f, const char *remedy, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->why, sizeof f->why, format, arguments);
  va_end(arguments);
  f->remedy = remedy;
  return false;
}

/* Runs the trial in a child, for what cannot be undone. 0, or an errno. */
static int try_in_child(int (*trial)(void))
{
  int status = 0;
  pid_t pid = fork();
  if (pid == 0)
    _exit(trial());
  if (pid < 0)
    return errno;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : ECANCELED;
}

/* ---- without these nothing runs ---- */

static bool has_proc(struct obstacle *f)
{
  return access("/proc/self/maps", R_OK) == 0 ||
         missing(f, "mount -t proc proc /proc", "/proc is not mounted or cannot be read");
}

static bool has_library(struct obstacle *f)
{
  struct heddle_paths paths;
  return heddle_paths(&paths) == 0 ||
         missing(f, "build or install heddle again", "libheddle.so is not next to heddle nor in ../lib/heddle");
}

static bool has_shared_memory(struct obstacle *f)
{
  int fd = memory_file("heddle doctor", 0);
  if (fd < 0)
    return missing(f, "allow memfd_create, or mount a tmpfs at /dev/shm; " ALLOW_ALL,
                   "memfd_create and a file in /dev/shm: %s", strerror(errno));
  close(fd);
  return true;
}

/* Which limit it is that keeps the address space small. */
static bool too_little_space(struct obstacle *f, int error)
{
  struct rlimit space, data;
  char mode = 0;
  FILE *overcommit = fopen("/proc/sys/vm/overcommit_memory", "re");
  if (overcommit) {
    mode = (char)fgetc(overcommit);
    fclose(overcommit);
  }
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    return missing(f, "ulimit -v unlimited", "limited to %llu MiB (ulimit -v)",
                   (unsigned long long)space.rlim_cur >> 20);
  if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY)
    return missing(f, "ulimit -d unlimited", "data limited to %llu MiB (ulimit -d)",
                   (unsigned long long)data.rlim_cur >> 20);
  if (mode == '2')
    return missing(f, "as root: sysctl vm.overcommit_memory=0",
                   "the system never overcommits memory (vm.overcommit_memory is 2)");
  return missing(f, "a kernel that allows 17 TiB of it, nearly all unused", "%s", strerror(error));
}

static bool has_address_space(struct obstacle *f)
{
  int fd = memory_file("heddle doctor", SHADOW_MAPPING_SIZE);
  if (fd < 0)
    return errno == EFBIG ? missing(f, "ulimit -f unlimited", "the size of files is limited (ulimit -f)")
                          : too_little_space(f, errno);
  void *shared = mmap(NULL, SHADOW_MAPPING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  int error = errno;
  void *heap = mmap(NULL, HEAP_SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  error = shared == MAP_FAILED ? error : errno;
  bool both = shared != MAP_FAILED && heap != MAP_FAILED;
  if (shared != MAP_FAILED)
    munmap(shared, SHADOW_MAPPING_SIZE);
  if (heap != MAP_FAILED)
    munmap(heap, HEAP_SPACE);
  close(fd);
  return both || too_little_space(f, error);
}

static int end_at_once(void)
{
  return 0;
}

static bool has_processes(struct obstacle *f)
{
  int error = try_in_child(end_at_once);
  return !error || missing(f, "raise ulimit -u, or the container's --pids-limit", "fork: %s", strerror(error));
}

static void *do_nothing(void *arg)
{
  return arg;
}

static int start_thread(void)
{
  pthread_t thread;
  int error = pthread_create(&thread, NULL, do_nothing, NULL);
  return error ? error : pthread_join(thread, NULL);
}

static bool has_threads(struct obstacle *f)
{
  int error = try_in_child(start_thread);
  if (error == EPERM)
    return missing(f, "a container runtime that knows clone3; " ALLOW_ALL, "clone3: %s", strerror(error));
  return !error || missing(f, "raise ulimit -u, or the container's --pids-limit", "%s", strerror(error));
}

/* As the runtime does (filter.c): by dispatch, of nothing here, or else by a filter. */
static int install_filter(void)
{
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0UL, ~0UL >> 1, 0UL) == 0)
    return 0;
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {1, &allow};
  bool done = prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
              syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0L, &program) == 0;
  return done ? 0 : errno;
}

static bool has_filters(struct obstacle *f)
{
  int error = try_in_child(install_filter);
  return !error || missing(f, ALLOW_ALL, "seccomp: %s", strerror(error));
}

static bool has_files(struct obstacle *f)
{
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max >= FEWEST_FILES)
    return true;
  return missing(f, "ulimit -n 256", "only %llu open files are allowed (ulimit -n)",
                 (unsigned long long)files.rlim_max);
}

/* ---- without these it is less ---- */

static int fix_addresses(void)
{
  return personality(ADDR_NO_RANDOMIZE) < 0 ? errno : 0;
}

static bool has_fixed_addresses(struct obstacle *f)
{
  int error = try_in_child(fix_addresses);
  return !error || missing(f, ALLOW_ALL, "personality: %s", strerror(error));
}

static bool has_process_descriptors(struct obstacle *f)
{
  int fd = pidfd_open(getpid(), 0);
  if (fd < 0)
    return missing(f, "Linux 5.3; " ALLOW_ALL, "pidfd_open: %s", strerror(errno));
  close(fd);
  return true;
}

static int be_traced(void)
{
  return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static bool has_tracing(struct obstacle *f)
{
  int error = try_in_child(be_traced);
  return !error || missing(f, "in a container: --cap-add SYS_PTRACE, or --security-opt seccomp=unconfined",
                           "ptrace: %s", strerror(error));
}

static bool is_in_path(const char *program)
{
  char path[PATH_MAX];
  const char *at = getenv("PATH");
  while (at && *at) {
    size_t length = strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
    if (access(path, X_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  return false;
}

static bool has_gdb(struct obstacle *f)
{
  return is_in_path("gdb") || missing(f, "apt-get install gdb", "gdb is not in PATH");
}

static bool has_compiler(struct obstacle *f)
{
  return getenv("HEDDLE_CC") || is_in_path("gcc") ||
         missing(f, "apt-get install gcc libc6-dev, or HEDDLE_CC=clang", "gcc is not in PATH");
}

static bool has_folder(struct obstacle *f)
{
  char *here = getcwd(NULL, 0);
  bool known = here != NULL;
  free(here);
  return known || missing(f, "cd to another one", "getcwd: %s", strerror(errno));
}

/* ---- all of them ---- */

static const struct facility {
  const char *name;
  bool vital;
  bool (*works)(struct obstacle *finding);
  const char *purpose; /* why it is needed, or what is missing without it */
} facilities[] = {
    {"/proc", true, has_proc, "heddle reads there where a program's memory is"},
    {"libheddle.so", true, has_library, "it is loaded into every program"},
    {"shared memory", true, has_shared_memory, "heddle and the program meet there"},
    {"address space", true, has_address_space, "every byte of a program has its shadow"},
    {"processes", true, has_processes, "programs are started again and again"},
    {"threads", true, has_threads, "the program's threads run on them"},
    {"call filters", true, has_filters, "system calls of the program are seen by them"},
    {"open files", true, has_files, "each worker has four"},
    {"fixed addresses", false, has_fixed_addresses, "programs that depend on addresses may not replay"},
    {"process ends", false, has_process_descriptors, "heddle looks for them every 2 ms instead"},
    {"tracing", false, has_tracing, "heddle replay --gdb needs it"},
    {"gdb", false, has_gdb, "heddle replay --gdb needs it"},
    {"compiler", false, has_compiler, "heddle cc and heddle check FILE.c need one"},
    {"current folder", false, has_folder, "paths of sources cannot be told relative to it"},
};
#define FACILITIES (sizeof facilities / sizeof facilities[0])

void doctor_explain(void)
{
  for (size_t i = 0; i < FACILITIES; i++) {
    struct obstacle finding;
    if (facilities[i].vital && !facilities[i].works(&finding))
      console_note("missing here: %s (%s); try: %s", facilities[i].name, finding.why, finding.remedy);
  }
}

bool doctor_can_trace(void)
{
  struct obstacle finding;
  if (has_tracing(&finding))
    return true;
  console_error("gdb cannot trace programs here (%s); try: %s", finding.why, finding.remedy);
  return false;
}

int cmd_doctor(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_DOCTOR, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("doctor", options.all_options);
  if (options.operand_count) {
    console_error("doctor looks at the machine; it takes no program");
    return STATUS_USAGE;
  }
  bool vital = false, others = false;
  for (size_t i = 0; i < FACILITIES; i++) {
    const struct facility *facility = &facilities[i];
    struct obstacle finding;
    if (facility->works(&finding)) {
      printf("ok       %s\n", facility->name);
      continue;
    }
    printf("missing  %-16s %s\n         %-16s %s: %s\n         %-16s try: %s\n", facility->name, finding.why, "",
           facility->vital ? "needed" : "without", facility->purpose, "", finding.remedy);
    *(facility->vital ? &vital : &others) = true;
  }
  if (vital)
    printf("heddle cannot run programs here\n");
  else
    printf("heddle can run programs here%s\n", others ? ", with what is missing above" : "");
  return vital ? STATUS_FAILED : STATUS_OK;
}
