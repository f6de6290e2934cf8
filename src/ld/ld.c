/* SPDX-License-Identifier: Apache-2.0
 *
 * `ld`: stands before the linker when heddle cc links, found by the compiler because of -B, by whatever name it is
 * asked for. It lets the real one link and tell what it took in. If some of that has code without hooks, it links once
 * more, with an object file that names those parts (link/note.h): what their code does to memory is not seen, so no
 * search of the program is a proof.
 *
 * It never makes a link fail that would not fail without it.
 */
#include "assemble/object_file.h"
#include "core/system_library.h"
#include "link/disassembly.h"
#include "link/note.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- the real linker ---- */

static bool is_this_program(const char *path)
{
  struct stat self, other;
  return stat("/proc/self/exe", &self) == 0 && stat(path, &other) == 0 && self.st_dev == other.st_dev &&
         self.st_ino == other.st_ino;
}

static bool find_in(const char *folders, const char *name, char path[PATH_MAX])
{
  for (const char *at = folders; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
    int length = (int)strcspn(at, ":");
    if (length && snprintf(path, PATH_MAX, "%.*s/%s", length, at, name) < PATH_MAX && access(path, X_OK) == 0 &&
        !is_this_program(path))
      return true;
  }
  return false;
}

/* Where the compiler would find it: gcc tells in COMPILER_PATH. */
static bool find_linker(const char *name, char path[PATH_MAX])
{
  const char *folders = getenv("PATH");
  return find_in(getenv("COMPILER_PATH"), name, path) || find_in(folders ? folders : "/usr/bin:/bin", name, path);
}

/* ---- running it ---- */

/* Becomes the real linker. */
static int become(const char *linker, char **argv)
{
  execv(linker, argv);
  fprintf(stderr, "heddle: cannot run %s: %s\n", linker, strerror(errno));
  return 1;
}

/* Runs a program with its output in a file and its errors in another, -1: where ours go. Its exit status; 1 if it has
 * none. */
static int run(const char *program, char **argv, int output, int errors)
{
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status = 1;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return 1;
  if (output >= 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors >= 0)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  bool started = posix_spawnp(&pid, program, &actions, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started)
    return 1;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The arguments, with a few before and a few behind them; NULL: no memory left. The words are not copied. */
static char **with_words(char **argv, char *before, char *const *behind)
{
  size_t argc = 0, more = 0, n = 0;
  while (argv[argc])
    argc++;
  while (behind && behind[more])
    more++;
  char **all = calloc(argc + more + 2, sizeof *all);
  if (!all)
    return NULL;
  all[n++] = argv[0];
  if (before)
    all[n++] = before;
  for (size_t i = 1; i < argc; i++)
    all[n++] = argv[i];
  for (size_t i = 0; i < more; i++)
    all[n++] = behind[i];
  return all;
}

static bool is_any(const char *word, const char *const *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(word, list[i]))
      return true;
  return false;
}

/* Whether the user wants to read what the linker says. */
static bool is_asked_to_tell(char **argv)
{
  static const char *const list[] = {"-t",     "--trace",   "-M",        "--print-map", "--cref",
                                     "-cref",  "--stats",   "--verbose", "-verbose",    "--print-memory-usage",
                                     "-trace", "-print-map"};
  for (char **word = argv + 1; *word; word++)
    if (is_any(*word, list, sizeof list / sizeof *list))
      return true;
  return false;
}

/* Whether it only asks the linker about itself. */
static bool is_a_question(char **argv)
{
  static const char *const list[] = {"-v", "-V", "--version", "-version", "--help", "-help", "--target-help"};
  for (char **word = argv + 1; *word; word++)
    if (is_any(*word, list, sizeof list / sizeof *list))
      return true;
  return !argv[1];
}

/* ---- what was taken in ---- */

#define NAMES_MOST 32 /* more would not be read */

struct unhooked {
  char *name[NAMES_MOST];
  size_t count;
};

static struct bytes map_file(const char *path)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return (struct bytes){0};
  bool fits = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
  void *at = fits ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  return at == MAP_FAILED ? (struct bytes){0} : (struct bytes){at, (size_t)st.st_size};
}

static void unmap_file(struct bytes file)
{
  if (file.at)
    munmap((void *)file.at, file.size);
}

/* Whether the code accesses memory that others could access. Without a disassembler, it does. */
static bool may_access(struct bytes object)
{
  char path[32];
  int code = memfd_create("heddle-code", 0), text = memfd_create("heddle-text", 0);
  bool written = code >= 0 && text >= 0 && write(code, object.at, object.size) == (ssize_t)object.size;
  snprintf(path, sizeof path, "/proc/self/fd/%d", code);
  char *const argv[] = {"objdump", "-d", "--no-show-raw-insn", path, NULL};
  int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
  bool accesses = true;
  if (written && run("objdump", (char **)argv, text, silence) == 0 && lseek(text, 0, SEEK_SET) == 0) {
    FILE *file = fdopen(text, "r");
    accesses = !file || disassembly_accesses(file);
    if (file)
      fclose(file), text = -1;
  }
  const int all[] = {code, text, silence};
  for (size_t i = 0; i < 3; i++)
    if (all[i] >= 0)
      close(all[i]);
  return accesses;
}

static bool is_unhooked(struct bytes object)
{
  enum object_file_kind kind = object_file_kind(object);
  return kind == OBJECT_FILE_LATE || (kind == OBJECT_FILE_UNHOOKED && may_access(object));
}

static void add_name(struct unhooked *u, const char *archive, const char *name)
{
  char *text = NULL;
  if (u->count == NAMES_MOST)
    return;
  if (archive ? asprintf(&text, "%s(%s)", base_name(archive), base_name(name)) > 0
              : (text = strdup(base_name(name))) != NULL)
    u->name[u->count++] = text;
}

struct member_search {
  struct unhooked *unhooked;
  const char *archive;
};

static void visit_member(void *context, struct bytes member, const char *path)
{
  const struct member_search *search = context;
  char name[PATH_MAX];
  struct bytes file = {0};
  if (!member.at) {
    int folder = path[0] == '/' ? 0 : (int)(base_name(search->archive) - search->archive);
    if (snprintf(name, sizeof name, "%.*s%s", folder, search->archive, path) < (int)sizeof name)
      file = member = map_file(name);
  }
  if (member.at && is_unhooked(member))
    add_name(search->unhooked, search->archive, path);
  unmap_file(file);
}

/* Splits "archive(member)" or "(archive)member" in place; false if the line names a file. */
static bool split_member(char *line, char **archive, char **member)
{
  size_t length = strlen(line);
  char *open = strrchr(line, '('), *close = strchr(line, ')');
  if (line[0] == '(' && close) {
    *archive = line + 1;
    *member = close + 1;
    *close = 0;
    return true;
  }
  if (length < 3 || line[length - 1] != ')' || !open || open == line)
    return false;
  *archive = line;
  *member = open + 1;
  *open = line[length - 1] = 0;
  return true;
}

static void look_at(struct unhooked *u, char *line)
{
  char *archive = NULL, *member = NULL;
  bool whole = access(line, R_OK) == 0 || !split_member(line, &archive, &member);
  const char *path = whole ? line : archive;
  if (is_system_object(path))
    return;
  struct bytes file = map_file(path);
  if (!file.at)
    return;
  struct member_search search = {u, archive};
  if (!whole)
    archive_find(file, member, visit_member, &search);
  else if (is_unhooked(file))
    add_name(u, NULL, path);
  unmap_file(file);
}

/* Reads the list of what the linker took in: a line for each file, and for each member of an archive. */
static void read_trace(struct unhooked *u, int trace)
{
  char *line = NULL;
  size_t room = 0;
  FILE *file = lseek(trace, 0, SEEK_SET) == 0 ? fdopen(dup(trace), "r") : NULL;
  while (file && getline(&line, &room, file) >= 0) {
    line[strcspn(line, "\n")] = 0;
    if (line[0])
      look_at(u, line);
  }
  if (file)
    fclose(file);
  free(line);
}

/* ---- linking ---- */

/* A descriptor of the object file with the notes, or -1. */
static int notes_in_memory(const struct unhooked *u)
{
  int fd = memfd_create("heddle-notes", 0);
  FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "w");
  bool written = file && note_object_write(file, u->name, u->count);
  if (file)
    fclose(file);
  if (written)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

/* Links with the notes. False: that did not work. */
static bool link_with_notes(const char *linker, char **argv, const struct unhooked *u, bool tells, int silence)
{
  char object[64];
  int notes = notes_in_memory(u);
  snprintf(object, sizeof object, "/proc/%d/fd/%d", (int)getpid(), notes);
  char **again = with_words(argv, object, NULL);
  bool linked = notes >= 0 && again && run(linker, again, tells ? -1 : silence, tells ? -1 : silence) == 0;
  free(again);
  if (notes >= 0)
    close(notes);
  return linked;
}

/* Errors and warnings are told by the first link; but if the user wants more told, all is told by the last. */
static int link_program(const char *linker, char **argv)
{
  bool tells = is_asked_to_tell(argv);
  int trace = memfd_create("heddle-trace", MFD_CLOEXEC), silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
  char **traced = with_words(argv, NULL, (char *const[]){"-t", "-t", NULL});
  if (trace < 0 || silence < 0 || !traced)
    return become(linker, argv);
  int status = run(linker, traced, trace, tells ? silence : -1);
  free(traced);
  if (status != 0)
    return tells ? become(linker, argv) : status;
  struct unhooked u = {0};
  read_trace(&u, trace);
  bool done = u.count ? link_with_notes(linker, argv, &u, tells, silence) : !tells;
  while (u.count)
    free(u.name[--u.count]);
  return done ? 0 : become(linker, argv);
}

int main(int argc, char **argv)
{
  char linker[PATH_MAX];
  const char *name = argc > 0 ? base_name(argv[0]) : "ld";
  if (!find_linker(name, linker)) {
    fprintf(stderr, "heddle: there is no linker `%s` in PATH\n", name);
    return 1;
  }
  return is_a_question(argv) ? become(linker, argv) : link_program(linker, argv);
}
