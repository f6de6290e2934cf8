/* SPDX-License-Identifier: Apache-2.0
 *
 * The random numbers of the strategies: splitmix64. Any seed is as good as any other, zero included; a stream is one
 * 64-bit word, so that it can live in a strategy's state.
 */
#ifndef HEDDLE_CORE_RNG_H
#define HEDDLE_CORE_RNG_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline uint64_t rng_next(uint64_t *stream)
{
  return mix64(*stream += UINT64_C(0x9e3779b97f4a7c15));
}

/* Uniform below n (n > 0), by multiplication; the bias is below 2^-32 for the sizes used here. */
static inline unsigned rng_below(uint64_t *stream, unsigned n)
{
  return (unsigned)((rng_next(stream) >> 32) * n >> 32);
}

#endif
