/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: the kernel loads the other program, with our library, which finds its process in the shared memory (boot.c) and
 * goes on with the turn that this one has. What cannot be loaded so is refused by name: programs without a dynamic
 * linker. The first process, which has the loop of executions, stays, and a copy of it becomes the other program.
 */
#include "worlds/threads/process/exec.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/process/turn.h"
#include "worlds/threads/system/signals.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define TEXT 4096
#define STRINGS_MOST (1 << 16) /* arguments or variables */
#define SCRIPTS_MOST 5         /* that name each other, as the kernel has it */

static struct {
  int control_fd, shadow_fd;
  char preload[TEXT];
} kept;

void exec_keep(int control_fd, int shadow_fd, const char *preload)
{
  size_t n = 0;
  kept.control_fd = control_fd;
  kept.shadow_fd = shadow_fd;
  for (; preload[n] && preload[n] != ':' && preload[n] != ' ' && n + 1 < sizeof kept.preload; n++)
    kept.preload[n] = preload[n];
}

/* ---- what it is ---- */

static bool is_dynamic(long fd, const Elf64_Ehdr *header)
{
  for (unsigned i = 0; i < header->e_phnum; i++) {
    Elf64_Phdr part;
    if (sys(SYS_pread64, fd, &part, sizeof part, header->e_phoff + i * sizeof part) != (long)sizeof part)
      return false;
    if (part.p_type == PT_INTERP)
      return true;
  }
  return false;
}

static void refuse(const char *path, const char *why, uintptr_t pc)
{
  fail(pc, "the program goes on as %s, %s; heddle cannot follow it there", path, why);
}

/* The interpreter in the first line of a script. */
static bool interpreter_of(const char *line, char *out, size_t size)
{
  size_t n = 0;
  for (line += 2; *line == ' ' || *line == '\t'; line++)
    ;
  while (*line > ' ' && n + 1 < size)
    out[n++] = *line++;
  out[n] = 0;
  return n > 0;
}

/* 0, or what the kernel would say. What it would run but we could not follow is refused. */
static long look_at(long folder, const char *path, uintptr_t pc, unsigned depth)
{
  union {
    Elf64_Ehdr elf;
    char text[256];
  } start = {.text = ""};
  char interpreter[256];
  struct stat s;
  long fd = sys(SYS_openat, folder, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd == -ENOENT && folder == AT_FDCWD && overlay_has(path))
    refuse(path, "which is only in the overlay of files (see --files)", pc);
  if (fd < 0)
    return fd;
  bool file = sys(SYS_fstat, fd, &s) == 0 && S_ISREG(s.st_mode);
  long n = file ? sys(SYS_pread64, fd, &start, sizeof start - 1, 0L) : 0;
  bool elf = n >= (long)sizeof start.elf && start.text[0] == 0x7f && start.text[1] == 'E' && start.text[2] == 'L';
  bool ours = elf && start.elf.e_ident[EI_CLASS] == ELFCLASS64 && is_dynamic(fd, &start.elf);
  sys(SYS_close, fd);
  if (!file || sys(SYS_faccessat, folder, path, 1 /* X_OK */, 0))
    return -EACCES;
  if (n >= 2 && start.text[0] == '#' && start.text[1] == '!')
    return depth == SCRIPTS_MOST                                         ? -ELOOP
           : interpreter_of(start.text, interpreter, sizeof interpreter) ? look_at(AT_FDCWD, interpreter, pc, depth + 1)
                                                                         : -ENOEXEC;
  if (!elf)
    return -ENOEXEC;
  if (!ours)
    refuse(path, "which is not a dynamically linked program of 64 bits", pc);
  if (s.st_mode & (S_ISUID | S_ISGID))
    refuse(path, "which changes its user (setuid)", pc);
  return 0;
}

/* ---- what it is told ---- */

static bool is_variable(const char *entry, const char *name)
{
  while (*name && *entry == *name)
    entry++, name++;
  return !*name && *entry == '=';
}

/* The environment of the program, and ours before it. NULL: too large. */
static char **environment(char *const *theirs)
{
  static char *entry[STRINGS_MOST], control[64], preload[2 * TEXT];
  const char *add = "";
  size_t n = 0;
  print_text(control, sizeof control, "%s=%d,%d,%u,%u", CONTROL_ENV, kept.control_fd, kept.shadow_fd, hd_own.process,
             self_index());
  entry[n++] = control;
  entry[n++] = preload;
  entry[n++] = (char *)"LD_BIND_NOW=1";
  for (; theirs && *theirs && n + 1 < STRINGS_MOST; theirs++)
    if (is_variable(*theirs, "LD_PRELOAD"))
      add = *theirs + sizeof "LD_PRELOAD";
    else if (!is_variable(*theirs, "LD_BIND_NOW"))
      entry[n++] = *theirs;
  entry[n] = NULL;
  print_text(preload, sizeof preload, "LD_PRELOAD=%s%s%s", kept.preload, *add ? ":" : "", add);
  return n + 1 < STRINGS_MOST ? entry : NULL;
}

/* ---- */

static void inherit(int fd, bool keeps)
{
  sys(SYS_fcntl, fd, F_SETFD, keeps ? 0 : FD_CLOEXEC);
}

/* The kernel takes it from here. Comes back only if that fails. */
static long load(struct call *c, uintptr_t pc)
{
  bool at = c->number == SYS_execveat;
  char **variables = environment((char *const *)c->arg[at + 2]);
  if (!variables)
    return -E2BIG;
  c->arg[at + 2] = (long)variables;
  inherit(kept.control_fd, true);
  inherit(kept.shadow_fd, true);
  sys(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0L, 0L, 0L);
  long result = sys_array(c->number, c->arg);
  sys(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0L, 0L, 0L);
  inherit(kept.control_fd, false);
  inherit(kept.shadow_fd, false);
  if (result == -ENOMEM || result == -ETXTBSY || result == -EIO)
    fail(pc, "the program could not go on as another one (error %ld)", -result);
  return result;
}

long process_exec(const struct call *c)
{
  bool at = c->number == SYS_execveat;
  struct call now = *c;
  uintptr_t pc = place_in_program(c->pc);
  const char *path = (const char *)c->arg[at];
  if (at && c->arg[4] & AT_EMPTY_PATH)
    refuse("what a descriptor names", "by fexecve()", pc);
  if (!filter_ends_with_program())
    refuse(path, "and this system keeps the system call filter on (it needs Linux 5.11)", pc);
  if (overlay_keeps(at ? c->arg[0] : AT_FDCWD, path))
    refuse(path, "which it has written itself, and that only heddle has (--files real writes it where it belongs)", pc);
  long error = look_at(at ? c->arg[0] : AT_FDCWD, path, pc, 0);
  if (error)
    return error;
  struct operation op = {.kind = OP_PROCESS_END, .arg = END_BY_EXEC, .pc = pc};
  step(&op);
  processes_exec();
  return load(&now, pc);
}
