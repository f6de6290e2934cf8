/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of settings: no option twice for anybody, defaults that are values, and a fingerprint that knows every
 * setting which changes what a search means, and no other.
 */
#include "core/control.h"
#include "core/hash.h"
#include "core/settings.h"
#include "schedule/setting_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void *value_of(struct settings *settings, const struct setting *setting)
{
  return (char *)settings + setting->offset;
}

/* Another value of the kind, whatever the value is. */
static void change(struct settings *settings, const struct setting *setting)
{
  void *value = value_of(settings, setting);
  switch (setting->kind) {
  case SETTING_FLAG:
    *(bool *)value = !*(bool *)value;
    break;
  case SETTING_TEXT:
    *(const char **)value = "another";
    break;
  case SETTING_NAMES: {
    struct setting_names *names = value;
    names->name[names->count++] = "ANOTHER";
    break;
  }
  case SETTING_NUMBER:
  case SETTING_POSITIVE:
  case SETTING_SIZE:
  case SETTING_EXIT_STATUS:
    ++*(uint64_t *)value;
    break;
  case SETTING_DURATION:
    *(double *)value += 1;
    break;
  case SETTING_STRATEGY:
  case SETTING_CHOICE:
    ++*(uint32_t *)value;
    break;
  case SETTING_BOUND:
    ((struct bound *)value)->limit++;
    break;
  }
}

static void test_meaning_is_hashed_and_nothing_else(void **state)
{
  (void)state;
  struct settings usual;
  settings_set_defaults(&usual);
  const uint64_t fingerprint = settings_fingerprint(&usual);
  size_t meaning = 0;
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    struct settings other = usual;
    change(&other, s);
    assert_int_not_equal(setting_hash(s, &other), setting_hash(s, &usual));
    if ((settings_fingerprint(&other) != fingerprint) != (s->scope == SCOPE_MEANING))
      fail_msg("--%s", s->name);
    meaning += s->scope == SCOPE_MEANING;
  }
  assert_in_range(meaning, 10, SETTINGS - 10);
}

static void test_text_is_hashed_by_what_it_says(void **state)
{
  (void)state;
  struct settings a, b;
  char list[] = "queue_*";
  settings_set_defaults(&a);
  settings_set_defaults(&b);
  a.calls = "queue_*";
  b.calls = list;
  assert_int_equal(settings_fingerprint(&a), settings_fingerprint(&b));
  list[0] = 'Q';
  assert_int_not_equal(settings_fingerprint(&a), settings_fingerprint(&b));
  b.calls = "";
  a.calls = NULL;
  assert_int_not_equal(settings_fingerprint(&a), settings_fingerprint(&b));
}

static void test_every_row_is_whole(void **state)
{
  (void)state;
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    assert_true(*s->name && *s->why);
    assert_int_equal(!s->argument, s->kind == SETTING_FLAG);
    assert_int_equal(!s->choices, s->kind != SETTING_CHOICE);
    unsigned taken = 0;
    for (const struct setting_use *u = s->uses; u->who; u++) {
      assert_true(*u->help);
      if (taken & u->who)
        fail_msg("--%s stands twice for a subcommand", s->name);
      taken |= u->who;
    }
    assert_true(taken);
    for (const struct setting *t = settings_table; t < s; t++) {
      assert_string_not_equal(s->name, t->name);
      for (unsigned who = 1; who <= FOR_ALL && s->letter == t->letter && s->letter; who <<= 1)
        assert_false(setting_use(s, who) && setting_use(t, who));
    }
  }
}

static void test_a_default_choice_has_a_name(void **state)
{
  (void)state;
  struct settings usual;
  char text[SETTING_TEXT_SIZE];
  settings_set_defaults(&usual);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++)
    if (s->kind == SETTING_CHOICE && !*setting_text(s, &usual, text))
      fail_msg("--%s", s->name);
}

static void test_values_as_text(void **state)
{
  (void)state;
  struct settings s;
  char text[SETTING_TEXT_SIZE];
  settings_set_defaults(&s);
#define TEXT(field) setting_text(&settings_table[SETTING_INDEX_##field], &s, text)
  assert_string_equal(TEXT(max_memory), "1G");
  assert_string_equal(TEXT(grace), "5s");
  assert_string_equal(TEXT(seconds), "");
  assert_string_equal(TEXT(bound), "");
  assert_string_equal(TEXT(strategy), "");
  assert_string_equal(TEXT(out), "heddle-out");
  assert_string_equal(TEXT(detectors), "clocks");
  s.bound = (struct bound){BOUND_DELAYS, 3};
  s.exit_status = EXIT_STATUS_ANY;
  s.max_memory = 1000;
  assert_string_equal(TEXT(bound), "delays=3");
  assert_string_equal(TEXT(exit_status), "any");
  assert_string_equal(TEXT(max_memory), "1000");
}

static void test_the_execution_has_the_same_defaults(void **state)
{
  (void)state;
  struct settings settings;
  struct control_config *config = test_malloc(sizeof *config);
  settings_set_defaults(&settings);
  control_config_init(config);
  assert_int_equal(config->max_memory, settings.max_memory);
  assert_int_equal(config->races, settings.races);
  assert_int_equal(config->detectors, settings.detectors);
  assert_int_equal(config->pct_depth, settings.pct_depth);
  assert_int_equal(config->max_steps, USUAL_STEPS);
  test_free(config);
}

static void test_one_byte_changes_a_hash(void **state)
{
  (void)state;
  char text[] = "depth, state, able, then the step";
  const uint64_t hash = hash_bytes(HASH_START, text, sizeof text);
  for (size_t i = 0; i < sizeof text; i++)
    for (int c = 1; c < 256; c++) {
      text[i] = (char)(text[i] ^ c);
      assert_int_not_equal(hash_bytes(HASH_START, text, sizeof text), hash);
      text[i] = (char)(text[i] ^ c);
    }
  assert_int_not_equal(hash_bytes(HASH_START, text, sizeof text - 1), hash);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_meaning_is_hashed_and_nothing_else),
      cmocka_unit_test(test_text_is_hashed_by_what_it_says),
      cmocka_unit_test(test_every_row_is_whole),
      cmocka_unit_test(test_a_default_choice_has_a_name),
      cmocka_unit_test(test_values_as_text),
      cmocka_unit_test(test_the_execution_has_the_same_defaults),
      cmocka_unit_test(test_one_byte_changes_a_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
