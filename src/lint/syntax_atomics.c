/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of atomic functions; see the header.
 */
#include "lint/syntax_atomics.h"
#include <stddef.h>
#include <string.h>

/* Who has a function of that name. */
enum { C11 = 1, BUILTIN = 2, SYNC = 4, GLIB = 8, MEMBER = 16 };

static const struct {
  const char *name;
  unsigned families;
  enum atomic_deed deed;
} functions[] = {
    {"load", C11 | MEMBER, ATOMIC_LOAD},
    {"load_n", BUILTIN, ATOMIC_LOAD},
    {"load", BUILTIN, ATOMIC_LOAD_TO},
    {"get", GLIB, ATOMIC_LOAD},
    {"flag_test", C11, ATOMIC_LOAD},
    {"test", MEMBER, ATOMIC_LOAD},
    {"store", C11 | MEMBER, ATOMIC_STORE},
    {"store_n", BUILTIN, ATOMIC_STORE},
    {"store", BUILTIN, ATOMIC_STORE_FROM},
    {"init", C11, ATOMIC_STORE},
    {"set", GLIB, ATOMIC_STORE},
    {"exchange", C11 | MEMBER | GLIB, ATOMIC_STORE},
    {"exchange_n", BUILTIN, ATOMIC_STORE},
    {"exchange", BUILTIN, ATOMIC_STORE_FROM},
    {"lock_test_and_set", SYNC, ATOMIC_STORE},
    {"lock_release", SYNC, ATOMIC_CLEAR},
    {"flag_test_and_set", C11, ATOMIC_RAISE},
    {"test_and_set", BUILTIN | MEMBER, ATOMIC_RAISE},
    {"flag_clear", C11, ATOMIC_CLEAR},
    {"clear", BUILTIN | MEMBER, ATOMIC_CLEAR},
    {"fetch_add", C11 | BUILTIN | MEMBER, ATOMIC_ADD},
    {"add_fetch", BUILTIN, ATOMIC_ADD},
    {"fetch_and_add", SYNC, ATOMIC_ADD},
    {"add_and_fetch", SYNC, ATOMIC_ADD},
    {"add", GLIB, ATOMIC_ADD},
    {"exchange_and_add", GLIB, ATOMIC_ADD},
    {"fetch_sub", C11 | BUILTIN | MEMBER, ATOMIC_SUBTRACT},
    {"sub_fetch", BUILTIN, ATOMIC_SUBTRACT},
    {"fetch_and_sub", SYNC, ATOMIC_SUBTRACT},
    {"sub_and_fetch", SYNC, ATOMIC_SUBTRACT},
    {"inc", GLIB, ATOMIC_INCREMENT},
    {"dec_and_test", GLIB, ATOMIC_DECREMENT},
    {"fetch_or", C11 | BUILTIN | MEMBER, ATOMIC_CHANGE},
    {"fetch_and", C11 | BUILTIN | MEMBER, ATOMIC_CHANGE},
    {"fetch_xor", C11 | BUILTIN | MEMBER, ATOMIC_CHANGE},
    {"fetch_and_or", SYNC, ATOMIC_CHANGE},
    {"fetch_and_and", SYNC, ATOMIC_CHANGE},
    {"fetch_and_xor", SYNC, ATOMIC_CHANGE},
    {"or_fetch", BUILTIN, ATOMIC_CHANGE},
    {"and_fetch", BUILTIN, ATOMIC_CHANGE},
    {"xor_fetch", BUILTIN, ATOMIC_CHANGE},
    {"or", GLIB, ATOMIC_CHANGE},
    {"and", GLIB, ATOMIC_CHANGE},
    {"xor", GLIB, ATOMIC_CHANGE},
    {"compare_exchange", BUILTIN, ATOMIC_COMPARE},
    {"compare_exchange_n", BUILTIN, ATOMIC_COMPARE},
    {"compare_exchange_strong", C11 | MEMBER, ATOMIC_COMPARE},
    {"compare_exchange_weak", C11 | MEMBER, ATOMIC_COMPARE},
    {"bool_compare_and_swap", SYNC, ATOMIC_COMPARE},
    {"val_compare_and_swap", SYNC, ATOMIC_COMPARE},
    {"compare_and_exchange", GLIB, ATOMIC_COMPARE},
    {"operator++", MEMBER, ATOMIC_INCREMENT},
    {"operator--", MEMBER, ATOMIC_DECREMENT},
    {"operator+=", MEMBER, ATOMIC_ADD},
    {"operator-=", MEMBER, ATOMIC_SUBTRACT},
    {"operator|=", MEMBER, ATOMIC_CHANGE},
    {"operator&=", MEMBER, ATOMIC_CHANGE},
    {"operator^=", MEMBER, ATOMIC_CHANGE},
    {"operator=", MEMBER, ATOMIC_STORE},
};

static const struct {
  const char *prefix;
  unsigned family;
} prefixes[] = {{"atomic_", C11},  {"__c11_atomic_", C11},  {"__atomic_", BUILTIN},
                {"__sync_", SYNC}, {"g_atomic_int_", GLIB}, {"g_atomic_pointer_", GLIB}};

static enum atomic_deed deed_of(const char *name, size_t length, unsigned family)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (functions[i].families & family && !strncmp(functions[i].name, name, length) && !functions[i].name[length])
      return functions[i].deed;
  return ATOMIC_NONE;
}

/* How long the name is without what says nothing more: the size that a compiler adds, and `_explicit`. */
static size_t plain_length(const char *name, unsigned family)
{
  static const char order[] = "_explicit";
  size_t length = strlen(name);
  if (family == C11 && length > sizeof order && !strcmp(name + length - (sizeof order - 1), order))
    return length - (sizeof order - 1);
  const char *size = family == SYNC ? strrchr(name, '_') : NULL;
  return size && size[1] && strspn(size + 1, "0123456789") == strlen(size + 1) ? (size_t)(size - name) : length;
}

enum atomic_deed atomic_function(const char *name)
{
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    const size_t used = strlen(prefixes[i].prefix);
    if (!strncmp(name, prefixes[i].prefix, used))
      return deed_of(name + used, plain_length(name + used, prefixes[i].family), prefixes[i].family);
  }
  return ATOMIC_NONE;
}

enum atomic_deed atomic_member(const char *name)
{
  return deed_of(name, strlen(name), MEMBER);
}

bool is_atomic_type(const char *name)
{
  static const char *const types[] = {
      "atomic", "__atomic_base", "__atomic_float", "__atomic_ref", "__atomic_flag_base", "atomic_flag", "atomic_ref"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(name, types[i]))
      return true;
  return false;
}
