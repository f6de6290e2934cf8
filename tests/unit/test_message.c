/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages on a wire: what is sent arrives, whole and in order, however it is cut up; whatever else comes breaks the
 * wire, and is never believed.
 */
#include "session/message.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* As message.c writes it. */
struct head {
  uint64_t magic;
  uint32_t version, block, kind, parts;
  uint64_t bytes;
};

struct part_head {
  uint64_t id, bytes;
};

static void open_wires(struct wire *from, struct wire *to)
{
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  *from = (struct wire){.fd = ends[0], .patience = 100};
  *to = (struct wire){.fd = ends[1], .patience = 100};
}

static void close_wires(struct wire *from, struct wire *to)
{
  wire_close(from);
  wire_close(to);
}

/* The bytes of a small message: two parts, the second of them not a multiple of eight. */
static size_t sample(char *out, size_t room)
{
  struct wire from, to;
  struct message m = {.kind = MESSAGE_ANSWER};
  m.part[PART_MAPS] = "12345678";
  m.bytes[PART_MAPS] = 8;
  m.part[PART_SAID] = "abc";
  m.bytes[PART_SAID] = 3;
  open_wires(&from, &to);
  assert_true(wire_send(&from, &m));
  ssize_t n = recv(to.fd, out, room, MSG_DONTWAIT);
  assert_int_equal(n, sizeof(struct head) + 2 * sizeof(struct part_head) + 16);
  close_wires(&from, &to);
  return (size_t)n;
}

static void assert_sample(const struct message *m)
{
  assert_int_equal(m->kind, MESSAGE_ANSWER);
  for (unsigned i = 0; i < PART_COUNT; i++)
    assert_true((m->part[i] != NULL) == (i == PART_MAPS || i == PART_SAID));
  assert_int_equal(m->bytes[PART_MAPS], 8);
  assert_memory_equal(m->part[PART_MAPS], "12345678", 8);
  assert_int_equal(m->bytes[PART_SAID], 3);
  assert_memory_equal(m->part[PART_SAID], "abc", 3);
}

/* Puts bytes on a wire, closes it, and expects that many samples and then whether the rest is an error at once. */
static void expect(const char *bytes, size_t size, unsigned samples, bool broken)
{
  struct wire from, to;
  struct message m;
  open_wires(&from, &to);
  assert_int_equal(send(from.fd, bytes, size, MSG_NOSIGNAL), size);
  for (unsigned i = 0; i < samples; i++) {
    assert_true(wire_next(&to, &m));
    assert_sample(&m);
  }
  assert_false(wire_next(&to, &m));
  assert_int_equal(to.broken, broken);
  wire_close(&from);
  assert_false(wire_next(&to, &m));
  assert_true(to.broken);
  wire_close(&to);
}

static void test_cut_up(void **state)
{
  (void)state;
  char bytes[1024];
  size_t size = sample(bytes, sizeof bytes);
  struct wire from, to;
  struct message m;
  open_wires(&from, &to);
  for (size_t i = 0; i < size; i++) {
    assert_false(wire_next(&to, &m));
    assert_int_equal(send(from.fd, bytes + i, 1, 0), 1);
  }
  assert_true(wire_next(&to, &m));
  assert_sample(&m);
  assert_false(wire_next(&to, &m));
  assert_false(to.broken);
  close_wires(&from, &to);
}

static void test_one_behind_the_other(void **state)
{
  (void)state;
  char bytes[1024];
  size_t size = sample(bytes, sizeof bytes);
  memcpy(bytes + size, bytes, size);
  expect(bytes, 2 * size, 2, false);
  expect(bytes, 2 * size - 1, 1, false);
}

/* What had come whole when the other end was closed is still read. */
static void test_read_after_end(void **state)
{
  (void)state;
  char bytes[1024];
  size_t size = sample(bytes, sizeof bytes);
  struct wire from, to;
  struct message m;
  open_wires(&from, &to);
  assert_int_equal(send(from.fd, bytes, size, 0), size);
  wire_close(&from);
  assert_true(wire_next(&to, &m));
  assert_sample(&m);
  assert_false(wire_next(&to, &m));
  assert_true(to.broken);
  wire_close(&to);
}

static void test_truncated(void **state)
{
  (void)state;
  char bytes[1024];
  size_t size = sample(bytes, sizeof bytes);
  for (size_t n = 0; n < size; n++)
    expect(bytes, n, 0, false);
}

/* Each changes one thing in the sample that makes it nonsense. */
static void test_nonsense(void **state)
{
  (void)state;
  static const struct {
    size_t at, width;
    uint64_t value;
  } changes[] = {
      {offsetof(struct head, magic), 8, 0},
      {offsetof(struct head, version), 4, MESSAGE_VERSION + 1},
      {offsetof(struct head, version), 4, 0},
      {offsetof(struct head, block), 4, 1},
      {offsetof(struct head, kind), 4, MESSAGE_KIND_COUNT},
      {offsetof(struct head, kind), 4, UINT32_MAX},
      {offsetof(struct head, parts), 4, 0},
      {offsetof(struct head, parts), 4, 1},
      {offsetof(struct head, parts), 4, 3},
      {offsetof(struct head, parts), 4, UINT32_MAX},
      {offsetof(struct head, bytes), 8, 0},
      {offsetof(struct head, bytes), 8, 16},
      {offsetof(struct head, bytes), 8, 40},
      {offsetof(struct head, bytes), 8, UINT64_MAX},
      {offsetof(struct head, bytes), 8, UINT64_MAX - sizeof(struct head) + 1},
      {sizeof(struct head) + offsetof(struct part_head, id), 8, PART_COUNT},
      {sizeof(struct head) + offsetof(struct part_head, id), 8, UINT64_MAX},
      {sizeof(struct head) + offsetof(struct part_head, bytes), 8, 0},
      {sizeof(struct head) + offsetof(struct part_head, bytes), 8, 33},
      {sizeof(struct head) + offsetof(struct part_head, bytes), 8, UINT64_MAX},
      {sizeof(struct head) + offsetof(struct part_head, bytes), 8, UINT64_MAX - 6},
      {sizeof(struct head) + offsetof(struct part_head, bytes), 8, UINT64_C(1) << 36},
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char bytes[1024];
    size_t size = sample(bytes, sizeof bytes);
    memcpy(bytes + changes[i].at, &changes[i].value, changes[i].width);
    expect(bytes, size, 0, true);
  }
}

/* A length that is not there yet is waited for, without memory for it. */
static void test_long_promise(void **state)
{
  (void)state;
  char bytes[1024];
  size_t size = sample(bytes, sizeof bytes);
  uint64_t promised = UINT64_C(1) << 36;
  memcpy(bytes + offsetof(struct head, bytes), &promised, sizeof promised);
  expect(bytes, size, 0, false);
}

static void test_no_parts(void **state)
{
  (void)state;
  struct wire from, to;
  struct message m = {.kind = MESSAGE_ASK};
  open_wires(&from, &to);
  assert_true(wire_send(&from, &m));
  assert_true(wire_next(&to, &m));
  assert_int_equal(m.kind, MESSAGE_ASK);
  for (unsigned i = 0; i < PART_COUNT; i++)
    assert_null(m.part[i]);
  close_wires(&from, &to);
}

/* Random changes: no message that comes out has a part outside of what came in. */
static void test_mangled(void **state)
{
  (void)state;
  srand(1);
  for (unsigned round = 0; round < 20000; round++) {
    char bytes[1024];
    struct wire from, to;
    struct message m;
    size_t size = sample(bytes, sizeof bytes);
    for (int n = rand() % 3; n >= 0; n--)
      bytes[8 + (size_t)rand() % (size - 8)] = (char)rand();
    open_wires(&from, &to);
    assert_int_equal(send(from.fd, bytes, size, 0), size);
    while (wire_next(&to, &m))
      for (unsigned i = 0; i < PART_COUNT; i++)
        if (m.part[i]) {
          const char *part = m.part[i];
          assert_true(part >= to.buffer && m.bytes[i] <= size && part + m.bytes[i] <= to.buffer + to.used);
        }
    close_wires(&from, &to);
  }
}

/* An end that reads nothing is given up, one that is gone at once; and nobody is told by a signal. */
static void test_nobody_reads(void **state)
{
  (void)state;
  struct wire from, to;
  struct message m = {.kind = MESSAGE_JOB};
  const size_t large = 16 << 20;
  m.part[PART_POOL] = calloc(1, large);
  m.bytes[PART_POOL] = large;
  assert_non_null(m.part[PART_POOL]);
  open_wires(&from, &to);
  assert_false(wire_send(&from, &m));
  assert_true(from.broken);
  close_wires(&from, &to);
  open_wires(&from, &to);
  from.patience = -1;
  wire_close(&to);
  assert_false(wire_send(&from, &m));
  close_wires(&from, &to);
  free((void *)m.part[PART_POOL]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_up),         cmocka_unit_test(test_one_behind_the_other),
      cmocka_unit_test(test_read_after_end), cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_nonsense),       cmocka_unit_test(test_long_promise),
      cmocka_unit_test(test_no_parts),       cmocka_unit_test(test_mangled),
      cmocka_unit_test(test_nobody_reads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
