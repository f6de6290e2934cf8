/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys: what a step acts on, as one number. The only place that knows how they are made.
 *
 *     63..56 what it is   55..0 its address, or the name of that (address_name.h), or a number
 *
 * An address that is not in the first process has its space (footprint.h) above its 47 bits, beyond all zones of names.
 * The top byte is 0 for eight bytes of memory, the kind + 1 for an object. Keys go with units of
 * work (explore/unit.c) from process to process and into checkpoints: their values are a format.
 */
#ifndef HEDDLE_CORE_KEY_H
#define HEDDLE_CORE_KEY_H

#include "core/address_name.h"
#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

#define KEY_SHIFT 56
#define KEY_REST ((UINT64_C(1) << KEY_SHIFT) - 1)

#define KEY_SPACES UINT64_C(320)                   /* beyond ZONES; there are fewer than 128 */
#define KEY_CREATION UINT64_C(1)                   /* threads are numbered in the order of their creation */
#define KEY_SYSTEM (UINT64_C(0x40) << KEY_SHIFT)   /* a part of the system (system.h); beyond all kinds of objects */
#define KEY_NUMBERED (UINT64_C(0x80) << KEY_SHIFT) /* an object by its number instead of its address */

static inline uint64_t key_in_space(uint8_t space, uint64_t addr)
{
  return space ? addr | (KEY_SPACES + space) << NAME_ZONE_SHIFT : addr;
}

static inline uint64_t key_of_word(uint8_t space, uintptr_t addr)
{
  return key_in_space(space, addr & ~UINT64_C(7));
}

static inline uint64_t key_of_object(enum object_kind kind, uint8_t space, uint64_t addr)
{
  return key_in_space(space, addr) | (uint64_t)(kind + 1) << KEY_SHIFT;
}

static inline uint64_t key_of_system(unsigned bit)
{
  return KEY_SYSTEM | bit;
}

static inline bool key_is_memory(uint64_t key)
{
  return key > KEY_CREATION && key <= KEY_REST;
}

static inline bool key_is_object(uint64_t key)
{
  return key >> KEY_SHIFT && key >> KEY_SHIFT <= OBJECT_KIND_COUNT;
}

/* Of an object's key. */
static inline enum object_kind key_kind(uint64_t key)
{
  return (enum object_kind)((key >> KEY_SHIFT) - 1);
}

static inline uint8_t key_space(uint64_t key)
{
  uint64_t zone = (key & KEY_REST) >> NAME_ZONE_SHIFT;
  return zone > KEY_SPACES ? (uint8_t)(zone - KEY_SPACES) : 0;
}

static inline uint64_t key_address(uint64_t key)
{
  return key & (key_space(key) ? NAME_OFFSET : KEY_REST);
}

/* The same of another address. */
static inline uint64_t key_with_address(uint64_t key, uint64_t addr)
{
  return (key & ~KEY_REST) | addr;
}

#endif
