/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of addresses, as numbers: what the runtime (worlds/threads/memory/names.h) and those who read schedules agree
 * on.
 *
 *     55..47 zone   46..0 offset in it
 *
 * Zone 0 is the address itself. In the zone of a module the offset is the address as its file has it. Names stay below
 * 2^56, as addresses do, since the top byte of keys (key.h) says what kind of object is
 * meant. */
#ifndef HEDDLE_CORE_ADDRESS_NAME_H
#define HEDDLE_CORE_ADDRESS_NAME_H

#include <stdint.h>

#define NAME_ZONE_SHIFT 47
#define NAME_OFFSET ((UINT64_C(1) << NAME_ZONE_SHIFT) - 1)
#define NAME_MODULES 256

/* Addresses in another program than the one that was started have its number, from 1 on, above all bits of names. They
 * are their own names. The number is of the program's file, whatever the schedule and whichever processes go on as it.
 */
#define IMAGE_SHIFT 56
#define IMAGES 64

enum name_zone {
  ZONE_FIXED,
  ZONE_STACK,     /* of the initial thread */
  ZONE_ARGUMENTS, /* above it */
  ZONE_STRINGS,
  ZONE_TLS,     /* of the initial thread */
  ZONE_MODULES, /* in the order of the dynamic linker, the program first */
  ZONES = ZONE_MODULES + NAME_MODULES
};

static inline uint64_t name_in_zone(unsigned zone, uint64_t offset)
{
  return (uint64_t)zone << NAME_ZONE_SHIFT | (offset & NAME_OFFSET);
}

/* The module of a name, counted from 0; NAME_MODULES: it is of none. */
static inline unsigned name_module(uint64_t name)
{
  uint64_t zone = name >> NAME_ZONE_SHIFT;
  return zone >= ZONE_MODULES && zone < ZONES ? (unsigned)(zone - ZONE_MODULES) : NAME_MODULES;
}

#endif
