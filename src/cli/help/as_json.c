/* SPDX-License-Identifier: Apache-2.0
 *
 * The lists as JSON; see the header.
 */
#include "cli/help/as_json.h"
#include "cli/command/commands.h"
#include "cli/option/options.h"
#include "core/loss.h"
#include "schedule/setting_text.h"
#include <jansson.h>
#include <string.h>

static json_t *values_of(const struct setting *s, unsigned who)
{
  json_t *list = json_array();
  for (const struct setting_choice *c = s->choices; c && c->name; c++)
    json_array_append_new(list, json_string(c->name));
  for (size_t i = 0; s->kind == SETTING_STRATEGY && i < STRATEGY_COUNT; i++)
    if (strategy_is_for(i, who))
      json_array_append_new(list, json_string(strategy_table[i]->name));
  return list;
}

static json_t *commands_with(unsigned who)
{
  json_t *list = json_array();
  for (size_t i = 0; i < COMMANDS; i++)
    if (commands[i].options & who)
      json_array_append_new(list, json_string(commands[i].name));
  return list;
}

static json_t *options_list(void)
{
  json_t *list = json_array();
  struct settings defaults;
  settings_set_defaults(&defaults);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    json_t *uses = json_array();
    for (const struct setting_use *use = s->uses; use->who; use++)
      json_array_append_new(uses, json_pack("{s:o, s:s, s:o}", "commands", commands_with(use->who), "help", use->help,
                                            "values", values_of(s, use->who)));
    char letter[2] = {s->letter, 0}, text[SETTING_TEXT_SIZE];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s, s:b, s:s, s:o}", "name", s->name, "letter", letter,
                                          "argument", s->argument, "default", setting_text(s, &defaults, text),
                                          "meaning", s->scope == SCOPE_MEANING, "why", s->why, "uses", uses));
  }
  return list;
}

static json_t *commands_list(void)
{
  json_t *list = json_array();
  for (size_t i = 0; i < COMMANDS; i++) {
    const struct subcommand *c = &commands[i];
    json_t *spellings = json_array();
#define X(spelling, meant)                                                                                             \
  if (!strcmp(meant, c->name))                                                                                         \
    json_array_append_new(spellings, json_string(spelling));
    HD_ALIASES(X)
#undef X
    json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s, s:s, s:s}", "name", c->name, "spellings", spellings,
                                          "stage", stage_title[c->stage], "first", c->first, "summary", c->summary,
                                          "help", (const char *)c->help));
  }
  return list;
}

static json_t *topics_list(void)
{
  json_t *list = json_array();
  for (size_t i = 0; i < TOPICS; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", topics[i].name, "text", (const char *)topics[i].text));
  return list;
}

static json_t *losses_list(void)
{
  json_t *list = json_array();
  for (size_t i = 0; i < LOSS_COUNT; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", loss_name[i], "sentence", loss_sentence[i]));
  return list;
}

int help_as_json(void)
{
  extern const unsigned char status_txt[];
  json_t *all =
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "heddle", HEDDLE_VERSION, "commands", commands_list(), "options",
                options_list(), "topics", topics_list(), "losses", losses_list(), "status", (const char *)status_txt);
  int status = all && json_dumpf(all, stdout, JSON_INDENT(1)) == 0 ? STATUS_OK : STATUS_FAILED;
  fputc('\n', stdout);
  json_decref(all);
  return status;
}
