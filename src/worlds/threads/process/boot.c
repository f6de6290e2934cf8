/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of the process: find out whether heddle started it, map what is shared with the command line, and put
 * ourselves between the C library and main. Passive when the control descriptors are not in the
 * environment. */
#include "worlds/threads/process/boot.h"
#include "core/changed.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/framework/test_orderings.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/libc/exit_handlers.h"
#include "worlds/threads/libc/module_ends.h"
#include "worlds/threads/memory/anonymous.h"
#include "worlds/threads/memory/names.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/debugger.h"
#include "worlds/threads/process/exec.h"
#include "worlds/threads/process/watch.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/outside.h"
#include "worlds/threads/system/standard.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/system/vdso.h"
#include "worlds/threads/thread/priorities.h"
#include "worlds/threads/thread/world.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_POOL 8
#define PAGE 4096u
#define STACK_NAMED                                                                                                    \
  (UINT64_C(64) << 20) /* of the initial thread; the system leaves at least twice that free below it */
#define HWCAP2_FSGSBASE 2

typedef int main_function(int, char **, char **);
typedef void hook_function(void);

static struct {
  main_function *main;
  int argc;
  char **argv, **envp;
} program;

/* Take "NAME=value" out of the environment and return the value, or NULL. */
static char *take_variable(char **environment, const char *name)
{
  size_t n = text_length(name);
  for (char **e = environment; *e; e++) {
    size_t i = 0;
    while (i < n && (*e)[i] == name[i])
      i++;
    if (i < n || (*e)[i] != '=')
      continue;
    char *value = *e + n + 1;
    for (; *e; e++)
      e[0] = e[1];
    return value;
  }
  return NULL;
}

static const char *variable(char *const *environment, const char *name)
{
  size_t n = text_length(name), i;
  for (; *environment; environment++) {
    for (i = 0; i < n && (*environment)[i] == name[i]; i++)
      ;
    if (i == n && (*environment)[i] == '=')
      return *environment + n + 1;
  }
  return "";
}

static int parse_number(const char **text)
{
  int n = 0;
  while (**text >= '0' && **text <= '9')
    n = n * 10 + *(*text)++ - '0';
  return n;
}

static bool map_shared(int fd, uint64_t address, uint64_t size)
{
  long got =
      sys(SYS_mmap, address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
  return got == (long)address;
}

#define OURS 16 /* descriptors, the last that there can be */

int out_of_the_way(int fd)
{
  struct rlimit most = {1024, 1024};
  sys(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &most);
  long moved = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, most.rlim_cur > 2 * OURS ? most.rlim_cur - OURS : OURS);
  if (moved < 0)
    return fd;
  sys(SYS_close, fd);
  return (int)moved;
}

static _Noreturn void boot_failed(const char *why)
{
  static const char prefix[] = "heddle: ";
  sys(SYS_write, 2, prefix, sizeof prefix - 1);
  sys(SYS_write, 2, why, text_length(why));
  sys(SYS_write, 2, "\n", 1L);
  sys(SYS_exit_group, 3);
  __builtin_unreachable();
}

static void watch_by(const struct observer *observer)
{
  watchers_add(&rt.engine->watchers, observer, system_memory(observer->state_size));
}

/* The world's own come first: what they explain is no bug. */
static void attach_observers(void)
{
  rt.engine->watchers.count = 0;
  if (rt.control->debugger.attached)
    watch_by(&observer_debugger);
  watch_by(&observer_outside);
  watch_by(&observer_priorities);
  watch_by(&observer_parts);
#define X(name) watch_by(&observer_##name);
  HD_OBSERVERS(X)
#undef X
}

static void engine_attach(void)
{
  rt.engine = CONTROL_AT(rt.control, CONTROL_ENGINE_OFFSET);
  rt.engine->world = &world_of_threads;
  rt.engine->control = rt.control;
  rt.engine->strategy = strategy_table[rt.control->config.strategy];
  rt.engine->strategy_state = (char *)rt.engine + ((sizeof *rt.engine + 4095) & ~UINT64_C(4095));
  rt.engine->job = control_job(rt.control);
  if (!rt.engine->opened) {
    if (rt.engine->strategy->open)
      rt.engine->strategy->open(rt.engine->strategy_state, &rt.engine->job);
    rt.engine->opened = true;
  }
  if (!rt.control->wish.pool_threads)
    rt.control->wish.pool_threads = FIRST_POOL;
  rt.control->reset = rt.control->wish.reset     ? rt.control->wish.reset
                      : rt.control->config.reset ? rt.control->config.reset
                                                 : RESET_SNAPSHOT;
  rt.tracing = rt.control->config.trace;
  rt.naming = rt.control->config.record_events || rt.engine->strategy->names;
  bool changed = rt.engine->job.bytes[JOB_CHANGED] && heuristic_asks_for_calls(rt.control->config.heuristic);
  rt.calls = rt.tracing || rt.naming || rt.engine->strategy->calls || rt.control->config.leaves_out || changed;
}

static void own_boot(void)
{
  hd_own.fsgsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
  heap_boot();
}

/* The number of this program (core/address_name.h), by its path; two paths only rarely want the same. */
static unsigned image_of_program(void)
{
  char path[4096];
  long n = sys(SYS_readlink, "/proc/self/exe", path, sizeof path);
  uint64_t hash = 1;
  for (long i = 0; i < n; i++)
    hash = mix64(hash ^ (unsigned char)path[i]) | 1;
  for (unsigned i = 0; i < IMAGES - 1; i++) {
    unsigned image = 1 + (hash + i) % (IMAGES - 1);
    if (!rt.image[image] || rt.image[image] == hash) {
      rt.image[image] = hash;
      return image;
    }
  }
  return IMAGES - 1;
}

/* Another program in a process that was there before. */
static void later_boot(unsigned process, unsigned thread)
{
  hd_own.process = process;
  hd_own.seat = rt.process[process].seat;
  hd_own.image = image_of_program();
  hd_own.goes_on = thread;
  shadow_of_process(process);
  standard_go_on();
  own_boot();
}

void runtime_boot(void)
{
  system_memory_begin();
  for (unsigned t = 0; t < rt.framed; t++)
    rt.thread[t].frame = NULL; /* was there, if it was before */
  rt.framed = 0;
  own_boot();
  objects_boot();
  descriptors_begin();
  engine_attach();
  attach_observers();
}

extern FILE *_IO_list_all;

/* Closing them writes to each, and what is written must be put back. */
static bool streams_are_idle(void)
{
  for (const FILE *f = _IO_list_all; f; f = f->_chain)
    if (f->_IO_write_ptr != f->_IO_write_base || f->_IO_read_ptr != f->_IO_read_end || f->_mode > 0)
      return false;
  return true;
}

static void when_exiting(int status, void *unused)
{
  (void)unused;
  if (!hd_self)
    return;
  if (!streams_are_idle())
    fcloseall(); /* as libc does next: streams that somebody has locked are not waited for */
  execution_exit(status & 255);
}

/* We are initialised before libc itself, so the environment is where the dynamic linker says, not in environ yet. */
__attribute__((constructor)) static void boot(int argc, char **argv, char **environment)
{
  (void)argc, (void)argv;
  on_exit(when_exiting, NULL); /* the first one registered is the last one called */
  module_ends_boot();
  char *value = take_variable(environment, CONTROL_ENV), *stress = take_variable(environment, STRESS_ENV);
  while (take_variable(environment, ROOM_ENV))
    ;
  if (!value) {
    if (stress)
      stress_boot(stress);
    return;
  }
  const char *at = value;
  unsigned numbers = 0;
  int number[4] = {0}; /* descriptors; of another program in one of our processes, which that is, and the thread */
  for (; numbers < 4 && *at; numbers++, at += *at == ',')
    number[numbers] = parse_number(&at);
  int control_fd = number[0], shadow_fd = number[1];
  bool first = numbers == 2;
  if (*at || shadow_fd <= 2 || control_fd <= 2 || sys(SYS_fcntl, control_fd, F_GETFD) < 0)
    boot_failed(CONTROL_ENV " is set, but not by heddle; unset it");
  control_fd = out_of_the_way(control_fd);
  shadow_fd = out_of_the_way(shadow_fd);
  if (!map_shared(control_fd, CONTROL_ADDRESS, CONTROL_MAPPING_SIZE) || !shadow_boot(shadow_fd) ||
      !system_memory_boot(control_fd, first))
    boot_failed("cannot map the control block: the address space is limited or in use");
  hd_own.session = true;
  long shared = first ? anonymous_file() : -1;
  anonymous_boot(shared < 0 ? -1 : out_of_the_way((int)shared));
  exec_keep(control_fd, shadow_fd, variable(environment, "LD_PRELOAD"));
  if (!first) {
    later_boot((unsigned)number[2], (unsigned)number[3]);
    return;
  }
  rt.control = (struct control *)CONTROL_ADDRESS;
  if (rt.control->magic != CONTROL_MAGIC || rt.control->version != sizeof(struct control))
    boot_failed("the command line and libheddle.so are of different builds; rebuild or reinstall both");
  runtime_boot();
}

/* The user's own LD_PRELOAD stands behind ours, if there is one. */
static void restore_environment(void)
{
  take_variable(environ, "LD_BIND_NOW");
  char *value = take_variable(environ, "LD_PRELOAD");
  if (!value)
    return;
  char *rest = value;
  while (*rest && *rest != ':' && *rest != ' ')
    rest++;
  if (*rest && rest[1])
    setenv("LD_PRELOAD", rest + 1, 1);
}

/* The thread that went on as this program, whose turn it still is. */
static void go_on(uintptr_t stack)
{
  unsigned thread = hd_own.goes_on;
  hd_own.main_sp = (void *)stack;
  rt.thread[thread].fiber = &hd_own.fiber[0];
  rt.control->thread[thread].image = hd_own.image;
  sys(SYS_prctl, PR_GET_NAME, rt.control->thread[thread].name); /* the program's, as long as it gives itself none */
  rt.thread[thread].frames = rt.thread[thread].awaited.count = 0;
  filter_boot();
  program_map();
  hd_self = &rt.engine->thread[thread];
  hd_self->handler_sp = 0;
  hd_self->handler_nests = false;
  memory_retag();
  timers_go_on();
  performed(0);
}

/* Every execution comes by here, on the stack of the initial thread: in a frame of its own, so that the page of the one
 * above need not be put back. */
static _Noreturn __attribute__((noinline)) void run_program(void)
{
  test_orderings_choose();
  int status = program.main(program.argc, program.argv, environ);
  hd_own.main_returned = true;
  exit(status);
}

static int controlled_main(int argc, char **argv, char **envp)
{
  program.argc = argc;
  program.argv = argv;
  program.envp = envp;
  hd_own.main_strings = (uintptr_t)argv[0] & ~(uintptr_t)7; /* the lowest of them */
  /* Where a page begins, and so how it is aligned, main stands at one place in every process. */
  const volatile char *here = __builtin_alloca(((uintptr_t)__builtin_frame_address(0) & (PAGE - 1)) + 16);
  hd_own.main_high = (uintptr_t)here;
  restore_environment();
  if (!hd_own.image)
    testing_boot();
  program_boot();
  vdso_boot();
  boot_pool();
  signals_boot();
  if (!hd_own.image)
    watch_boot();
  if (!hd_own.image)
    names_boot((uintptr_t)here, argv, STACK_NAMED);
  exit_handlers_keep();
  if (hd_own.image)
    go_on((uintptr_t)here);
  else
    worker();
  run_program();
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv, hook_function *init, hook_function *fini,
                             hook_function *rtld_fini, void *stack_end)
{
  typedef int start_function(main_function *, int, char **, hook_function *, hook_function *, hook_function *, void *);
  start_function *real = (start_function *)real_symbol("__libc_start_main");
  program_watch_forks();
  program.main = main;
  if (!hd_own.session)
    return real(main, argc, argv, init, fini, rtld_fini, stack_end);
  module_ends_by(rtld_fini);
  return real(controlled_main, argc, argv, init, fini, rtld_fini ? modules_end : NULL, stack_end);
}
