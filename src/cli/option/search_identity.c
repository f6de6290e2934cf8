/* SPDX-License-Identifier: Apache-2.0
 *
 * Collecting the identity of a search, see the header.
 */
#include "cli/option/search_identity.h"
#include "core/hash.h"
#include "schedule/setting_text.h"
#include "session/console.h"
#include "session/launch.h"
#include "session/program_identity.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what it is given ---- */

/* The program's name is that of the user; one that was compiled for him has a number in the output folder. */
static void add_arguments(struct identity *identity, const struct hunt *hunt)
{
  const struct target *t = &hunt->target;
  uint64_t hash = hash_string(HASH_START, hunt->files.program ? t->label : t->name);
  for (size_t i = 0; i < t->arg_count; i++)
    hash = hash_string(hash, t->args[i]);
  identity_add_hash(identity, IDENTITY_ARGUMENTS, IDENTITY_ONLY_ONE, hash);
}

static void add_variable(struct identity *identity, const char *entry)
{
  char *name = strndup(entry, strcspn(entry, "="));
  if (name)
    identity_add_hash(identity, IDENTITY_VARIABLE, name, hash_string(HASH_START, entry));
  else
    identity->failed = true;
  free(name);
}

static void add_environment(struct identity *identity, const struct launch *launch, const struct setting_names *ignored)
{
  const char *preloaded = getenv("LD_PRELOAD");
  for (char **e = launch->envp + launch->users; *e; e++)
    if (strncmp(*e, ROOM_ENV "=", sizeof ROOM_ENV) != 0)
      add_variable(identity, *e);
  if (preloaded && *preloaded)
    identity_add_hash(identity, IDENTITY_VARIABLE, "LD_PRELOAD", hash_string(HASH_START, preloaded));
  for (uint32_t i = 0; i < ignored->count; i++)
    identity_ignore(identity, ignored->name[i]);
}

/* A cluster keeps it with the search (cluster/cluster.h). */
static bool add_folder(struct identity *identity)
{
  char *folder = getcwd(NULL, 0);
  if (!folder) {
    console_error("the current folder has no name: %s", strerror(errno));
    return false;
  }
  identity_add(identity, IDENTITY_FOLDER, IDENTITY_ONLY_ONE, folder);
  free(folder);
  return true;
}

/* ---- how it is searched ---- */

static void add_settings(struct identity *identity, const struct hunt *hunt)
{
  const struct settings settings = settings_in_force(hunt->options, &hunt->config);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    char text[SETTING_TEXT_SIZE];
    if (s->scope == SCOPE_MEANING)
      identity_add(identity, IDENTITY_SETTING, s->name, setting_text(s, &settings, text));
  }
  identity_add_hash(identity, IDENTITY_MEANING, IDENTITY_ONLY_ONE, settings_fingerprint(&settings));
}

bool search_identity(struct identity *identity, const struct hunt *hunt)
{
  const struct target *target = &hunt->target;
  struct launch launch;
  *identity = (struct identity){0};
  if (!launch_open(&launch, target))
    return false;
  bool good = program_identity(identity, &launch) && (hunt->options->cluster || add_folder(identity));
  if (good) {
    add_arguments(identity, hunt);
    identity_add_hash(identity, IDENTITY_INPUT, IDENTITY_ONLY_ONE,
                      hash_bytes(HASH_START, target->input, target->input_bytes));
    add_settings(identity, hunt);
    add_environment(identity, &launch, &hunt->options->env_ignore);
  }
  launch_close(&launch);
  if (good && identity->failed)
    console_error("no memory left");
  return good && !identity->failed;
}
