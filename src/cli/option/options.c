/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading options by the table of settings. Every error is one line that names the option, what was given and what
 * would be right. Must not act on options or look at files.
 */
#include "cli/option/options.h"
#include "cli/option/config_file.h"
#include "core/invariant.h"
#include "estimate/allocate.h"
#include "report/document/trace_log.h"
#include "schedule/setting_text.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the list of settings cannot say of the layers above it. */
_Static_assert(COLOR_AUTO == 0 && COLOR_ALWAYS == 1 && COLOR_NEVER == 2, "order of --color");
_Static_assert(POLICY_ROUND_ROBIN == 0 && POLICY_SHORTEST_REMAINING == 1 && POLICY_SMALLEST_COVERAGE == 2,
               "order of --policy");
_Static_assert(TRACE_BY_NAME == 0 && TRACE_TEXT == 1 && TRACE_JSON == 2 && TRACE_CHROME == 3,
               "order of --trace-format");

/* ---- words ---- */

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Edits (insert, remove, replace, swap neighbours) between two short words; words over 31 characters are far away. */
static size_t distance(const char *a, const char *b)
{
  enum { MOST = 31 };
  size_t n = strlen(a), m = strlen(b);
  if (n > MOST || m > MOST)
    return MOST;
  size_t d[MOST + 1][MOST + 1];
  for (size_t i = 0; i <= n; i++)
    d[i][0] = i;
  for (size_t j = 0; j <= m; j++)
    d[0][j] = j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
  const char *best = NULL;
  size_t least = strlen(word) <= 3 ? 2 : strlen(word) <= 6 ? 3 : 4; /* must be nearer than this */
  for (size_t i = 0; i < count; i++) {
    size_t d = strlen(word) >= 3 && !strncmp(names[i], word, strlen(word)) ? 1 : distance(word, names[i]);
    if (d < least) {
      least = d;
      best = names[i];
    }
  }
  return best;
}

unsigned core_count(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return (unsigned)CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (unsigned)n : 1;
}

/* ---- values ---- */

static bool parse_number(const char *text, uint64_t *out)
{
  if (!isdigit((unsigned char)*text))
    return false;
  char *end;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  errno = 0;
  unsigned long long n = strtoull(text, &end, base);
  if (errno || *end || end == text)
    return false;
  *out = n;
  return true;
}

/* The number in front of a unit; *unit is what follows. */
static bool parse_decimal(const char *text, double *out, const char **unit)
{
  if (!isdigit((unsigned char)*text) && *text != '.')
    return false;
  size_t length = strspn(text, "0123456789.");
  char digits[32];
  if (length >= sizeof digits)
    return false;
  memcpy(digits, text, length);
  digits[length] = 0;
  char *end;
  *out = strtod(digits, &end);
  *unit = text + length;
  return !*end && end != digits && isfinite(*out);
}

static bool parse_duration(const char *text, double *out)
{
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  const char *unit;
  double n;
  if (!parse_decimal(text, &n, &unit))
    return false;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (!strcmp(unit, units[i].unit)) {
      *out = n * units[i].seconds;
      return *out > 0 && *out < 1e9;
    }
  return false;
}

static bool parse_size(const char *text, uint64_t *out)
{
  static const char letters[] = "KMGT";
  const char *unit;
  double n;
  if (!parse_decimal(text, &n, &unit))
    return false;
  if (*unit) {
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (!letter)
      return false;
    n *= (double)(UINT64_C(1) << (10 * (letter - letters + 1)));
    unit++;
    unit += *unit == 'i';
    unit += *unit == 'B';
  }
  if (*unit || n < 1 || n > (double)(UINT64_C(1) << 46))
    return false;
  *out = (uint64_t)n;
  return true;
}

static bool parse_exit_status(const char *text, uint64_t *out)
{
  if (!strcmp(text, "any")) {
    *out = EXIT_STATUS_ANY;
    return true;
  }
  return parse_number(text, out) && *out <= 255;
}

static void join_names(const char *const *names, char *out, size_t n)
{
  size_t used = 0;
  for (size_t i = 0; names[i] && used < n; i++)
    used += (size_t)snprintf(out + used, n - used, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
}

static bool wrong_value(const struct setting *setting, const char *text, const char *right)
{
  console_error("--%s takes %s, not \"%s\"", setting->name, right, text);
  return false;
}

static bool parse_choice(const struct setting *setting, const char *text, uint32_t *out)
{
  enum { MOST = 16 };
  const char *names[MOST + 1] = {NULL};
  char list[128];
  for (size_t i = 0; i < MOST && setting->choices[i].name; i++) {
    names[i] = setting->choices[i].name;
    if (!strcmp(names[i], text)) {
      *out = setting->choices[i].value;
      return true;
    }
  }
  join_names(names, list, sizeof list);
  return wrong_value(setting, text, list);
}

bool strategy_is_for(enum strategy_id id, unsigned who)
{
  if (id == STRATEGY_dfs || id == STRATEGY_dpor)
    return who & (FOR_EXPLORE | FOR_SUITE);
  if (id == STRATEGY_causal || id == STRATEGY_auto)
    return who & FOR_EXPLORE;
  return who & ~(unsigned)(FOR_EXPLORE | FOR_SUITE) && id != STRATEGY_replay && id != STRATEGY_confirm &&
         !strategy_table[id]->keeps;
}

static bool parse_strategy(unsigned who, const char *text, uint32_t *out)
{
  *out = strategy_by_name(text);
  if (*out == STRATEGY_replay) {
    console_error("the strategy replay needs a schedule: heddle replay FILE.hd");
    return false;
  }
  if (*out != STRATEGY_COUNT && strategy_is_for(*out, who))
    return true;
  const char *names[STRATEGY_COUNT + 1] = {NULL};
  size_t count = 0;
  for (size_t i = 0; i < STRATEGY_COUNT; i++)
    if (strategy_is_for(i, who))
      names[count++] = strategy_table[i]->name;
  char list[128];
  join_names(names, list, sizeof list);
  const char *near = nearest_name(text, names, count);
  console_error("there is no strategy \"%s\"; %s%s%s there are %s", text, near ? "did you mean " : "", near ? near : "",
                near ? "?" : "", list);
  return false;
}

static bool parse_exhaustive(const struct setting *setting, unsigned who, const char *text, uint32_t *out)
{
  const bool explores = who & FOR_EXPLORE;
  *out = strategy_by_name(text);
  if (*out != STRATEGY_COUNT && strategy_is_for(*out, who))
    return true;
  if (*out == STRATEGY_COUNT)
    return wrong_value(setting, text, explores ? "dpor, causal, auto or dfs" : "dpor or dfs");
  return wrong_value(setting, text,
                     explores ? "dpor, causal, auto or dfs here (see heddle run)"
                              : "dpor or dfs here (see heddle run)");
}

static bool parse_bound(const char *text, struct bound *out)
{
  static const struct {
    const char *name;
    uint32_t kind;
  } kinds[] = {{"preemptions=", BOUND_PREEMPTIONS}, {"delays=", BOUND_DELAYS}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (!strncmp(text, kinds[i].name, strlen(kinds[i].name))) {
      uint64_t limit;
      if (!parse_number(text + strlen(kinds[i].name), &limit) || limit > UINT32_MAX)
        return false;
      *out = (struct bound){kinds[i].kind, (uint32_t)limit};
      return true;
    }
  return false;
}

static bool add_name(const struct setting *setting, const char *text, struct setting_names *out)
{
  if (!*text || strchr(text, '='))
    return wrong_value(setting, text, "a name");
  if (out->count == SETTING_NAMES_MOST) {
    console_error("--%s can be given %d times at most", setting->name, SETTING_NAMES_MOST);
    return false;
  }
  out->name[out->count++] = text;
  return true;
}

bool options_set(struct options *o, const struct setting *setting, const char *text, struct setting_origin origin)
{
  void *field = (char *)&o->settings + setting->offset;
  o->origin[setting - settings_table] = origin;
  switch (setting->kind) {
  case SETTING_FLAG:
    *(bool *)field = true;
    return true;
  case SETTING_TEXT:
    *(const char **)field = text;
    return *text || wrong_value(setting, text, "a name");
  case SETTING_NAMES:
    return add_name(setting, text, field);
  case SETTING_NUMBER:
    return parse_number(text, field) || wrong_value(setting, text, "a number");
  case SETTING_POSITIVE:
    return (parse_number(text, field) && *(uint64_t *)field) || wrong_value(setting, text, "a number from 1 on");
  case SETTING_DURATION:
    return parse_duration(text, field) || wrong_value(setting, text, "a time such as 90s, 5m, 1h or 500ms");
  case SETTING_SIZE:
    return parse_size(text, field) || wrong_value(setting, text, "a size such as 64K, 512M or 2G");
  case SETTING_EXIT_STATUS:
    return parse_exit_status(text, field) || wrong_value(setting, text, "a status from 0 to 255, or any");
  case SETTING_STRATEGY:
    return o->who & (FOR_EXPLORE | FOR_SUITE) ? parse_exhaustive(setting, o->who, text, field)
                                              : parse_strategy(o->who, text, field);
  case SETTING_BOUND:
    return parse_bound(text, field) || wrong_value(setting, text, "preemptions=K or delays=K, with a number K");
  case SETTING_CHOICE:
    return parse_choice(setting, text, field);
  }
  return false;
}

/* ---- the command line ---- */

static const struct setting *find_option(unsigned who, const char *name, size_t length)
{
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
    if (strlen(s->name) == length && !strncmp(s->name, name, length) && setting_use(s, who))
      return s;
  return NULL;
}

static const struct setting *find_letter(unsigned who, char letter)
{
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
    if (s->letter == letter && setting_use(s, who))
      return s;
  return NULL;
}

static void unknown_option(unsigned who, const char *command, const char *word)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  const char *names[SETTINGS];
  size_t count = 0;
  for (size_t i = 0; i < SETTINGS; i++)
    if (setting_use(&settings_table[i], who))
      names[count++] = settings_table[i].name;
  const char *near = nearest_name(name + strspn(name, "-"), names, count);
  if (near)
    console_error("%s has no option %s; did you mean --%s? (heddle help %s lists all)", command, name, near, command);
  else
    console_error("%s has no option %s (heddle help %s lists all)", command, name, command);
}

/* Takes the option at argv[*i], with its value; moves *i to the last word taken. */
static bool take_option(struct options *o, unsigned who, int argc, char **argv, int *i)
{
  const char *word = argv[*i];
  const char *value = NULL;
  const struct setting *option;
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    option = find_option(who, word + 2, length);
    value = word[2 + length] == '=' ? word + 3 + length : NULL;
  } else {
    option = find_letter(who, word[1]);
    value = word[2] ? word + 2 : NULL;
  }
  if (!option) {
    unknown_option(who, argv[0], word);
    return false;
  }
  if (option->kind == SETTING_FLAG && value) {
    console_error("--%s takes no value", option->name);
    return false;
  }
  if (option->kind != SETTING_FLAG && !value) {
    if (++*i >= argc || !strcmp(argv[*i], "--")) {
      console_error("--%s needs a value: --%s %s", option->name, option->name, option->argument);
      return false;
    }
    value = argv[*i];
  }
  return options_set(o, option, value, (struct setting_origin){ORIGIN_COMMAND_LINE, 0});
}

/* Where a shell would find the command; as it is if it would not. */
static char *found_command(char *name)
{
  static char found[PATH_MAX];
  const char *path = getenv("PATH");
  for (size_t n; path && *path && !strchr(name, '/'); path += n + (path[n] == ':')) {
    n = strcspn(path, ":");
    if (n && snprintf(found, sizeof found, "%.*s/%s", (int)n, path, name) < (int)sizeof found && !access(found, X_OK))
      return found;
  }
  return name;
}

/* heddle check -- COMMAND ARGUMENTS: as one types it. */
static bool parse_command(struct options *o, int argc, char **argv, int i)
{
  static char *command[1];
  command[0] = found_command(argv[i]);
  o->operands = command;
  o->operand_count = 1;
  o->args = argv + i + 1;
  o->arg_count = (size_t)(argc - i - 1);
  return true;
}

static bool parse_operands(struct options *o, unsigned who, int argc, char **argv, int i)
{
  bool takes_command = who & (FOR_SEARCHES | FOR_ONE_RUN | FOR_STRESS | FOR_ENFORCE);
  if (takes_command && i + 1 < argc && !strcmp(argv[i], "--") && *argv[i + 1])
    return parse_command(o, argc, argv, i + 1);
  o->operands = argv + i;
  for (; i < argc && strcmp(argv[i], "--"); i++) {
    if (argv[i][0] == '-' && argv[i][1]) {
      console_error("%s comes after %s: options come before it, the program's own arguments after --", argv[i],
                    o->operands[0]);
      return false;
    }
    if (!argv[i][0]) {
      console_error("%s: an empty name", argv[0]);
      return false;
    }
    o->operand_count++;
  }
  if (i < argc) {
    o->args = argv + i + 1;
    o->arg_count = (size_t)(argc - i - 1);
  }
  if (!(who & (FOR_SEARCHES | FOR_ONE_RUN | FOR_STRESS | FOR_MINIMISE | FOR_ENFORCE | FOR_LINT)) && i < argc) {
    console_error("%s takes no arguments for the program; they are in the %s file", argv[0],
                  who & FOR_SUITE ? "suite" : "schedule");
    return false;
  }
  return true;
}

/* One document at most can go to standard output; then text goes to standard error. */
static bool share_output(const struct options *o)
{
  const struct {
    const char *option, *path;
  } files[] = {{"--json", o->json}, {"--sarif", o->sarif}, {"--trace-file", o->trace_file}, {"--html", o->html}};
  const char *taken = NULL;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    if (!files[i].path || strcmp(files[i].path, "-"))
      continue;
    if (taken) {
      console_error("%s - and %s - both need standard output", taken, files[i].option);
      return false;
    }
    taken = files[i].option;
  }
  console_setup(o->quiet, o->plain && o->who != FOR_CONVERT, o->color, taken);
  return true;
}

/* Help is given whatever stands in files. */
static bool asks_for_help(int argc, char **argv)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--all-options"))
      return true;
  return false;
}

bool options_parse(struct options *o, unsigned who, int argc, char **argv)
{
  *o = (struct options){.who = who};
  settings_set_defaults(&o->settings);
  o->words = argv;
  o->word_count = (size_t)argc;
  int i = 1;
  if (!asks_for_help(argc, argv) && !config_apply(o))
    return false;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--"); i++) {
    if (!take_option(o, who, argc, argv, &i))
      return false;
    o->help |= o->all_options;
    if (o->help)
      return true;
  }
  if (!parse_operands(o, who, argc, argv, i))
    return false;
  if (o->jobs > 1024) {
    console_error("--jobs takes at most 1024, not %llu", (unsigned long long)o->jobs);
    return false;
  }
  if (o->pct_depth > PCT_DEPTH_MAX) {
    console_error("--pct-depth takes at most %d, not %llu", PCT_DEPTH_MAX, (unsigned long long)o->pct_depth);
    return false;
  }
  if (o->yields > 100) {
    console_error("--yield takes at most 100, not %llu", (unsigned long long)o->yields);
    return false;
  }
  if (!share_output(o) || !config_commands_agreed(o))
    return false;
  if (o->verbose)
    config_print(o);
  return true;
}

/* ---- help ---- */

enum { HELP_COLUMN = 26, HELP_WIDTH = 68 };

/* The text, each line in its column; then the default, where it is a value. */
static void print_help(FILE *out, const char *help, const char *initial)
{
  size_t width = 0;
  for (const char *c = help; *c; c++) {
    fputc(*c, out);
    width = *c == '\n' ? 0 : width + 1;
    if (*c == '\n')
      fprintf(out, "%*s", HELP_COLUMN, "");
  }
  if (*initial && width + strlen(initial) > HELP_WIDTH - strlen(" (default )"))
    fprintf(out, "\n%*s(default %s)", HELP_COLUMN, "", initial);
  else if (*initial)
    fprintf(out, " (default %s)", initial);
  fputc('\n', out);
}

static void print_option(FILE *out, const struct setting *s, const char *help)
{
  struct settings defaults;
  settings_set_defaults(&defaults);
  char left[64], initial[SETTING_TEXT_SIZE];
  int used = s->letter ? snprintf(left, sizeof left, "-%c, ", s->letter) : snprintf(left, sizeof left, "    ");
  snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", s->name, s->argument ? " " : "",
           s->argument ? s->argument : "");
  fprintf(out, "  %-*s", HELP_COLUMN - 2, left);
  if (strlen(left) >= HELP_COLUMN - 2)
    fprintf(out, "\n%*s", HELP_COLUMN, "");
  print_help(out, help, setting_text(s, &defaults, initial));
}

size_t options_help(FILE *out, unsigned who, const char *names)
{
  size_t left_out = 0;
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
    left_out += setting_use(s, who) != NULL;
  if (!names)
    for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
      if (setting_use(s, who))
        print_option(out, s, setting_use(s, who)->help);
  for (size_t length; names && *names; names += length + (names[length] == ' ')) {
    length = strcspn(names, " ");
    const struct setting *s = find_option(who, names, length);
    invariant(s, "the options that people need first are options of the command");
    print_option(out, s, setting_use(s, who)->help);
    left_out--;
  }
  return names ? left_out : 0;
}

/* ---- to the execution and back ---- */

void config_from_options(struct control_config *config, const struct options *o)
{
  control_config_init(config);
#define X(kind, field, ...) config->field = o->field;
  HD_EXECUTION_SETTINGS(X)
#undef X
  config->raises = config->max_steps ? 0 : STEPS_RAISED;
  if (!config->max_steps)
    config->max_steps = USUAL_STEPS;
  config->output_all = o->output == OUTPUT_ALL;
  config->hashes = o->hashes != NULL;
  config->record_branches = o->record != NULL;
  snprintf(config->ordering, sizeof config->ordering, "%s", o->schedule ? o->schedule : "");
}

struct settings settings_in_force(const struct options *o, const struct control_config *config)
{
  struct settings all = o->settings;
#define X(kind, field, ...) all.field = config->field;
  HD_EXECUTION_SETTINGS(X)
#undef X
  return all;
}
