/* SPDX-License-Identifier: Apache-2.0
 *
 * `as`: stands before the assembler when heddle cc compiles, found by the compiler because of -B. It gives the real one
 * the compiler's text with hooks in inline assembly (assemble/insert_hooks.h). The text goes through memory: no files,
 * also with -pipe.
 *
 * It never makes a compilation fail that would not fail without it. What it does not understand goes to the real
 * assembler as it came, and if that refuses the text with hooks, it gets the text without.
 */
#include "assemble/insert_hooks.h"
#include "core/compile_record.h"
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

#define FD_NAME_SIZE 32

/* ---- the real assembler ---- */

static bool is_this_program(const char *path)
{
  struct stat self, other;
  return stat("/proc/self/exe", &self) == 0 && stat(path, &other) == 0 && self.st_dev == other.st_dev &&
         self.st_ino == other.st_ino;
}

static bool find_assembler(char path[PATH_MAX])
{
  const char *folders = getenv("PATH");
  for (const char *at = folders ? folders : "/usr/bin:/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
    int length = (int)strcspn(at, ":");
    if (length && snprintf(path, PATH_MAX, "%.*s/as", length, at) < PATH_MAX && access(path, X_OK) == 0 &&
        !is_this_program(path))
      return true;
  }
  return false;
}

/* ---- the command line ---- */

struct command {
  char **argv; /* with room for two more */
  int argc;
  int input;   /* index of the file to assemble, 0: standard input */
  bool simple; /* we know what to do */
};

static bool takes_next(const char *option)
{
  static const char *const list[] = {"-o", "-I", "--defsym", "--debug-prefix-map", "--MD", "-G", "-T"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (!strcmp(option, list[i]))
      return true;
  return false;
}

static struct command command_read(int argc, char **argv)
{
  struct command c = {.argc = argc, .simple = true};
  int inputs = 0;
  for (int i = 1; i < argc; i++) {
    if (takes_next(argv[i])) {
      i++;
    } else if (argv[i][0] != '-') {
      c.input = i;
      inputs++;
    } else if (!strcmp(argv[i], "-") || !strcmp(argv[i], "--32") || !strcmp(argv[i], "--x32") ||
               !strncmp(argv[i], "--version", 9) || !strncmp(argv[i], "--help", 6) || !strcmp(argv[i], "--")) {
      c.simple = false;
    }
  }
  c.simple &= inputs < 2;
  c.argv = calloc((size_t)argc + 3, sizeof *c.argv);
  for (int i = 0; c.argv && i < argc; i++)
    c.argv[i] = argv[i];
  return c;
}

/* ---- texts ---- */

/* All that can be read; NULL, with errno, if it cannot. */
static char *read_all(int fd, size_t *size)
{
  size_t room = 1 << 16;
  char *text = malloc(room);
  *size = 0;
  while (text) {
    if (*size == room) {
      char *more = realloc(text, room *= 2);
      if (!more)
        break;
      text = more;
    }
    ssize_t n = read(fd, text + *size, room - *size);
    if (n == 0)
      return text;
    if (n < 0 && errno != EINTR)
      break;
    *size += n > 0 ? (size_t)n : 0;
  }
  free(text);
  return NULL;
}

/* A file in memory with the text; its descriptor, or -1. */
static int text_in_memory(const char *text, size_t size)
{
  int fd = memfd_create("heddle-as", 0);
  for (size_t at = 0; fd >= 0 && at < size;) {
    ssize_t n = write(fd, text + at, size - at);
    if (n < 0 && errno != EINTR) {
      close(fd);
      return -1;
    }
    at += n > 0 ? (size_t)n : 0;
  }
  if (fd >= 0)
    lseek(fd, 0, SEEK_SET);
  return fd;
}

/* The command that this is a part of, for the program (core/compile_record.h). */
static void put_command(FILE *out)
{
  const char *record = getenv(COMPILE_RECORD_ENV);
  if (!record)
    return;
  fputs("\t.pushsection " COMPILE_RECORD_SECTION ",\"\",@progbits\n\t.ascii \"", out);
  for (; *record; record++)
    fprintf(out, "\\%03o", *record == COMPILE_RECORD_END ? 0 : (unsigned char)*record);
  fputs("\"\n\t.popsection\n", out);
}

/* What the assembler is to be given instead of the text, or after it. */
static int hooked_text(struct span text, const char *name, enum hooking how, struct hooked *result)
{
  char *buffer = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&buffer, &size);
  bool right = out && hooks_insert(text, name, how, out, result);
  if (right && result->by_compiler)
    put_command(out);
  if (out && fclose(out) != 0)
    right = false;
  int fd = right ? text_in_memory(buffer, size) : -1;
  free(buffer);
  return fd;
}

/* ---- running it ---- */

/* Assembles with its messages kept back. True if it succeeded. */
static bool assembles(const char *assembler, char **argv)
{
  pid_t pid;
  int status;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int problem = posix_spawn(&pid, assembler, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem)
    return false;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int become(const char *assembler, char **argv)
{
  execv(assembler, argv);
  fprintf(stderr, "heddle: cannot run %s: %s\n", assembler, strerror(errno));
  return 1;
}

/* The input of the command is the file of that descriptor. */
static void use_text(struct command *c, int fd, char name[FD_NAME_SIZE])
{
  snprintf(name, FD_NAME_SIZE, "/proc/self/fd/%d", fd);
  if (!c->input)
    c->input = c->argc++;
  c->argv[c->input] = name;
}

static int assemble(const char *assembler, struct command *c, struct span text)
{
  char name[FD_NAME_SIZE], *given = c->input ? c->argv[c->input] : NULL;
  struct hooked result;
  int fd = hooked_text(text, given ? given : "standard input", HOOKING_ALL, &result);
  int original = given ? -1 : text_in_memory(text.at, text.length);
  if (fd < 0 || (!given && original < 0)) {
    fprintf(stderr, "heddle: no memory left to assemble\n");
    return 1;
  }
  if (!result.by_compiler) { /* the assembler takes several files as one: ours comes after the user's */
    char own[FD_NAME_SIZE];
    if (!given)
      use_text(c, original, own);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    c->argv[c->argc++] = name;
    return become(assembler, c->argv);
  }
  use_text(c, fd, name);
  if (!result.hooks || assembles(assembler, c->argv))
    return result.hooks ? 0 : become(assembler, c->argv);
  fd = hooked_text(text, given ? given : "standard input", HOOKING_NOTES, &result);
  if (fd < 0) {
    fprintf(stderr, "heddle: no memory left to assemble\n");
    return 1;
  }
  use_text(c, fd, name);
  return become(assembler, c->argv);
}

static int run(struct command *c)
{
  char assembler[PATH_MAX];
  if (!c->argv || !find_assembler(assembler)) {
    fprintf(stderr, "heddle: there is no assembler `as` in PATH\n");
    return 1;
  }
  const char *name = c->input ? c->argv[c->input] : "standard input";
  int fd = c->input ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (!c->simple || fd < 0)
    return become(assembler, c->argv);
  size_t size;
  char *text = read_all(fd, &size);
  if (!text) {
    fprintf(stderr, "heddle: %s: %s\n", name, strerror(errno));
    return 1;
  }
  int status = assemble(assembler, c, (struct span){text, size});
  free(text);
  return status;
}

int main(int argc, char **argv)
{
  struct command command = command_read(argc, argv);
  int status = run(&command);
  free(command.argv);
  return status;
}
