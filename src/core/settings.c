/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings as a table, their defaults and their fingerprint; see the header.
 */
#include "core/settings.h"
#include "core/bug.h"
#include "core/changed.h"
#include "core/control.h"
#include "core/hash.h"
#include "core/naming.h"
#include <string.h>

/* ---- the names of choices ---- */

#define END                                                                                                            \
  {                                                                                                                    \
    NULL, 0                                                                                                            \
  }
static const struct setting_choice choices_reset[] = {
    {"auto", RESET_AUTO}, {"snapshot", RESET_SNAPSHOT}, {"fork", RESET_FORK}, {"exec", RESET_EXEC}, END};
static const struct setting_choice choices_order[] = {{"dfs", ORDER_DEPTH}, {"bfs", ORDER_BREADTH}, END};
static const struct setting_choice choices_races[] = {
    {"ignore", RACES_IGNORE}, {"report", RACES_REPORT}, {"fail", RACES_FAIL}, END};
#define choices_leaks choices_races
static const struct setting_choice choices_detectors[] = {
    {"clocks", RACE_BY_CLOCKS}, {"pending", RACE_BY_PENDING}, {"both", RACE_BY_CLOCKS | RACE_BY_PENDING}, END};
static const struct setting_choice choices_abstraction[] = {
    {"pc", ABSTRACT_PC}, {"pc+object", ABSTRACT_OBJECT}, {"raw", ABSTRACT_RAW}, END};
static const struct setting_choice choices_heuristic[] = {{"BASIC", HEURISTIC_BASIC},
#define X(id, letters, on_stack) {#letters "A", HEURISTIC_##letters##A}, {#letters "S", HEURISTIC_##letters##S},
                                                          HD_CHANGED_MATCHES(X)
#undef X
                                                              END};
static const struct setting_choice choices_naming[] = {
    {"index", NAMING_INDEX}, {"objects", NAMING_OBJECTS}, {"site", NAMING_SITE}, {"trivial", NAMING_TRIVIAL}, END};
static const struct setting_choice choices_output[] = {
    {"none", OUTPUT_NONE}, {"failing", OUTPUT_FAILING}, {"all", OUTPUT_ALL}, END};
static const struct setting_choice choices_format[] = {{"story", TOLD_AS_STORY}, {"gcc", TOLD_AS_GCC}, END};
static const struct setting_choice choices_equivalence[] = {
    {"order", EQUIVALENCE_ORDER}, {"observed", EQUIVALENCE_OBSERVED}, {"reads-from", EQUIVALENCE_READS_FROM}, END};
const char *const equivalence_name[EQUIVALENCE_COUNT] = {"order", "observed", "reads-from"};
static const struct setting_choice choices_files[] = {{"overlay", FILES_OVERLAY}, {"real", FILES_REAL}, END};
static const struct setting_choice choices_sleeps[] = {{"free", SLEEPS_FREE}, {"exact", SLEEPS_EXACT}, END};
static const struct setting_choice choices_executor[] = {
#define X(id, name) {#name, EXECUTOR_##id},
    HD_EXECUTORS(X)
#undef X
        END};
static const struct setting_choice choices_how[] = {
    {"guided", MINIMISE_GUIDED}, {"uncontrolled", MINIMISE_UNCONTROLLED}, {"random", MINIMISE_RANDOM}, END};
static const struct setting_choice choices_lookahead_whole[] = {{"thread", 0}, {"trace", 1}, END};
static const struct setting_choice choices_first[] = {{"variables", 0}, {"random", 1}, END};
/* In the order of enums of the layers above: color_mode, allocation_policy, trace_format. */
static const struct setting_choice choices_color[] = {{"auto", 0}, {"always", 1}, {"never", 2}, END};
static const struct setting_choice choices_policy[] = {{"round-robin", 0}, {"shortest", 1}, {"coverage", 2}, END};
static const struct setting_choice choices_trace_format[] = {{"auto", 0}, {"text", 1}, {"json", 2}, {"chrome", 3}, END};

#define CHOICES_OF_CHOICE(field) choices_##field
#define CHOICES_OF_FLAG(field) NULL
#define CHOICES_OF_TEXT(field) NULL
#define CHOICES_OF_NAMES(field) NULL
#define CHOICES_OF_NUMBER(field) NULL
#define CHOICES_OF_POSITIVE(field) NULL
#define CHOICES_OF_DURATION(field) NULL
#define CHOICES_OF_SIZE(field) NULL
#define CHOICES_OF_EXIT_STATUS(field) NULL
#define CHOICES_OF_STRATEGY(field) NULL
#define CHOICES_OF_BOUND(field) NULL

/* ---- the table ---- */

const struct setting settings_table[SETTINGS] = {
#define X(kind, field, name, letter, argument, initial, scope, why, ...)                                               \
  {name,                                                                                                               \
   letter,                                                                                                             \
   SETTING_##kind,                                                                                                     \
   SCOPE_##scope,                                                                                                      \
   offsetof(struct settings, field),                                                                                   \
   argument,                                                                                                           \
   why,                                                                                                                \
   CHOICES_OF_##kind(field),                                                                                           \
   (const struct setting_use[]){__VA_ARGS__, {0, NULL}}},
    HD_SETTINGS(X)
#undef X
};

#define SET_DEFAULT(kind, field, name, letter, argument, initial, ...) settings->field = initial;

void settings_set_defaults(struct settings *settings)
{
  HD_SETTINGS(SET_DEFAULT)
}

void control_config_init(struct control_config *config)
{
  struct control_config *settings = config;
  memset(config, 0, sizeof *config);
  HD_EXECUTION_SETTINGS(SET_DEFAULT)
  config->max_steps = USUAL_STEPS;
}

const struct setting_use *setting_use(const struct setting *setting, unsigned who)
{
  for (const struct setting_use *u = setting->uses; u->who; u++)
    if (u->who & who)
      return u;
  return NULL;
}

/* ---- the fingerprint ---- */

uint64_t setting_hash(const struct setting *setting, const struct settings *settings)
{
  static const size_t size[] = {
#define X(kind, type) [SETTING_##kind] = sizeof(type),
      HD_SETTING_KINDS(X)
#undef X
  };
  const void *value = (const char *)settings + setting->offset;
  uint64_t hash = hash_string(HASH_START, setting->name);
  if (setting->kind == SETTING_TEXT)
    return hash_string(hash, *(const char *const *)value);
  if (setting->kind == SETTING_NAMES) {
    const struct setting_names *names = value;
    for (uint32_t i = 0; i < names->count; i++)
      hash = hash_string(hash, names->name[i]);
    return hash;
  }
  return hash_bytes(hash, value, size[setting->kind]);
}

uint64_t settings_fingerprint(const struct settings *settings)
{
  uint64_t hash = HASH_START;
  for (size_t i = 0; i < SETTINGS; i++)
    if (settings_table[i].scope == SCOPE_MEANING) {
      uint64_t value = setting_hash(&settings_table[i], settings);
      hash = hash_bytes(hash, &value, sizeof value);
    }
  return hash;
}
