/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle estimate: how large an exploration is, judged from its recorded trace, by every technique there is; and how
 * policies would have divided time between several such explorations. Runs no program.
 */
#include "cli/command/commands.h"
#include "cli/find/hunt.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cli/option/result_file.h"
#include "estimate/allocate.h"
#include "estimate/evaluate.h"
#include "file/input_file.h"
#include "report/document/estimate_document.h"
#include "session/console.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* NULL: an error was printed. */
static FILE *open_trace(const char *path)
{
  char error[256];
  FILE *in = input_open(path, error, sizeof error);
  if (!in)
    console_error("%s %s (it should be an exploration trace)", path, error);
  return in;
}

static bool save_json(const char *path, const char *trace, const struct evaluation *evaluation)
{
  char *text = evaluation_json(trace, evaluation);
  bool done = result_file_write("--json", path, FILE_JSON, text, text ? strlen(text) : 0);
  free(text);
  return done;
}

static int estimate_one(const char *path, const char *json)
{
  static struct evaluation evaluation; /* too large for a stack */
  struct scan scan;
  FILE *in = open_trace(path);
  if (!in)
    return STATUS_USAGE;
  scan_init(&scan, in, path);
  int status = STATUS_OK;
  if (!evaluate(&scan, &evaluation)) {
    console_error("%s", scan.error);
    status = STATUS_USAGE;
  } else {
    evaluation_print(console_out(), path, &evaluation);
    if (json && !save_json(json, path, &evaluation))
      status = STATUS_FAILED;
  }
  scan_free(&scan);
  fclose(in);
  return status;
}

/* ---- several ---- */

/* False: an error was printed. */
static bool read_test(struct recorded_test *test, const char *path)
{
  struct scan scan;
  FILE *in = open_trace(path);
  if (!in)
    return false;
  scan_init(&scan, in, path);
  test->name = path;
  bool good = scan_replay(&scan, recorded_test_add, test);
  if (!good)
    console_error("%s", scan.error);
  else if (!scan.complete || !(scan.time > 0)) {
    console_error("%s: %s", path,
                  scan.complete ? "the exploration took no time"
                                : "the exploration is not complete, so its true length is not known");
    good = false;
  }
  scan_free(&scan);
  fclose(in);
  return good;
}

static int allocate_all(char *const *paths, size_t count)
{
  struct recorded_test *tests = calloc(count, sizeof *tests);
  int status = tests ? STATUS_OK : STATUS_FAILED;
  for (size_t i = 0; status == STATUS_OK && i < count; i++)
    status = read_test(&tests[i], paths[i]) ? STATUS_OK : STATUS_USAGE;
  if (status == STATUS_OK && !allocation_print(console_out(), tests, count))
    status = STATUS_FAILED;
  if (status == STATUS_FAILED)
    console_error("no memory");
  for (size_t i = 0; tests && i < count; i++)
    recorded_test_free(&tests[i]);
  free(tests);
  return status;
}

/* What is wrong with the options; NULL: nothing. */
static const char *wrong_use(const struct options *o)
{
  if (!o->operand_count)
    return "estimate needs an exploration trace: heddle estimate FILE";
  if (!o->allocate && o->operand_count > 1)
    return "estimate takes one trace, or several with --allocate";
  if (o->allocate && o->operand_count < 2)
    return "--allocate needs two traces or more";
  if (o->allocate && o->json)
    return "--allocate writes no JSON document";
  return NULL;
}

int cmd_estimate(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_ESTIMATE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("estimate", options.all_options);
  const char *wrong = wrong_use(&options);
  if (wrong) {
    console_error("%s", wrong);
    return STATUS_USAGE;
  }
  if (!result_files_check(&options))
    return STATUS_USAGE;
  return options.allocate ? allocate_all(options.operands, options.operand_count)
                          : estimate_one(options.operands[0], options.json);
}
