/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of settings as text, see the header.
 */
#include "schedule/setting_text.h"
#include "core/strategy.h"
#include <inttypes.h>
#include <stdio.h>

static void size_text(uint64_t bytes, char *out)
{
  static const char unit[] = "\0KMGT";
  size_t i = 0;
  for (; bytes && bytes % 1024 == 0 && i + 2 < sizeof unit; i++)
    bytes /= 1024;
  snprintf(out, SETTING_TEXT_SIZE, i ? "%" PRIu64 "%c" : "%" PRIu64, bytes, unit[i]);
}

static void bound_text(const struct bound *bound, char *out)
{
  if (bound->kind)
    snprintf(out, SETTING_TEXT_SIZE, "%s=%" PRIu32, bound->kind == BOUND_DELAYS ? "delays" : "preemptions",
             bound->limit);
}

static void choice_text(const struct setting_choice *choice, uint32_t value, char *out)
{
  for (; choice->name; choice++)
    if (choice->value == value)
      snprintf(out, SETTING_TEXT_SIZE, "%s", choice->name);
}

static void names_text(const struct setting_names *names, char *out)
{
  size_t used = 0;
  for (uint32_t i = 0; i < names->count && used < SETTING_TEXT_SIZE; i++)
    used += (size_t)snprintf(out + used, SETTING_TEXT_SIZE - used, "%s%s", i ? "," : "", names->name[i]);
}

const char *setting_text(const struct setting *setting, const struct settings *settings, char out[SETTING_TEXT_SIZE])
{
  const void *field = (const char *)settings + setting->offset;
  out[0] = 0;
  switch (setting->kind) {
  case SETTING_FLAG:
    if (*(const bool *)field)
      snprintf(out, SETTING_TEXT_SIZE, "yes");
    break;
  case SETTING_TEXT:
    if (*(const char *const *)field)
      snprintf(out, SETTING_TEXT_SIZE, "%s", *(const char *const *)field);
    break;
  case SETTING_NAMES:
    names_text(field, out);
    break;
  case SETTING_POSITIVE:
    if (*(const uint64_t *)field)
      snprintf(out, SETTING_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field);
    break;
  case SETTING_NUMBER:
    snprintf(out, SETTING_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field);
    break;
  case SETTING_EXIT_STATUS:
    if (*(const uint64_t *)field == EXIT_STATUS_ANY)
      snprintf(out, SETTING_TEXT_SIZE, "any");
    else
      snprintf(out, SETTING_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field);
    break;
  case SETTING_DURATION:
    if (*(const double *)field >= 0)
      snprintf(out, SETTING_TEXT_SIZE, "%gs", *(const double *)field);
    break;
  case SETTING_SIZE:
    size_text(*(const uint64_t *)field, out);
    break;
  case SETTING_STRATEGY:
    if (*(const uint32_t *)field < STRATEGY_COUNT)
      snprintf(out, SETTING_TEXT_SIZE, "%s", strategy_table[*(const uint32_t *)field]->name);
    break;
  case SETTING_BOUND:
    bound_text(field, out);
    break;
  case SETTING_CHOICE:
    choice_text(setting->choices, *(const uint32_t *)field, out);
    break;
  }
  return out;
}
