/* SPDX-License-Identifier: Apache-2.0
 *
 * Help for people; see the header. The texts are files of this folder, embedded by the build.
 */
#include "cli/help/help.h"
#include "cli/command/commands.h"
#include "cli/help/as_json.h"
#include "cli/option/options.h"
#include "core/loss.h"
#include "schedule/setting_text.h"
#include <string.h>

extern const unsigned char heddle_txt[], status_txt[];
#define X(name, file) extern const unsigned char file##_txt[];
HD_TOPICS(X)
#undef X

const struct topic topics[TOPICS] = {
#define X(name, file) {name, file##_txt},
    HD_TOPICS(X)
#undef X
};

int help_unknown(const char *name)
{
  const char *names[COMMANDS + TOPICS];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i].name;
  for (size_t i = 0; i < TOPICS; i++)
    names[COMMANDS + i] = topics[i].name;
  const char *near = nearest_name(name, names, COMMANDS + TOPICS);
  const char *kind = name[0] == '-' ? "option" : "command";
  if (near)
    console_error("there is no %s \"%s\"; did you mean %s?", kind, name, near);
  else
    console_error("there is no %s \"%s\" (heddle --help lists all)", kind, name);
  return STATUS_USAGE;
}

static void list_commands(FILE *out)
{
  for (size_t i = 0; i < COMMANDS; i++) {
    if (!i || commands[i].stage != commands[i - 1].stage)
      fprintf(out, "%s%s:\n", i ? "\n" : "", stage_title[commands[i].stage]);
    fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].summary);
  }
}

static void list_topics(FILE *out)
{
  for (size_t i = 0; i < TOPICS; i++)
    fprintf(out, "  %-12s%.*s\n", topics[i].name, (int)strcspn((const char *)topics[i].text, "\n"), topics[i].text);
}

static void list_losses(FILE *out)
{
  for (size_t i = 0; i < LOSS_COUNT; i++)
    fprintf(out, "  %-15s%s\n", loss_name[i], loss_sentence[i]);
}

static void list_strategies(FILE *out)
{
  for (size_t i = 0; i < STRATEGY_COUNT; i++)
    if (strategy_is_for(i, FOR_SAMPLES | FOR_EXPLORE))
      fprintf(out, "  %-11s%s\n", strategy_table[i]->name, strategy_help[i]);
}

static void list_choices(FILE *out, const struct setting *s)
{
  fprintf(out, "%s", s->choices ? "" : s->argument ? s->argument : "-");
  for (const struct setting_choice *c = s->choices; c && c->name; c++)
    fprintf(out, "%s%s", c == s->choices ? "" : "|", c->name);
}

/* All options of all commands, a line each with tabulators between. */
static void list_settings(FILE *out)
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
    fprintf(out, "--%s\t%s\t", s->name, kind[s->kind]);
    list_choices(out, s);
    setting_text(s, &defaults, text);
    fprintf(out, "\t%s\t%s\t", *text ? text : "-", s->scope == SCOPE_MEANING ? "meaning" : "how");
    const char *comma = "";
    for (size_t i = 0; i < COMMANDS; i++)
      if (commands[i].options && setting_use(s, commands[i].options)) {
        fprintf(out, "%s%s", comma, commands[i].name);
        comma = ",";
      }
    fprintf(out, "\t%s\n", s->why);
  }
}

/* Those that people need first, in their order, and how to see the others. */
static void list_options(FILE *out, const struct subcommand *command, bool all)
{
  size_t more = options_help(out, command->options, all || !*command->first ? NULL : command->first);
  if (more)
    fprintf(out, "  heddle help %s --all-options lists %zu more\n", command->name, more);
}

/* A text of this folder; some of its lines stand for what is made from tables or shared. command is NULL outside of a
 * command's help. */
static void print_text(FILE *out, const unsigned char *text, const struct subcommand *command, bool all)
{
  static const struct {
    const char *line;
    void (*list)(FILE *out);
  } lists[] = {{"@commands\n", list_commands}, {"@topics\n", list_topics},         {"@losses\n", list_losses},
               {"@settings\n", list_settings}, {"@strategies\n", list_strategies}, {NULL, NULL}};
  for (const char *line = (const char *)text, *next; *line; line = next) {
    next = line + strcspn(line, "\n") + 1;
    size_t known = 0;
    while (lists[known].line && strncmp(line, lists[known].line, strlen(lists[known].line)) != 0)
      known++;
    if (lists[known].line)
      lists[known].list(out);
    else if (command && !strncmp(line, "@options\n", (size_t)(next - line)))
      list_options(out, command, all);
    else if (!strncmp(line, "@status\n", (size_t)(next - line)))
      fputs((const char *)status_txt, out);
    else
      fwrite(line, 1, (size_t)(next - line), out);
  }
}

void help_overview(FILE *out)
{
  print_text(out, heddle_txt, NULL, false);
}

int help_command(const char *name, bool all_options)
{
  const struct subcommand *command = command_find(name);
  print_text(stdout, command->help, command, all_options);
  return STATUS_OK;
}

static int help_topic(const char *name, bool all_options)
{
  if (command_find(name))
    return help_command(name, all_options);
  for (size_t i = 0; i < TOPICS; i++)
    if (!strcmp(topics[i].name, name)) {
      print_text(stdout, topics[i].text, NULL, false);
      return STATUS_OK;
    }
  return help_unknown(name);
}

int help_words(int argc, char **argv)
{
  const char *name = NULL;
  bool all_options = false;
  for (int i = 0; i < argc; i++) {
    if (!strcmp(argv[i], "--json"))
      return help_as_json();
    if (!strcmp(argv[i], "--all-options"))
      all_options = true;
    else if (name)
      return console_error("help takes one command or topic; \"%s\" is one too many", argv[i]), STATUS_USAGE;
    else
      name = argv[i];
  }
  if (name)
    return help_topic(name, all_options);
  help_overview(stdout);
  return STATUS_OK;
}
