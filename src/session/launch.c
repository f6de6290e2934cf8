/* SPDX-License-Identifier: Apache-2.0
 *
 * Preparing the start of the tested program, see the header.
 */
#include "session/launch.h"
#include "core/control.h"
#include "core/settings.h"
#include "session/console.h"
#include "session/installed.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int launch_high_fd(int fd)
{
  if (fd < 0)
    return fd;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
  int error = errno == EINVAL ? EMFILE : errno; /* the limit is below */
  close(fd);
  errno = error;
  return high;
}

/* ---- the library ---- */

/* The dynamic linker would only warn, and run the program without us. */
static bool is_library(const char *path)
{
  char start[4] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool read_it = fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start;
  if (fd >= 0)
    close(fd);
  return read_it && !memcmp(start, "\177ELF", sizeof start);
}

/* LD_PRELOAD is split at blanks and colons; a library in such a place is handed over as a descriptor. */
static bool open_library(struct launch *launch)
{
  struct heddle_paths paths;
  if (heddle_paths(&paths) != 0) {
    console_error("libheddle.so is not next to heddle nor in ../lib/heddle; build or install heddle again");
    return false;
  }
  launch->library = strdup(paths.library);
  if (!launch->library) {
    console_error("no memory left");
    return false;
  }
  if (!is_library(launch->library)) {
    console_error("%s is not a library; build or install heddle again", launch->library);
    return false;
  }
  if (!strpbrk(launch->library, " :\t\n"))
    return true;
  launch->library_fd = launch_high_fd(open(launch->library, O_RDONLY | O_CLOEXEC));
  if (launch->library_fd < 0) {
    console_error("%s cannot be opened: %s", launch->library, strerror(errno));
    return false;
  }
  return true;
}

/* ---- arguments and environment ---- */

static size_t name_length(const char *entry)
{
  return strcspn(entry, "=");
}

static bool is_variable(const char *entry, const char *name)
{
  return name_length(entry) == strlen(name) && !strncmp(entry, name, strlen(name));
}

/* What is not the program's. Of the shell's own book-keeping no program can make sense here, and it differs from one
 * start of heddle to the next; what begins with HEDDLE_ is for heddle, but for what heddle_stress.h reads. */
static bool is_left_out(const char *entry)
{
  static const char *const names[] = {"_", "SHLVL", "OLDPWD", "LD_PRELOAD", "LD_BIND_NOW"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (is_variable(entry, names[i]))
      return true;
  return !strncmp(entry, "HEDDLE_", 7) && strncmp(entry, STRESS_ENV "_", sizeof STRESS_ENV) != 0;
}

/* What the C library, the dynamic linker and the runtimes of languages read; none of it is a secret. */
static bool is_of_libraries(const char *entry)
{
  static const char *const names[] = {"PATH", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "GLIBC_TUNABLES"};
  static const char *const beginnings[] = {"LC_", "MALLOC_", "OMP_", "GOMP_", STRESS_ENV};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (is_variable(entry, names[i]))
      return true;
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
    if (!strncmp(entry, beginnings[i], strlen(beginnings[i])))
      return true;
  return false;
}

static bool is_wanted(const char *entry, const struct setting_names *variables)
{
  if (is_left_out(entry))
    return false;
  for (uint32_t i = 0; variables && i < variables->count; i++)
    if (is_variable(entry, variables->name[i]))
      return true;
  return !variables || is_of_libraries(entry);
}

static bool is_before(const char *a, const char *b)
{
  size_t n = name_length(a), m = name_length(b);
  int order = memcmp(a, b, n < m ? n : m);
  return order < 0 || (order == 0 && n < m);
}

/* Two environments of the same variables are the same. Entries of one name stay in their order: the first one
 * counts. */
static void sort_by_name(char **entry, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j && is_before(entry[j], entry[j - 1]); j--) {
      char *swap = entry[j];
      entry[j] = entry[j - 1];
      entry[j - 1] = swap;
    }
}

/* The kernel puts the strings of arguments and environment above the stack, then one word for each. Whatever there is
 * of them is filled up to a multiple of this: a small part of the stack, and more than most environments take. */
static size_t stack_unit(void)
{
  enum { LEAST = 4 << 10, MOST = 64 << 10, PART = 128 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur / PART > MOST)
    return MOST;
  return limit.rlim_cur / PART < LEAST ? LEAST : limit.rlim_cur / PART & ~(size_t)4095;
}

static size_t bytes_above(char *const *entry, size_t *count)
{
  size_t bytes = 0;
  for (; *entry; entry++, ++*count)
    bytes += strlen(*entry) + 1;
  return bytes;
}

/* Two entries behind the last are free for what fills the room: one, and another if the number of words would be odd,
 * since the kernel aligns the stack to two. */
static bool fill_room(struct launch *launch, char **filler)
{
  static char empty[] = ROOM_ENV "=";
  size_t words = 1; /* the filler itself */
  size_t bytes = strlen(launch->path) + 1 + sizeof empty + sizeof(char *);
  bytes += bytes_above(launch->argv, &words) + bytes_above(launch->envp, &words);
  if (words % 2) {
    *filler++ = empty;
    bytes += sizeof empty;
    words++;
  }
  bytes += words * sizeof(char *);
  size_t unit = stack_unit();
  launch->room = (bytes + unit - 1) / unit * unit;
  if (asprintf(&launch->room_text, "%s%*s", empty, (int)(launch->room - bytes), "") < 0) {
    launch->room_text = NULL;
    return false;
  }
  *filler = launch->room_text;
  return true;
}

static bool make_environment(struct launch *launch, const struct setting_names *variables)
{
  char by_fd[32];
  snprintf(by_fd, sizeof by_fd, "/proc/self/fd/%d", LIBRARY_FD);
  const char *library = launch->library_fd >= 0 ? by_fd : launch->library;
  const char *users = getenv("LD_PRELOAD");
  bool add = users && *users;
  if (asprintf(&launch->control_text, "%s=%d,%d", CONTROL_ENV, CONTROL_FD, SHADOW_FD) < 0 ||
      asprintf(&launch->preload_text, "LD_PRELOAD=%s%s%s", library, add ? ":" : "", add ? users : "") < 0)
    return false;
  size_t count = 0;
  while (environ[count])
    count++;
  launch->envp = calloc(count + 6, sizeof *launch->envp);
  if (!launch->envp)
    return false;
  size_t used = 0;
  launch->envp[used++] = launch->control_text;
  launch->envp[used++] = launch->preload_text;
  launch->envp[used++] = (char *)"LD_BIND_NOW=1"; /* or every execution would bind its symbols again */
  launch->users = used;
  for (size_t i = 0; i < count; i++)
    if (is_wanted(environ[i], variables))
      launch->envp[used++] = environ[i];
  sort_by_name(launch->envp + launch->users, used - launch->users);
  return fill_room(launch, launch->envp + used);
}

/* Set for ourselves: programs we start inherit it. It takes effect at their execve. False: it is not permitted. */
static bool fix_addresses(void)
{
  static bool told;
  int now = personality(0xffffffff);
  if (now >= 0 && ((now & ADDR_NO_RANDOMIZE) || personality((unsigned)now | ADDR_NO_RANDOMIZE) >= 0))
    return true;
  if (told)
    return false;
  told = true;
  console_note("addresses are random here (personality() is not permitted, as in some containers); a program "
               "that depends "
               "on them may not replay");
  return false;
}

bool launch_open(struct launch *launch, const struct target *target)
{
  *launch = (struct launch){.path = target->path, .folder = target->folder, .library_fd = -1, .null_fd = -1};
  launch->scattered = !fix_addresses();
  if (access("/proc/self/maps", R_OK) != 0) {
    console_error("%s cannot be run: heddle needs /proc, which is not mounted or cannot be read (mount -t proc "
                  "proc /proc)",
                  target->label);
    return false;
  }
  if (!open_library(launch)) {
    launch_close(launch);
    return false;
  }
  launch->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (launch->null_fd < 0 || !(launch->argv = child_arguments(target)) ||
      !make_environment(launch, target->variables)) {
    console_error("the program cannot be prepared: %s", strerror(errno));
    launch_close(launch);
    return false;
  }
  return true;
}

void launch_close(struct launch *launch)
{
  free(launch->argv);
  free(launch->envp);
  free(launch->control_text);
  free(launch->preload_text);
  free(launch->room_text);
  free(launch->library);
  if (launch->null_fd >= 0)
    close(launch->null_fd);
  if (launch->library_fd >= 0)
    close(launch->library_fd);
  *launch = (struct launch){.library_fd = -1, .null_fd = -1};
}

/* ---- the start ---- */

struct child launch_child(const struct launch *launch, int control_fd, int shadow_fd, int output_fd)
{
  struct child child = {.path = launch->path,
                        .folder = launch->folder,
                        .argv = launch->argv,
                        .envp = launch->envp,
                        .descriptor = {{launch->null_fd, 0},
                                       {output_fd, 1},
                                       {output_fd, 2},
                                       {control_fd, CONTROL_FD},
                                       {shadow_fd, SHADOW_FD},
                                       {launch->library_fd, LIBRARY_FD}}};
  child.descriptors = launch->library_fd >= 0 ? 6 : 5;
  return child;
}

bool launch_share(const struct launch *launch, int control_fd, int shadow_fd, int output_fd)
{
  return dup2(control_fd, CONTROL_FD) >= 0 && dup2(shadow_fd, SHADOW_FD) >= 0 && dup2(output_fd, OUTPUT_FD) >= 0 &&
         (launch->library_fd < 0 || dup2(launch->library_fd, LIBRARY_FD) >= 0);
}
