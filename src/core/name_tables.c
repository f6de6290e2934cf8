/* SPDX-License-Identifier: Apache-2.0
 *
 * The names behind the lists of operation.h, bug.h, strategy.h and control.h, and look-ups by name. Data
 * only. */
#include "core/bug.h"
#include "core/control.h"
#include "core/coverage.h"
#include "core/naming.h"
#include "core/operation.h"
#include "core/strategy.h"
#include "core/trials.h"
#include <string.h>

const struct op_info op_table[OP_COUNT] = {
#define X(id, name, object, blocks, phrase) [OP_##id] = {name, OBJECT_##object, blocks, phrase},
    HD_OPERATIONS(X)
#undef X
};

const char *const object_kind_name[OBJECT_KIND_COUNT] = {
#define X(id, name) [OBJECT_##id] = name,
    HD_OBJECT_KINDS(X)
#undef X
};

const char *const bug_kind_name[BUG_KIND_COUNT] = {
#define X(id, name) [BUG_##id] = name,
    HD_BUG_KINDS(X)
#undef X
};

const char *const deadlock_sentence[DEADLOCK_KIND_COUNT] = {
#define X(id, sentence) sentence,
    HD_DEADLOCKS(X)
#undef X
};

const char *const loss_name[LOSS_COUNT] = {
#define X(id, name, sentence) name,
    HD_LOSSES(X)
#undef X
};

const char *const loss_sentence[LOSS_COUNT] = {
#define X(id, name, sentence) sentence,
    HD_LOSSES(X)
#undef X
};

const char *const uncovered_words[UNCOVERED_COUNT] = {
#define X(id, words) words,
    HD_UNCOVERED(X)
#undef X
};

const char *const expectation_name[EXPECTATION_COUNT] = {
#define X(id, name) [EXPECT_##id] = name,
    HD_EXPECTATIONS(X)
#undef X
};

const struct strategy *const strategy_table[STRATEGY_COUNT] = {
#define X(name, help) [STRATEGY_##name] = &strategy_##name,
    HD_STRATEGIES(X)
#undef X
};

const char *const strategy_help[STRATEGY_COUNT] = {
#define X(name, help) [STRATEGY_##name] = help,
    HD_STRATEGIES(X)
#undef X
};

const char *const trial_verdict_name[TRIAL_VERDICTS] = {
#define X(id, name) name,
    HD_VERDICTS(X)
#undef X
};

const char *const framework_name[FRAMEWORK_COUNT] = {"none", "cmocka", "check", "criterion", "googletest"};

const char *const reset_name[RESET_COUNT] = {"auto", "snapshot", "fork", "exec"};

enum op_kind op_by_name(const char *name)
{
  for (unsigned i = 0; i < OP_COUNT; i++)
    if (!strcmp(op_table[i].name, name))
      return (enum op_kind)i;
  return OP_COUNT;
}

bool bug_ends_execution(const struct bug *bug, uint32_t races, uint32_t leaks)
{
  switch (bug->kind) {
  case BUG_RACE:
    return races == RACES_FAIL;
  case BUG_LEAK:
    return leaks == RACES_FAIL;
  case BUG_EXIT:
    return !bug->constant;
  default:
    return true;
  }
}

enum bug_kind bug_kind_by_name(const char *name)
{
  for (unsigned i = 0; i < BUG_KIND_COUNT; i++)
    if (!strcmp(bug_kind_name[i], name))
      return (enum bug_kind)i;
  return BUG_KIND_COUNT;
}

enum strategy_id strategy_by_name(const char *name)
{
  for (unsigned i = 0; i < STRATEGY_COUNT; i++)
    if (!strcmp(strategy_table[i]->name, name))
      return (enum strategy_id)i;
  return STRATEGY_COUNT;
}

const char *const naming_name[NAMING_COUNT] = {
#define X(id, name, help) [NAMING_##id] = name,
    HD_ABSTRACTIONS(X)
#undef X
};
