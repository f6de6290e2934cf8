/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 and HMAC, see the header. Names are those of the standard.
 */
#include "file/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, unsigned n)
{
  return x >> n | x << (32 - n);
}

static uint32_t read_word(const unsigned char *b)
{
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void take_block(struct sha256 *hash)
{
  uint32_t w[64], s[8];
  for (unsigned t = 0; t < 16; t++)
    w[t] = read_word(hash->block + 4 * t);
  for (unsigned t = 16; t < 64; t++) {
    const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  memcpy(s, hash->state, sizeof s);
  for (unsigned t = 0; t < 64; t++) {
    const uint32_t S1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25);
    const uint32_t ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t T1 = s[7] + S1 + ch + K[t] + w[t];
    const uint32_t S0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22);
    const uint32_t maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += T1;
    s[0] = T1 + S0 + maj;
  }
  for (unsigned i = 0; i < 8; i++)
    hash->state[i] += s[i];
}

void sha256_begin(struct sha256 *hash)
{
  *hash = (struct sha256){
      .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *data, size_t bytes)
{
  const unsigned char *from = data;
  while (bytes) {
    const size_t used = hash->bytes % sizeof hash->block;
    size_t n = sizeof hash->block - used;
    n = n < bytes ? n : bytes;
    memcpy(hash->block + used, from, n);
    hash->bytes += n;
    from += n;
    bytes -= n;
    if (used + n == sizeof hash->block)
      take_block(hash);
  }
}

void sha256_end(struct sha256 *hash, unsigned char out[SHA256_BYTES])
{
  static const unsigned char padding[64] = {0x80};
  const uint64_t bits = hash->bytes * 8;
  unsigned char length[8];
  for (unsigned i = 0; i < 8; i++)
    length[i] = (unsigned char)(bits >> (56 - 8 * i));
  sha256_add(hash, padding, 1 + (119 - hash->bytes % 64) % 64);
  sha256_add(hash, length, sizeof length);
  for (unsigned i = 0; i < SHA256_BYTES; i++)
    out[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_begin(struct hmac *hash, const unsigned char *key, size_t bytes)
{
  unsigned char inner[64];
  for (size_t i = 0; i < sizeof inner; i++) {
    const unsigned char k = i < bytes ? key[i] : 0;
    inner[i] = k ^ 0x36;
    hash->outer[i] = k ^ 0x5c;
  }
  sha256_begin(&hash->inner);
  sha256_add(&hash->inner, inner, sizeof inner);
}

void hmac_end(struct hmac *hash, unsigned char out[SHA256_BYTES])
{
  sha256_end(&hash->inner, out);
  sha256_begin(&hash->inner);
  sha256_add(&hash->inner, hash->outer, sizeof hash->outer);
  sha256_add(&hash->inner, out, SHA256_BYTES);
  sha256_end(&hash->inner, out);
}
