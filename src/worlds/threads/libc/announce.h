/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C library that use the program's memory, announced as accesses before they do. Called from the
 * program's own code they are accesses like any other; called by libraries or by the runtime they are only forwarded.
 *
 * Such an access is several steps where the library does many things: what is read, then what is written, then the call
 * itself, which happens at the last step. That is enough, because these accesses are plain ones: whoever comes in
 * between and can tell is a data race.
 */
#ifndef HEDDLE_RUNTIME_ANNOUNCE_H
#define HEDDLE_RUNTIME_ANNOUNCE_H

#include "worlds/threads/memory/atomics.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include <string.h>
#include <wchar.h>

static inline bool hooked(uintptr_t pc)
{
  return unlikely(hd_self != NULL) && in_program(pc);
}

static inline void reads(const void *addr, size_t size, uintptr_t pc)
{
  memory_range(addr, size, OP_READ, pc);
}

static inline void writes(const void *addr, size_t size, uintptr_t pc)
{
  memory_range(addr, size, OP_WRITE, pc);
}

/* What is written there depends on what was there. */
static inline void updates(const void *addr, size_t size, uintptr_t pc)
{
  reads(addr, size, pc);
  writes(addr, size, pc);
}

/* A word that libraries change atomically, whoever calls: by itself where their functions do it for the program, by the
 * caller right behind this where we do. */
static inline void updates_atomically(const void *addr, size_t size, uintptr_t pc)
{
  if (!hd_self)
    return;
  memory_access(addr, size, OP_ATOMIC_RMW, __ATOMIC_ACQ_REL, place_in_program(pc));
  atomic_loaded(addr, __ATOMIC_ACQ_REL);
  atomic_stored(addr, __ATOMIC_ACQ_REL, true);
}

static inline void loads_atomically(const void *addr, size_t size, uintptr_t pc)
{
  if (!hd_self)
    return;
  memory_access(addr, size, OP_ATOMIC_LOAD, __ATOMIC_ACQUIRE, place_in_program(pc));
  atomic_loaded(addr, __ATOMIC_ACQUIRE);
}

/* The same where the program may pass NULL. */
static inline void reads_any(const void *addr, size_t size, uintptr_t pc)
{
  if (addr)
    reads(addr, size, pc);
}

static inline void writes_any(const void *addr, size_t size, uintptr_t pc)
{
  if (addr)
    writes(addr, size, pc);
}

/* For functions that are models of ours: the same, if it is the program that calls. */
static inline void reads_for(const void *addr, size_t size, uintptr_t pc)
{
  if (addr && in_program(pc))
    reads(addr, size, pc);
}

static inline void writes_for(const void *addr, size_t size, uintptr_t pc)
{
  if (addr && in_program(pc))
    writes(addr, size, pc);
}

/* ---- text: units of char or wchar_t, up to one that is zero ---- */

#define UNBOUNDED SIZE_MAX

static inline size_t text_units(const void *s, size_t most, size_t unit)
{
  return unit == 1 ? REAL(strnlen)(s, most) : REAL(wcsnlen)(s, most);
}

/* In bytes, with the end if it is within so many units. */
static inline size_t text_bytes(const void *s, size_t most, size_t unit)
{
  size_t n = text_units(s, most, unit);
  return (n < most ? n + 1 : n) * unit;
}

static inline void reads_text(const void *s, size_t most, size_t unit, uintptr_t pc)
{
  reads(s, text_bytes(s, most, unit), pc);
}

/* ---- definitions ---- */

#define UNWRAP(...) __VA_ARGS__

/* The function behind one that is defined by SHADOWS. */
#define LIBC(name)                                                                                                     \
  ({                                                                                                                   \
    stress_point();                                                                                                    \
    static __typeof__(&libc_##name) real_;                                                                             \
    if (unlikely(!real_))                                                                                              \
      real_ = (__typeof__(&libc_##name))real_symbol(#name);                                                            \
    real_;                                                                                                             \
  })

/* Declares our function of that name. It has another one in C, since headers may give the library's own a new symbol
 * (strtol is __isoc23_strtol to some programs) or define it inline. */
#define SHADOW(type, name, parameters) EXPORT type libc_##name parameters __asm__(#name)

/* Defines a function that first announces what it uses, by statements in which pc is the place of the call. */
#define SHADOWS(type, name, parameters, arguments, ...)                                                                \
  SHADOW(type, name, parameters);                                                                                      \
  EXPORT type libc_##name parameters                                                                                   \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    if (hooked(pc)) {                                                                                                  \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    return LIBC(name) arguments;                                                                                       \
  }

/* The same, and for what -D_FORTIFY_SOURCE makes of it: with the room there is. */
#define SHADOWS_CHECKED(type, name, parameters, arguments, ...)                                                        \
  SHADOWS(type, name, (UNWRAP parameters), (UNWRAP arguments), __VA_ARGS__)                                            \
  SHADOWS(type, __##name##_chk, (UNWRAP parameters, size_t room), (UNWRAP arguments, room), __VA_ARGS__)

/* Announces what strtok does to the text, or to the rest of it when s is NULL. */
void announce_token(char *s, char *rest, const char *by, uintptr_t pc);

#endif
