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
#include "worlds/threads/process/borrowing.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/process/turn.h"
#include "worlds/threads/system/signals.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

enum kind { BINARY, SCRIPT, NEITHER };

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* The interpreter in the first line of a script, and behind its end the one argument that it may have there. */
static bool interpreter_of(const char *line, char *out, size_t size)
{
  size_t n = 0, kept = 0;
  for (line += 2; is_blank(*line); line++)
    ;
  const char *name = out;
  while (*line > ' ' && n + 2 < size)
    out[n++] = *line++;
  out[n++] = 0;
  for (; is_blank(*line); line++)
    ;
  for (kept = n; *line && *line != '\n' && n + 1 < size; line++) {
    out[n++] = *line;
    kept = is_blank(*line) ? kept : n;
  }
  out[kept] = 0;
  return *name;
}

/* Of an open file. What the kernel would run but we could not follow is refused. */
static enum kind kind_of(const struct program_file *file, const char *path, char *interpreter, size_t size,
                         uintptr_t pc)
{
  union {
    Elf64_Ehdr elf;
    char text[256];
  } start = {.text = ""};
  long n = sys(SYS_pread64, file->fd, &start, sizeof start - 1, 0L);
  if (n >= 2 && start.text[0] == '#' && start.text[1] == '!')
    return interpreter_of(start.text, interpreter, size) ? SCRIPT : NEITHER;
  if (n < (long)sizeof start.elf || start.text[0] != 0x7f || start.text[1] != 'E' || start.text[2] != 'L')
    return NEITHER;
  if (start.elf.e_ident[EI_CLASS] != ELFCLASS64 || !is_dynamic(file->fd, &start.elf))
    refuse(path, "which is not a dynamically linked program of 64 bits", pc);
  if (file->stat.st_mode & (S_ISUID | S_ISGID))
    refuse(path, "which changes its user (setuid)", pc);
  return BINARY;
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
static long load(const struct program_file *file, char *const *arguments, char *const *theirs, uintptr_t pc)
{
  char **variables = environment(theirs);
  if (!variables)
    return -E2BIG;
  inherit(kept.control_fd, true);
  inherit(kept.shadow_fd, true);
  sys(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0L, 0L, 0L);
  long result = file->copied ? sys(SYS_execveat, file->fd, "", arguments, variables, AT_EMPTY_PATH)
                             : sys(SYS_execveat, file->folder, file->path, arguments, variables, 0L);
  sys(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0L, 0L, 0L);
  inherit(kept.control_fd, false);
  inherit(kept.shadow_fd, false);
  if (result == -ENOMEM || result == -ETXTBSY || result == -EIO)
    fail(pc, "the program could not go on as another one (error %ld)", -result);
  return result;
}

/* The arguments as an interpreter gets them: itself, its own one, the script, and what the script was given. */
static char **arguments_of_script(char *const *given, const char *interpreter, const char *path)
{
  static char *list[STRINGS_MOST], *rest[STRINGS_MOST];
  const char *own = interpreter + text_length(interpreter) + 1;
  size_t n = 0, count = 0;
  for (given += given && *given; given && *given && count + 4 < STRINGS_MOST; given++)
    rest[count++] = *given;
  list[n++] = (char *)interpreter;
  if (*own)
    list[n++] = (char *)own;
  list[n++] = (char *)path;
  for (size_t i = 0; i < count; i++)
    list[n++] = rest[i];
  list[n] = NULL;
  return list;
}

/* The interpreters that scripts lead to, until there is a program: 0 or -errno. Where the overlay has nothing of its
 * own, the kernel goes that way itself, and file stays what it is. */
static long follow_scripts(const char *path, struct program_file *file, char *const **arguments, uintptr_t pc)
{
  static char line[SCRIPTS_MOST + 1][256], script[SCRIPTS_MOST][PATH_MAX];
  static struct program_file next;
  bool ours = overlay_is_changed();
  next = *file;
  for (unsigned depth = 0;; depth++) {
    enum kind kind = kind_of(&next, path, line[depth], sizeof line[depth], pc);
    if (next.fd != file->fd)
      sys(SYS_close, next.fd);
    if (kind != SCRIPT)
      return kind == BINARY ? 0 : -ENOEXEC;
    if (depth == SCRIPTS_MOST)
      return -ELOOP;
    if (ours) {
      print_text(script[depth], sizeof script[depth], "%s", path);
      *arguments = arguments_of_script(*arguments, line[depth], script[depth]);
    }
    path = line[depth];
    long error = program_find(AT_FDCWD, path, &next);
    if (ours) {
      sys(SYS_close, file->fd);
      *file = next;
    }
    if (error)
      return error;
  }
}

/* What is to be loaded, with its arguments. 0 or -errno, and file is to be closed in any case. */
static long find(const struct call *c, struct program_file *file, char *const **arguments, uintptr_t pc)
{
  bool at = c->number == SYS_execveat;
  const char *path = (const char *)c->arg[at];
  long folder = at ? (int)c->arg[0] : AT_FDCWD;
  bool named = !at || !(c->arg[4] & AT_EMPTY_PATH) || *path;
  char first[2] = "";
  long error = named ? program_find(folder, path, file) : program_of_descriptor(folder, file);
  *arguments = (char *const *)c->arg[at + 1];
  if (error)
    return error;
  bool script = sys(SYS_pread64, file->fd, first, 2L, 0L) == 2 && first[0] == '#' && first[1] == '!';
  if (script && (!named || (folder != AT_FDCWD && *path != '/' && overlay_is_changed())))
    refuse(named ? path : "what a descriptor names", "a script that is not named by a path of its own", pc);
  return follow_scripts(named ? path : file->path, file, arguments, pc);
}

long process_exec(const struct call *c)
{
  static struct program_file file;
  char *const *arguments;
  bool at = c->number == SYS_execveat;
  uintptr_t pc = place_in_program(c->pc);
  if (!filter_ends_with_program())
    refuse((const char *)c->arg[at], "and this system keeps the system call filter on (it needs Linux 5.11)", pc);
  long error = find(c, &file, &arguments, pc);
  sys(SYS_close, file.fd);
  if (error)
    return error;
  struct operation op = {.kind = OP_PROCESS_END, .arg = END_BY_EXEC, .pc = pc};
  step(&op);
  error = find(c, &file, &arguments, pc); /* it may be another one by now */
  if (error) {
    sys(SYS_close, file.fd);
    return performed((int)error);
  }
  borrowing_ends();
  processes_exec();
  return load(&file, arguments, (char *const *)c->arg[at + 2], pc);
}
