/* SPDX-License-Identifier: Apache-2.0
 *
 * `heddle cc` and `heddle c++`: a drop-in for gcc and clang that instruments what is compiled and puts libheddle.so in
 * front of the C library in what is linked.
 *
 * The user's command line is kept as it is, in its order, and run as one command; ours goes in front of it. The
 * compilation proper (cc1) is told to instrument behind the driver's back - gcc by a specs file, clang by -Xclang - so
 * the driver never links the sanitizer's own runtime, and commands that compile and link at once need no splitting, no
 * temporary files and no knowledge of how the compiler names its outputs. The assembler that the compiler calls is ours
 * (src/as), found by -B: it puts hooks into inline assembly and runs the real one. So is the linker (src/ld), which
 * looks for parts of the program that have no hooks. What is not an instrumented compilation or a link (--version,
 * -print-*, -v: the probes of build systems) passes through untouched.
 *
 * It must never change what the program means: no optimisation level, no macro but __HEDDLE__, no include folder
 * before the user's (heddle-c++ comes before the compiler's own, so that strings are compiled with
 * hooks, and the library's locks order what they guard). */
#include "cli/compile/cc.h"
#include "cli/compile/argument_words.h"
#include "cli/compile/side_files.h"
#include "core/compile_record.h"
#include "file/input_file.h"
#include "file/paths.h"
#include "report/story/story.h"
#include "session/console.h"
#include "session/installed.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the compiler ------------------------------------------------------------------------------------------- */

struct compiler {
  struct argument_words command; /* the compiler, perhaps behind a launcher such as ccache */
  bool clang;
};

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Runs the compiler with one argument, keeps the beginning of its output. False if it could not. */
static bool ask_compiler(const struct compiler *compiler, const char *question, char *out, size_t size)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  struct argument_words argv = {0};
  for (size_t i = 0; i < compiler->command.count; i++)
    words_add(&argv, compiler->command.item[i]);
  words_add(&argv, question);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid;
  bool started = posix_spawnp(&pid, argv.item[0], &actions, NULL, argv.item, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  words_free(&argv);
  close(ends[1]);

  size_t length = 0;
  char rest[256];
  for (ssize_t n = 1; started && n > 0;) { /* to the end: it must not die of SIGPIPE */
    bool full = length + 1 >= size;
    n = full ? read(ends[0], rest, sizeof rest) : read(ends[0], out + length, size - 1 - length);
    if (n > 0 && !full)
      length += (size_t)n;
  }
  out[length] = 0;
  close(ends[0]);
  int status = 1;
  return started && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_clang(const struct compiler *compiler)
{
  const char *name = base_name(compiler->command.item[compiler->command.count - 1]);
  if (strstr(name, "clang"))
    return true;
  if (strstr(name, "gcc") || strstr(name, "g++"))
    return false;
  char version[512];
  return ask_compiler(compiler, "--version", version, sizeof version) && strstr(version, "clang");
}

/* One line that says what is wrong. */
#define PROBLEM_SIZE 256

/* HEDDLE_CC or HEDDLE_CXX: a program, or a program with arguments. False, with the problem, when it is heddle
 * itself. */
static bool compiler_find(struct compiler *out, bool cxx, char problem[PROBLEM_SIZE])
{
  *out = (struct compiler){0};
  const char *variable = cxx ? "HEDDLE_CXX" : "HEDDLE_CC";
  const char *value = getenv(variable);
  if (value && access(value, X_OK) == 0)
    words_add(&out->command, value);
  else if (value)
    words_split(&out->command, value);
  if (out->command.count == 0)
    words_add(&out->command, cxx ? "g++" : "gcc");
  if (strcmp(base_name(out->command.item[0]), "heddle") == 0) {
    snprintf(problem, PROBLEM_SIZE, "%s names heddle itself; it is to name the compiler that heddle runs", variable);
    return false;
  }
  if (strstr(base_name(out->command.item[0]), "musl")) {
    snprintf(problem, PROBLEM_SIZE, "%s links programs with musl, which cannot load libheddle.so; heddle needs glibc",
             out->command.item[0]);
    return false;
  }
  out->clang = is_clang(out);
  return true;
}

/* ---- the user's command line -------------------------------------------------------------------------------- */

enum input { INPUT_SOURCE, INPUT_HEADER, INPUT_ASSEMBLER, INPUT_OTHER };

struct command {
  struct argument_words args;      /* the user's, without what heddle takes out */
  struct argument_words schedules; /* schedule files among them */
  bool source;                     /* there is something to instrument */
  bool assembler;                  /* there is something to assemble that nobody compiled */
  bool linkable;                   /* there is an input other than a header */
  bool input;                      /* there is any */
  bool stops;                      /* ends before the link */
  bool relocatable;                /* links into an object file */
  bool statically;
  bool debug;       /* has a -g option of its own */
  bool checked;     /* with a sanitizer that can be beside heddle */
  char refused[64]; /* a sanitizer that cannot be */
};

/* Whether the word is one of a list of words, each between two blanks. */
static bool is_listed(const char *word, const char *list)
{
  size_t length = strlen(word);
  for (const char *at = list; length && (at = strstr(at, word)); at++)
    if (at > list && at[-1] == ' ' && at[length] == ' ')
      return true;
  return false;
}

#define CXX_ENDINGS " cc cp cxx cpp CPP c++ C ii "
#define SOURCE_ENDINGS CXX_ENDINGS " c i m mi mm M mii "
#define ASSEMBLER_ENDINGS " s S sx "
#define HEADER_ENDINGS " h hh H hp hxx hpp HPP h++ tcc "

static const char *ending(const char *name)
{
  const char *dot = strrchr(base_name(name), '.');
  return dot ? dot + 1 : "";
}

bool is_source_file(const char *name)
{
  return is_listed(ending(name), SOURCE_ENDINGS);
}

bool is_cxx_file(const char *name)
{
  return is_listed(ending(name), CXX_ENDINGS);
}

/* language: the last -x, or NULL. */
static enum input input_kind(const char *name, const char *language)
{
  if (language) {
    if (strstr(language, "header"))
      return INPUT_HEADER;
    return strncmp(language, "assembler", 9) == 0 ? INPUT_ASSEMBLER : INPUT_SOURCE;
  }
  if (is_listed(ending(name), HEADER_ENDINGS))
    return INPUT_HEADER;
  if (is_listed(ending(name), ASSEMBLER_ENDINGS))
    return INPUT_ASSEMBLER;
  return is_source_file(name) || strcmp(name, "-") == 0 ? INPUT_SOURCE : INPUT_OTHER;
}

/* Options whose argument is the next word, which is thus no input. */
static bool takes_next(const char *option)
{
  return is_listed(option,
                   " -o -x -I -L -D -U -B -T -u -z -e -l -A -G -F -R -V -b -include -imacros -idirafter -iprefix "
                   "-iwithprefix -iwithprefixbefore -isystem -iquote -isysroot -imultilib -imultiarch "
                   "-include-pch -ivfsoverlay -iframework -MF -MT -MQ -MJ -Xlinker -Xassembler -Xpreprocessor "
                   "-Xclang -Xanalyzer -mllvm --param -aux-info -dumpbase -dumpbase-ext -dumpdir --sysroot "
                   "-Ttext -Tdata -Tbss -wrapper -target --target -gcc-toolchain -arch -framework -rpath --entry "
                   "--output --include --include-directory --define-macro --undefine-macro --library-directory "
                   "--language -serialize-diagnostics --serialize-diagnostics ");
}

/* Sanitizers with a runtime of their own that wants to be in heddle's place; of these, what heddle's heap does anyway.
 */
#define IMPOSSIBLE " address hwaddress memory leak dataflow memtag kernel-address kernel-hwaddress kernel-memory "
#define DONE_BY_HEDDLE " address hwaddress leak "

/* Notes one word of a comma-separated -fsanitize= list. True if it stays. */
static bool keep_sanitizer(struct command *command, const char *name, size_t length, bool on)
{
  char word[sizeof command->refused];
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  if (on && is_listed(word, IMPOSSIBLE))
    strcpy(command->refused, word);
  return strcmp(word, "thread") != 0 && (on || strcmp(word, "all") != 0);
}

/* -fsanitize=LIST and -fno-sanitize=LIST: without `thread`, which is heddle's own affair, or not at all. */
static void add_sanitizers(struct command *command, const char *option, bool on)
{
  const char *name = strchr(option, '=') + 1;
  char *kept = need_memory(malloc(strlen(option) + 1));
  size_t used = (size_t)(name - option), prefix = used;
  memcpy(kept, option, used);
  while (*name) {
    size_t length = strcspn(name, ",");
    if (length && keep_sanitizer(command, name, length, on)) {
      if (used > prefix)
        kept[used++] = ',';
      memcpy(kept + used, name, length);
      used += length;
    }
    name += length + (name[length] == ',');
  }
  kept[used] = 0;
  if (used > prefix)
    words_add(&command->args, kept);
  command->checked |= on && used > prefix;
  free(kept);
}

/* Options that are heddle's to decide: true if the word was dealt with. Link-time optimisation would move the
 * instrumentation to a place where it is not asked for. */
static bool take_out(struct command *command, const char *word)
{
  if (strncmp(word, "-fsanitize=", 11) == 0) {
    add_sanitizers(command, word, true);
    return true;
  }
  if (strncmp(word, "-fno-sanitize=", 14) == 0) {
    add_sanitizers(command, word, false);
    return true;
  }
  return strncmp(word, "-fsanitize-thread-", 18) == 0 || strncmp(word, "-fno-sanitize-thread-", 21) == 0 ||
         strcmp(word, "-flto") == 0 || strncmp(word, "-flto=", 6) == 0;
}

/* How many of the words, from the first, repeat what heddle gives to clang by itself: it refuses to be told twice, and
 * heddle's CMake package tells it. */
static size_t repeats_ours(char *const *word, size_t words)
{
  bool twice = words >= 4 && !strcmp(word[0], "-Xclang") && !strcmp(word[1], "-mllvm") && !strcmp(word[2], "-Xclang");
  size_t last = twice ? 3 : 1;
  if (!twice && (words < 2 || strcmp(word[0], "-mllvm") != 0))
    return 0;
  return !strncmp(word[last], "-tsan-instrument-read-before-write", 34) ||
                 !strncmp(word[last], "-tsan-distinguish-volatile", 26)
             ? last + 1
             : 0;
}

static void note_option(struct command *command, const char *word)
{
  command->stops |= is_listed(word, " -c -S -E -M -MM -fsyntax-only --compile --preprocess --assemble --precompile "
                                    "--analyze -emit-ast --dependencies --user-dependencies ");
  command->statically |= is_listed(word, " -static --static -static-pie ");
  command->relocatable |= is_listed(word, " -r -Wl,-r -Wl,--relocatable ");
  command->debug |= word[1] == 'g' && strncmp(word, "-gcc-toolchain", 14) != 0;
  if (strncmp(word, "-l", 2) == 0 || strncmp(word, "-Wl,", 4) == 0 || strcmp(word, "-Xlinker") == 0)
    command->input = command->linkable = true;
}

static void note_input(struct command *command, const char *name, const char *language)
{
  enum input kind = input_kind(name, language);
  command->input = true;
  command->source |= kind == INPUT_SOURCE || kind == INPUT_HEADER;
  command->assembler |= kind == INPUT_ASSEMBLER;
  command->linkable |= kind != INPUT_HEADER;
}

/* The language that -x names for what follows it, NULL for `none`. */
static const char *language_named(const char *name)
{
  return strcmp(name, "none") == 0 ? NULL : name;
}

static void command_read(struct command *command, const struct argument_words *given)
{
  const char *language = NULL;
  bool options = true; /* until -- */
  for (size_t i = 0; i < given->count; i++) {
    const char *word = given->item[i];
    size_t ours = options ? repeats_ours(given->item + i, given->count - i) : 0;
    if (ours) {
      i += ours - 1;
      continue;
    }
    if (is_schedule_file(word)) {
      words_add(&command->schedules, word);
      continue;
    }
    if (!options || word[0] != '-' || !word[1]) {
      note_input(command, word, language);
    } else if (strcmp(word, "--") == 0) {
      options = false;
    } else if (take_out(command, word)) {
      continue;
    } else {
      note_option(command, word);
      if (word[1] == 'x' && word[2])
        language = language_named(word + 2);
      if (takes_next(word) && i + 1 < given->count) {
        words_add(&command->args, word);
        word = given->item[++i];
        if (strcmp(given->item[i - 1], "-x") == 0)
          language = language_named(word);
      }
    }
    words_add(&command->args, word);
  }
}

#define RECORD_MOST (1u << 16) /* bytes: an environment has room for more */

/* ---- schedule files ------------------------------------------------------------------------------------------ */

/* The sources of a command, and copies of them that have events of schedule files. */
struct placing {
  struct side_files files;
  struct side_source *source;
  size_t *at; /* the word that each is */
  size_t sources;
  bool replaced; /* sources with a copy are no longer words of the command */
};

static void placing_note(struct placing *p, const char *path, size_t at)
{
  p->source = need_memory(realloc(p->source, (p->sources + 1) * sizeof *p->source));
  p->at = need_memory(realloc(p->at, (p->sources + 1) * sizeof *p->at));
  p->source[p->sources] = (struct side_source){.path = path, .cxx = is_cxx_file(path)};
  p->at[p->sources++] = at;
}

/* In the place of the source; what it includes is looked for beside the source. */
static void use_copy(struct argument_words *args, const struct side_source *source, size_t at)
{
  char *folder = path_folder(source->path), *map = NULL;
  words_add_all(args, (const char *const[]){"-iquote", need_memory(folder), NULL});
  words_take(args, asprintf(&map, "-fdebug-prefix-map=%s=%s", source->folder, folder) < 0 ? NULL : map);
  free(folder);
  args->item[at] = need_memory(strdup(source->copy)); /* the word before is the source's, still */
}

/* False, with the problem, if a schedule file is wrong. */
static bool place_events(struct placing *p, struct argument_words *args, const struct argument_words *schedules,
                         char problem[PROBLEM_SIZE])
{
  *p = (struct placing){0};
  for (size_t i = 0; i < args->count; i++) {
    const bool input = args->item[i][0] != '-' && !(i && takes_next(args->item[i - 1]));
    if (input && is_source_file(args->item[i]))
      placing_note(p, args->item[i], i);
  }
  if (!side_files_open(&p->files, p->source, p->sources, schedules->item, schedules->count, problem, PROBLEM_SIZE))
    return false;
  for (size_t i = 0; i < p->sources; i++)
    if (p->source[i].copy)
      use_copy(args, &p->source[i], p->at[i]);
  p->replaced = true;
  return true;
}

static void placing_close(struct placing *p)
{
  for (size_t i = 0; i < p->sources; i++)
    if (p->replaced && p->source[i].copy)
      free((char *)p->source[i].path);
  side_files_close(&p->files, p->source, p->sources);
  free(p->source);
  free(p->at);
}

/* ---- what heddle adds --------------------------------------------------------------------------------------- */

static void add_instrumentation(struct argument_words *argv, const struct compiler *compiler,
                                const struct heddle_paths *paths, bool debug)
{
  static const char *const clang[] = {"-Xclang", "-fsanitize=thread",
                                      /* else the load of `x++` would have no hook */
                                      "-Xclang", "-mllvm", "-Xclang", "-tsan-instrument-read-before-write=1", "-Xclang",
                                      "-mllvm", "-Xclang", "-tsan-distinguish-volatile=1", "-Xclang",
                                      "-fpatchable-function-entry=5", /* room for a call: --calls */
                                      "-Xclang", "-disable-red-zone", /* room for hooks in inline assembly */
                                      NULL};
  static const char *const both[] = {"-fno-omit-frame-pointer", "-D__HEDDLE__=1", "-idirafter", NULL};
  if (compiler->clang) {
    words_add_all(argv, clang);
  } else {
    char *specs = NULL, *fortify = NULL;
    words_take(argv, asprintf(&specs, "-specs=%s/gcc.specs", paths->lib_dir) < 0 ? NULL : specs);
    words_add(argv, "-isystem"); /* checked functions stay calls too */
    words_take(argv, asprintf(&fortify, "%s/heddle_fortify", paths->include_dir) < 0 ? NULL : fortify);
  }
  if (debug)
    words_add(argv, "-g");
  words_add_all(argv, both);
  words_add(argv, paths->include_dir);
  char *cxx = NULL; /* what strings do is to have hooks, too */
  words_add(argv, "-isystem");
  words_take(argv, asprintf(&cxx, "%s/heddle-c++", paths->include_dir) < 0 ? NULL : cxx);
}

/* Where the compiler finds our assembler and our linker. */
static void add_folder(struct argument_words *argv, const struct heddle_paths *paths)
{
  char *folder = NULL;
  words_take(argv, asprintf(&folder, "-B%s", paths->lib_dir) < 0 ? NULL : folder);
}

/* First of all libraries, so that its functions come before the C library's whatever else is linked, and kept even if
 * the linker thinks nobody needs it. What it replaces in Check, mostly a static library, must be named
 * (worlds/threads/framework/libcheck.c). */
static void add_library(struct argument_words *argv, const struct heddle_paths *paths)
{
  const char *const list[] = {"-Xlinker",     "--push-state",
                              "-Xlinker",     "--no-as-needed",
                              paths->library, "-Xlinker",
                              "--pop-state",  "-Xlinker",
                              "-rpath",       "-Xlinker",
                              paths->lib_dir, "-Wl,--wrap=_tcase_add_test,--wrap=_ck_assert_failed",
                              "-pthread",     NULL};
  words_add_all(argv, list);
}

/* The runtime of UBSan as a library of its own: within the program its locks could not be told from the program's, and
 * races could be seen less well. */
static void add_shared_sanitizer(struct argument_words *argv, const struct compiler *compiler)
{
  char path[PATH_MAX];
  if (!ask_compiler(compiler, "-print-file-name=libclang_rt.ubsan_standalone-x86_64.so", path, sizeof path))
    return;
  char *slash = strrchr(path, '/'); /* a name alone: there is none */
  if (!slash)
    return;
  *slash = 0;
  words_add_all(argv, (const char *const[]){"-shared-libsan", "-Xlinker", "-rpath", "-Xlinker", path, NULL});
}

static bool command_links(const struct command *command)
{
  return command->linkable && !command->stops && !command->relocatable;
}

/* False, with the problem, when the command cannot work under heddle. */
static bool command_possible(const struct command *command, char problem[PROBLEM_SIZE])
{
  if (is_listed(command->refused, DONE_BY_HEDDLE)) {
    snprintf(problem, PROBLEM_SIZE,
             "-fsanitize=%s is not possible beside heddle, nor needed: heddle's own heap finds use after free, double "
             "free, overflows and leaks; compile without it",
             command->refused);
    return false;
  }
  if (command->refused[0]) {
    snprintf(problem, PROBLEM_SIZE,
             "-fsanitize=%s cannot work: heddle takes the place of the sanitizer's runtime; compile without it",
             command->refused);
    return false;
  }
  if (command->statically && command_links(command)) {
    snprintf(problem, PROBLEM_SIZE,
             "-static cannot work: heddle takes over the scheduler through the dynamic linker; link dynamically");
    return false;
  }
  return true;
}

/* The command to run instead of the user's. False, with the problem, if there is none. */
static bool command_build(struct argument_words *argv, const struct command *command, const struct compiler *compiler,
                          char problem[PROBLEM_SIZE])
{
  for (size_t i = 0; i < compiler->command.count; i++)
    words_add(argv, compiler->command.item[i]);
  if (command->input) {
    struct heddle_paths paths;
    if (heddle_paths(&paths) != 0) {
      snprintf(problem, PROBLEM_SIZE,
               "libheddle.so is neither beside the program nor in ../lib/heddle; build or install heddle whole");
      return false;
    }
    if (command->source)
      add_instrumentation(argv, compiler, &paths, !command->debug);
    bool assembles = command->source || command->assembler;
    if (assembles && compiler->clang)
      words_add(argv, "-fno-integrated-as");
    if (assembles || command->linkable)
      add_folder(argv, &paths);
    if (command_links(command))
      add_library(argv, &paths);
    if (command_links(command) && command->checked && compiler->clang)
      add_shared_sanitizer(argv, compiler);
  }
  for (size_t i = 0; i < command->args.count; i++)
    words_add(argv, command->args.item[i]);
  return true;
}

/* A run path is a list with colons: a program could not find the library by itself. */
static bool findable(const struct command *command, char problem[PROBLEM_SIZE])
{
  struct heddle_paths paths;
  if (!command->input || !command_links(command) || heddle_paths(&paths) != 0 || !strchr(paths.lib_dir, ':'))
    return true;
  snprintf(problem, PROBLEM_SIZE,
           "a program cannot name a library in %.140s, because of the colon; move heddle to another folder",
           paths.lib_dir);
  return false;
}

/* The assembler puts the command into what it makes (core/compile_record.h). What cannot be said so, or is too long, is
 * not. */
static void record_command(const struct command *command, bool cxx)
{
  char *folder = getcwd(NULL, 0), *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  unsetenv(COMPILE_RECORD_ENV);
  if (out && folder) {
    fprintf(out, "%s%c%s%c", folder, COMPILE_RECORD_END, cxx ? "c++" : "cc", COMPILE_RECORD_END);
    for (size_t i = 0; i < command->args.count; i++)
      if (command->args.item[i][0]) /* an empty word is the end */
        fprintf(out, "%s%c", command->args.item[i], COMPILE_RECORD_END);
    fputc(COMPILE_RECORD_END, out);
  }
  if (out && fclose(out) == 0 && folder && command->source && size < RECORD_MOST)
    setenv(COMPILE_RECORD_ENV, text, 1);
  free(text);
  free(folder);
}

static int run_command(char *const argv[]);

/* Becomes the compiler; returns only on failure, with the exit status, or when there are copies to be removed. */
static int become(struct command *command, bool cxx, char problem[PROBLEM_SIZE])
{
  struct compiler compiler = {0};
  struct argument_words argv = {0};
  struct placing placing = {0};
  int status = STATUS_FAILED;
  record_command(command, cxx);
  if (!command_possible(command, problem) || !compiler_find(&compiler, cxx, problem) ||
      !place_events(&placing, &command->args, &command->schedules, problem)) {
    status = STATUS_USAGE;
  } else if (command_build(&argv, command, &compiler, problem) && findable(command, problem)) {
    problem[0] = 0;
    if (!placing.files.copies)
      execvp(argv.item[0], argv.item);
    else if ((status = run_command(argv.item)) >= 0)
      goto done;
    status = STATUS_FAILED;
    snprintf(problem, PROBLEM_SIZE, "cannot run %s: %s (%s chooses the compiler)", argv.item[0], strerror(errno),
             cxx ? "HEDDLE_CXX" : "HEDDLE_CC");
  }
done:
  placing_close(&placing);
  words_free(&argv);
  words_free(&compiler.command);
  return status;
}

/* The same, for the user's command line. */
static int drive(int argc, char **argv, bool cxx, char problem[PROBLEM_SIZE])
{
  struct argument_words given = {0};
  struct command command = {0};
  for (int i = 1; i < argc; i++)
    words_expand(&given, argv[i], 0);
  command_read(&command, &given);
  int status = become(&command, cxx, problem);
  words_free(&command.args);
  words_free(&command.schedules);
  words_free(&given);
  return status;
}

static int drive_or_complain(int argc, char **argv, bool cxx)
{
  char problem[PROBLEM_SIZE];
  int status = drive(argc, argv, cxx, problem);
  if (!problem[0])
    return status;
  fprintf(stderr, "heddle %s: ", argv[0]);
  print_escaped(stderr, problem);
  fputc('\n', stderr);
  return status;
}

int cmd_cc(int argc, char **argv)
{
  return drive_or_complain(argc, argv, false);
}

int cmd_cxx(int argc, char **argv)
{
  return drive_or_complain(argc, argv, true);
}

/* ---- for `heddle check FILE.c` ------------------------------------------------------------------------------ */

static bool any_cxx(char *const sources[], size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (is_cxx_file(sources[i]))
      return true;
  return false;
}

const char *compiler_banner(char *const sources[], size_t n, char out[BANNER_SIZE])
{
  bool cxx = any_cxx(sources, n);
  struct compiler compiler;
  char version[32], problem[PROBLEM_SIZE];
  out[0] = 0;
  bool found = compiler_find(&compiler, cxx, problem);
  const char *name = compiler.clang ? (cxx ? "clang++" : "clang") : cxx ? "g++" : "gcc";
  if (found && ask_compiler(&compiler, "-dumpversion", version, sizeof version))
    snprintf(out, BANNER_SIZE, "%s %.*s", name, (int)strspn(version, "0123456789"), version);
  else if (found)
    snprintf(out, BANNER_SIZE, "%s", name);
  words_free(&compiler.command);
  return out;
}

/* Runs it to its end; its exit status, or -1 when it could not be started or was killed. */
static int run_command(char *const argv[])
{
  pid_t pid;
  int status;
  int problem = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
  if (problem != 0) {
    errno = problem;
    return -1;
  }
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  errno = EINTR;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The user's command line that `heddle check FILE.c...` stands for. */
static void simple_command(struct command *out, char *const sources[], size_t n, const char *output, bool quiet)
{
  *out = (struct command){.input = true, .source = true, .linkable = true};
  words_add_all(&out->args, (const char *const[]){"-O0", "-o", output, quiet ? "-w" : NULL, NULL});
  bool cxx = any_cxx(sources, n);
  for (size_t i = 0; i < n; i++) { /* a C++ compiler takes .c for C++ unless told */
    bool c_among_cxx = cxx && strcmp(ending(sources[i]), "c") == 0;
    if (is_schedule_file(sources[i]))
      words_add(&out->schedules, sources[i]);
    else if (c_among_cxx)
      words_add_all(&out->args, (const char *const[]){"-xc", sources[i], "-xnone", NULL});
    else
      words_add_all(&out->args, (const char *const[]){sources[i], NULL});
  }
  words_add_all(&out->args, (const char *const[]){"-lm", NULL});
}

/* Runs the command. 0, or -1 with one line in error. */
static int compile(char *const argv[], char *const sources[], size_t n, char *error, size_t error_size)
{
  const int status = run_command(argv);
  if (status < 0)
    snprintf(error, error_size, "cannot run %s: %s", argv[0], strerror(errno));
  else if (status > 0)
    snprintf(error, error_size, "%s could not compile %s%s", base_name(argv[0]), sources[0], n > 1 ? " …" : "");
  return status == 0 ? 0 : -1;
}

int compile_sources(char *const sources[], size_t n, const char *output, bool quiet, char *error, size_t error_size)
{
  char problem[PROBLEM_SIZE];
  struct compiler compiler;
  struct command command;
  struct placing placing = {0};
  struct argument_words argv = {0};
  simple_command(&command, sources, n, output, quiet);
  int status = -1;
  record_command(&command, any_cxx(sources, n));
  if (!compiler_find(&compiler, any_cxx(sources, n), problem) ||
      !place_events(&placing, &command.args, &command.schedules, problem) ||
      !command_build(&argv, &command, &compiler, problem))
    snprintf(error, error_size, "%s", problem);
  else
    status = compile(argv.item, sources, n, error, error_size);
  unsetenv(COMPILE_RECORD_ENV); /* it is nothing to the program that is run later */
  placing_close(&placing);
  words_free(&argv);
  words_free(&command.args);
  words_free(&command.schedules);
  words_free(&compiler.command);
  return status;
}

/* Beside libheddle.so in a build folder, above it when installed. */
static void add_keeping(struct argument_words *argv, const struct heddle_paths *paths)
{
  char path[PATH_MAX + 32], run_path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/libheddle-enforce.so", paths->lib_dir);
  const bool beside = access(path, R_OK) == 0;
  snprintf(path, sizeof path, "-L%s%s", paths->lib_dir, beside ? "" : "/..");
  snprintf(run_path, sizeof run_path, "-Wl,-rpath,%s%s", paths->lib_dir, beside ? "" : "/..");
  words_add_all(argv, (const char *const[]){"-Wl,--no-as-needed", path, "-lheddle-enforce", run_path, NULL});
}

int compile_free(char *const sources[], size_t n, const char *output, char *error, size_t error_size)
{
  char problem[PROBLEM_SIZE];
  struct compiler compiler;
  struct heddle_paths paths;
  struct placing placing = {0};
  struct argument_words argv = {0}, args = {0}, schedules = {0};
  int status = -1;
  for (size_t i = 0; i < n; i++)
    words_add(is_schedule_file(sources[i]) ? &schedules : &args, sources[i]);
  if (!compiler_find(&compiler, any_cxx(sources, n), problem) || !place_events(&placing, &args, &schedules, problem)) {
    snprintf(error, error_size, "%s", problem);
  } else if (heddle_paths(&paths) != 0) {
    snprintf(error, error_size, "libheddle-enforce.so is not where heddle is; build or install heddle whole");
  } else {
    for (size_t i = 0; i < compiler.command.count; i++)
      words_add(&argv, compiler.command.item[i]);
    words_add_all(&argv, (const char *const[]){"-O1", "-g", "-w", "-pthread", "-idirafter", paths.include_dir, NULL});
    for (size_t i = 0; i < args.count; i++)
      words_add(&argv, args.item[i]);
    words_add_all(&argv, (const char *const[]){"-o", output, "-lm", NULL});
    add_keeping(&argv, &paths);
    status = compile(argv.item, sources, n, error, error_size);
  }
  placing_close(&placing);
  words_free(&args);
  words_free(&schedules);
  words_free(&argv);
  words_free(&compiler.command);
  return status;
}
