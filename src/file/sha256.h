/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4), and the keyed hash made from it (HMAC, RFC 2104): for signatures that nobody can make without
 * the key.
 */
#ifndef HEDDLE_TRACE_SHA256_H
#define HEDDLE_TRACE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
  uint32_t state[8];
  uint64_t bytes; /* so far */
  unsigned char block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t bytes);
void sha256_end(struct sha256 *hash, unsigned char out[SHA256_BYTES]);

/* A keyed hash: begin, then sha256_add(&h.inner, …), then end. The key has at most 64 bytes. */
struct hmac {
  struct sha256 inner;
  unsigned char outer[64];
};

void hmac_begin(struct hmac *hash, const unsigned char *key, size_t bytes);
void hmac_end(struct hmac *hash, unsigned char out[SHA256_BYTES]);

#endif
