/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C++ library keeps for the whole program, or counts, in code that has no hooks: the global locale and who has
 * which locale, the default resource of memory, the words that streams were given. Each change of these is a step. The
 * facets of a locale that a program makes itself are counted elsewhere, unseen.
 */
#include "worlds/threads/libc/announce.h"

static uint64_t global_locale, default_resource, stream_words; /* only their addresses are of interest */

/* ---- locales: a pointer to what begins with the number of those who have it ---- */

struct shared_locale {
  int32_t count;
};

struct locale {
  struct shared_locale *shared;
};

/* The classic one, which is no memory of the heap, is never freed: who has it makes no difference. */
static void changes_count(const struct locale *locale, uintptr_t pc)
{
  if (in_program(pc))
    reads(locale, sizeof *locale, pc);
  if (!in_static_data((uintptr_t)locale->shared))
    updates_atomically(&locale->shared->count, sizeof locale->shared->count, pc);
}

#define LIBRARY(name) REAL(name) /* which makes a text of the name */

#define COPIES(name)                                                                                                   \
  void name(struct locale *locale, const struct locale *other);                                                        \
  EXPORT void name(struct locale *locale, const struct locale *other)                                                  \
  {                                                                                                                    \
    if (hd_self)                                                                                                       \
      changes_count(other, CALLER());                                                                                  \
    writes_for(hd_self ? locale : NULL, sizeof *locale, CALLER());                                                     \
    LIBRARY(name)(locale, other);                                                                                      \
  }
COPIES(_ZNSt6localeC1ERKS_)
COPIES(_ZNSt6localeC2ERKS_)

#define DESTROYS(name)                                                                                                 \
  void name(struct locale *locale);                                                                                    \
  EXPORT void name(struct locale *locale)                                                                              \
  {                                                                                                                    \
    if (hd_self)                                                                                                       \
      changes_count(locale, CALLER());                                                                                 \
    LIBRARY(name)(locale);                                                                                             \
  }
DESTROYS(_ZNSt6localeD1Ev)
DESTROYS(_ZNSt6localeD2Ev)

#define ASSIGN _ZNSt6localeaSERKS_
void *ASSIGN(struct locale *locale, const struct locale *other);
EXPORT void *ASSIGN(struct locale *locale, const struct locale *other)
{
  if (hd_self) {
    changes_count(other, CALLER());
    changes_count(locale, CALLER());
    writes_for(locale, sizeof *locale, CALLER());
  }
  return LIBRARY(ASSIGN)(locale, other);
}

#define EQUALS _ZNKSt6localeeqERKS_
bool EQUALS(const struct locale *locale, const struct locale *other);
EXPORT bool EQUALS(const struct locale *locale, const struct locale *other)
{
  reads_for(hd_self ? locale : NULL, sizeof *locale, CALLER());
  reads_for(hd_self ? other : NULL, sizeof *other, CALLER());
  return LIBRARY(EQUALS)(locale, other);
}

/* One that is the global one: that has an owner for as long as it is. */
#define TAKES_GLOBAL(name)                                                                                             \
  void name(struct locale *locale);                                                                                    \
  EXPORT void name(struct locale *locale)                                                                              \
  {                                                                                                                    \
    loads_atomically(&global_locale, sizeof global_locale, CALLER());                                                  \
    LIBRARY(name)(locale);                                                                                             \
  }
TAKES_GLOBAL(_ZNSt6localeC1Ev)
TAKES_GLOBAL(_ZNSt6localeC2Ev)

#define SET_GLOBAL _ZNSt6locale6globalERKS_
void *SET_GLOBAL(struct locale *before, const struct locale *locale);
EXPORT void *SET_GLOBAL(struct locale *before, const struct locale *locale)
{
  if (hd_self)
    changes_count(locale, CALLER());
  updates_atomically(&global_locale, sizeof global_locale, CALLER());
  return LIBRARY(SET_GLOBAL)(before, locale);
}

/* ---- memory resources ---- */

#define SET_RESOURCE _ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE
#define GET_RESOURCE _ZNSt3pmr20get_default_resourceEv

void *SET_RESOURCE(void *resource);
EXPORT void *SET_RESOURCE(void *resource)
{
  updates_atomically(&default_resource, sizeof default_resource, CALLER());
  return LIBRARY(SET_RESOURCE)(resource);
}

void *GET_RESOURCE(void);
EXPORT void *GET_RESOURCE(void)
{
  loads_atomically(&default_resource, sizeof default_resource, CALLER());
  return LIBRARY(GET_RESOURCE)();
}

/* ---- words of streams ---- */

int _ZNSt8ios_base6xallocEv(void);
EXPORT int _ZNSt8ios_base6xallocEv(void)
{
  updates_atomically(&stream_words, sizeof stream_words, CALLER());
  return REAL(_ZNSt8ios_base6xallocEv)();
}
