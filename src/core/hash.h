/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes of what is written to files and compared later. Every step is a bijection of what came before, so two texts of
 * one length that differ in one byte have different hashes for certain. No protection against anybody who means
 * harm. */
#ifndef HEDDLE_CORE_HASH_H
#define HEDDLE_CORE_HASH_H

#include "core/rng.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
  for (const unsigned char *byte = (const unsigned char *)bytes, *end = byte + n; byte < end; byte++)
    hash = (hash ^ *byte) * UINT64_C(0x100000001b3);
  return mix64(hash ^ n);
}

/* NULL is not the empty string. */
static inline uint64_t hash_string(uint64_t hash, const char *text)
{
  return text ? hash_bytes(hash, text, strlen(text)) : mix64(hash + 1);
}

#endif
