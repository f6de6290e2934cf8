/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiler's hooks announce: a function is a list of instructions, of which those are told that need hooks of
 * ours.
 */
#include "assemble/announced.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct span span(const char *text)
{
  return (struct span){text, strlen(text)};
}

static bool is_table(const void *unused, struct span symbol)
{
  (void)unused;
  return span_is(symbol, "table");
}

/* The instructions that are not announced, by a '!' for each and a '.' for the others. "name:" is a label. */
static const char *judged(const char *const *text, bool exempt)
{
  static char out[64];
  size_t n = 0;
  struct announced a = {.exempt = exempt, .is_constant = is_table};
  for (; *text; text++) {
    size_t length = strlen(*text);
    bool label = (*text)[length - 1] == ':';
    struct instruction in = instruction_parse(span(*text));
    if (label)
      announced_label(&a, false);
    out[n++] = !label && announced_instruction(&a, &in) ? '!' : '.';
  }
  out[n] = 0;
  return out;
}

#define JUDGED(...) judged((const char *const[]){__VA_ARGS__, NULL}, false)

static void test_hooks(void **state)
{
  (void)state;
  assert_string_equal(JUDGED("call __tsan_read4@PLT", "movl x(%rip), %eax", "call f", "movl x(%rip), %eax"), "...!");
  assert_string_equal(JUDGED("call __tsan_read8", "movq (%rax), %rdi", "movq 8(%rax), %rsi", "call f"), "..!.");
  assert_string_equal(JUDGED("call __tsan_read4", "movl %eax, (%rbx)"), ".!");
  assert_string_equal(JUDGED("call __tsan_write_range", "call __tsan_read_range", "movdqu (%r13), %xmm0",
                             "movups %xmm0, (%rbx)", "movq 16(%r13), %rax", "movq %rax, 16(%rbx)"),
                      "......");
  assert_string_equal(JUDGED("call __tsan_write4", "orb $1, f(%rip)"), ".!");
  assert_string_equal(JUDGED("call __tsan_read4", "call __tsan_write4", "addl $1, (%rbx)"), "...");
  assert_string_equal(JUDGED("call __tsan_vptr_update", "movq %rax, (%rbx)"), "..");
  assert_string_equal(JUDGED("call *__tsan_read8@GOTPCREL(%rip)", "movq (%rbx), %rax"), "..");
}

/* clang leaves a load behind; gcc does not, so there a load is another one. */
static void test_atomics(void **state)
{
  (void)state;
  assert_string_equal(JUDGED("callq __tsan_atomic32_load@PLT", "movl x(%rip), %ecx", "movl y(%rip), %ecx"), "..!");
  assert_string_equal(JUDGED("call __tsan_atomic32_load@PLT", "movl x(%rip), %ecx"), ".!");
}

static void test_private(void **state)
{
  (void)state;
  assert_string_equal(JUDGED("movq %rsp, %rbp", "movq 8(%rbp), %rdi", "movl 4(%rsp), %eax", "movq %fs:40, %rax"),
                      "....");
  assert_string_equal(JUDGED("movq 8(%rbp), %rdi"), "!");
  assert_string_equal(JUDGED("movss .LC0(%rip), %xmm0", "movl 4+table(%rip), %eax", "movl x(%rip), %eax"), "..!");
  assert_string_equal(JUDGED("leaq .L4(%rip), %rdx", "movslq (%rdx,%rax,4), %rax", "jmp *%rax"), "...");
  assert_string_equal(JUDGED("leaq table(%rip), %rdx", "again:", "movl (%rdx), %eax"), "..!");
  assert_string_equal(JUDGED("addq x@gottpoff(%rip), %rax", "movq x@GOTPCREL(%rip), %rax", "call *16(%rax)"), "...");
}

static void test_intrinsics(void **state)
{
  (void)state;
  assert_string_equal(
      JUDGED("movnti %eax, (%rdi)", "maskmovdqu %xmm1, %xmm0", "vpgatherdd %ymm1, (%rax,%ymm2,4), %ymm0"), "!!!");
  assert_string_equal(JUDGED("call __tsan_read8", "cvtsi2sdl (%rax), %xmm0", "call __tsan_read8", "fldt (%rax)"),
                      "....");
  assert_string_equal(JUDGED("movsl", "nop", "lfence", "rep movsq"), "...!");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hooks), cmocka_unit_test(test_atomics),
                                     cmocka_unit_test(test_private), cmocka_unit_test(test_intrinsics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
