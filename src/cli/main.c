/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle: the table of subcommands and nothing else; what their help says is in help/.
 */
#include "cli/command/commands.h"
#include "cli/compile/cc.h"
#include "cli/find/gdb_replay.h"
#include "cli/option/options.h"
#include "schedule/setting_text.h"
#include "session/child.h"
#include "session/console.h"
#include "session/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  unsigned options;
  const char *summary;
  const unsigned char *help; /* help/NAME.txt, embedded by the build */
};

#define X(name, function, options, summary) extern const unsigned char function##_txt[];
HD_COMMANDS(X)
#undef X
extern const unsigned char heddle_txt[], status_txt[];

static const struct command commands[] = {
#define X(name, function, options, summary) {name, cmd_##function, options, summary, function##_txt},
    HD_COMMANDS(X)
#undef X
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, name))
      return &commands[i];
  return NULL;
}

static int unknown_command(const char *name)
{
  const char *names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i].name;
  const char *near = nearest_name(name, names, COMMANDS);
  const char *kind = name[0] == '-' ? "option" : "command";
  if (near)
    console_error("there is no %s \"%s\"; did you mean %s?", kind, name, near);
  else
    console_error("there is no %s \"%s\" (heddle --help lists all)", kind, name);
  return STATUS_USAGE;
}

static void list_commands(FILE *out)
{
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].summary);
}

/* A text of help/; its lines @commands, @options and @status stand for what
 * is made from tables or shared. */
static void print_help(FILE *out, const unsigned char *help, unsigned options)
{
  for (const char *line = (const char *)help, *next; *line; line = next) {
    next = line + strcspn(line, "\n") + 1;
    if (!strncmp(line, "@commands\n", (size_t)(next - line)))
      list_commands(out);
    else if (!strncmp(line, "@options\n", (size_t)(next - line)))
      options_help(out, options);
    else if (!strncmp(line, "@status\n", (size_t)(next - line)))
      fputs((const char *)status_txt, out);
    else
      fwrite(line, 1, (size_t)(next - line), out);
  }
}

static void list_choices(const struct setting *s)
{
  printf("%s", s->choices ? "" : s->argument ? s->argument : "-");
  for (const struct setting_choice *c = s->choices; c && c->name; c++)
    printf("%s%s", c == s->choices ? "" : "|", c->name);
}

/* All options of all commands, a line each with tabulators between: name, kind of value, values, default, scope,
 * commands, and the argument for the scope. */
static void list_settings(void)
{
  static const char *const kind[] = {
#define X(kind, type) [SETTING_##kind] = #kind,
      HD_SETTING_KINDS(X)
#undef X
  };
  struct settings defaults;
  char text[SETTING_TEXT_SIZE];
  settings_set_defaults(&defaults);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    printf("--%s\t%s\t", s->name, kind[s->kind]);
    list_choices(s);
    setting_text(s, &defaults, text);
    printf("\t%s\t%s\t", *text ? text : "-", s->scope == SCOPE_MEANING ? "meaning" : "how");
    const char *comma = "";
    for (size_t i = 0; i < COMMANDS; i++)
      if (commands[i].options && setting_use(s, commands[i].options)) {
        printf("%s%s", comma, commands[i].name);
        comma = ",";
      }
    printf("\t%s\n", s->why);
  }
}

int help_command(const char *name)
{
  if (!strcmp(name, "settings")) {
    list_settings();
    return STATUS_OK;
  }
  const struct command *command = find_command(name);
  if (!command)
    return unknown_command(name);
  print_help(stdout, command->help, command->options);
  return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
  if (argc < 2) {
    print_help(stderr, heddle_txt, 0);
    return STATUS_USAGE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V") || !strcmp(name, "version")) {
    printf("heddle %s\n", HEDDLE_VERSION);
    return STATUS_OK;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    if (argc > 2)
      return help_command(argv[2]);
    print_help(stdout, heddle_txt, 0);
    return STATUS_OK;
  }
  if (!strcmp(name, DEBUGGER_START))
    return debugger_start();
  const struct command *command = find_command(name);
  if (!command)
    return unknown_command(name);
  if (!command->options && argc == 3 && !strcmp(argv[2], "--help"))
    return help_command(name);
  if (command->options) {     /* but compilers as usual */
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves is no reason to leave files half done */
    child_note_inherited();
    limits_raise();
  }
  return command->run(argc - 1, argv + 1);
}

/* Descriptors 0 to 2 must not be given to files of ours. */
static void open_missing(void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      return;
}

/* As with `heddle check … | head`: nobody wants the rest, and that is no error. */
static bool reader_gone(void)
{
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

int main(int argc, char **argv)
{
  open_missing();
  int status = limits_with_stack(dispatch, argc, argv);
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE && !reader_gone()) {
    console_error("standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status == STATUS_OK ? STATUS_FAILED : status;
  }
  return status;
}
