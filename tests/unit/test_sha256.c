/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 and HMAC against the examples of FIPS 180-4 and RFC 4231, whole and in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file/sha256.h"
#include <stdio.h>
#include <string.h>

static void assert_hash(const unsigned char hash[SHA256_BYTES], const char *expected)
{
  char text[2 * SHA256_BYTES + 1];
  for (size_t i = 0; i < SHA256_BYTES; i++)
    snprintf(text + 2 * i, 3, "%02x", hash[i]);
  assert_string_equal(text, expected);
}

static void of_texts(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *hash;
  } known[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    struct sha256 hash;
    unsigned char out[SHA256_BYTES];
    sha256_begin(&hash);
    sha256_add(&hash, known[i].text, strlen(known[i].text));
    sha256_end(&hash, out);
    assert_hash(out, known[i].hash);
  }
}

static void in_pieces(void **unused)
{
  (void)unused;
  char as[997];
  memset(as, 'a', sizeof as);
  struct sha256 hash;
  unsigned char out[SHA256_BYTES];
  sha256_begin(&hash);
  for (size_t left = 1000000, n; left; left -= n) {
    n = left < sizeof as ? left : sizeof as;
    sha256_add(&hash, as, n);
  }
  sha256_end(&hash, out);
  assert_hash(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void with_a_key(void **unused)
{
  (void)unused;
  static const char text[] = "what do ya want for nothing?";
  struct hmac hash;
  unsigned char out[SHA256_BYTES];
  hmac_begin(&hash, (const unsigned char *)"Jefe", 4);
  sha256_add(&hash.inner, text, strlen(text));
  hmac_end(&hash, out);
  assert_hash(out, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_texts),
      cmocka_unit_test(in_pieces),
      cmocka_unit_test(with_a_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
