/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembler text: what instructions do to memory, and the hooks they get.
 */
#include "assemble/access.h"
#include "assemble/insert_hooks.h"
#include "assemble/liveness.h"
#include "core/assembly.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct span span(const char *text)
{
  return (struct span){text, strlen(text)};
}

static struct instruction_access access_in(const char *text)
{
  struct instruction in = instruction_parse(span(text));
  return access_of(&in);
}

static void test_effects(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    enum effect effect;
    unsigned size;
    bool locked;
  } cases[] = {
      {"movl (%rdi), %eax", EFFECT_LOAD, 4, false},
      {"mov %rax, 8(%rdi,%rcx,4)", EFFECT_STORE, 8, false},
      {"movb $1, x(%rip)", EFFECT_STORE, 1, false},
      {"movzbl (%rdi), %eax", EFFECT_LOAD, 1, false},
      {"movslq (%rdi), %rax", EFFECT_LOAD, 4, false},
      {"movabsq $5, %rax", EFFECT_NONE, 0, false},
      {"lock incw (%rdi)", EFFECT_UPDATE, 2, true},
      {"incl (%rdi)", EFFECT_UPDATE, 4, false},
      {"addl (%rdi), %eax", EFFECT_LOAD, 4, false},
      {"addl %eax, (%rdi)", EFFECT_UPDATE, 4, false},
      {"cmpl $0, (%rdi)", EFFECT_LOAD, 4, false},
      {"xchgq %rax, (%rdi)", EFFECT_UPDATE, 8, true},
      {"xchg (%rdi), %al", EFFECT_UPDATE, 1, true},
      {"lock cmpxchgl %ecx, (%rdi)", EFFECT_COMPARE, 4, true},
      {"lock cmpxchg16b (%rdi)", EFFECT_COMPARE, 16, true},
      {"lock cmpxchg8b (%rdi)", EFFECT_UPDATE, 8, true},
      {"cmpxchg16b (%rdi)", EFFECT_UNSEEN, 16, false},
      {"lock xaddq %rax, (%rdi)", EFFECT_UPDATE, 8, true},
      {"lock btsl $3, (%rdi)", EFFECT_UPDATE, 4, true},
      {"btl %eax, (%rdi)", EFFECT_LOAD, 4, false},
      {"btsl %eax, (%rdi)", EFFECT_UNSEEN, 4, false},
      {"sete (%rdi)", EFFECT_STORE, 1, false},
      {"cmovne (%rdi), %rax", EFFECT_LOAD, 8, false},
      {"leaq (%rdi), %rax", EFFECT_NONE, 8, false},
      {"prefetcht0 (%rdi)", EFFECT_NONE, 0, false},
      {"movdqu %xmm0, (%rdi)", EFFECT_STORE, 16, false},
      {"vmovdqa (%rdi), %ymm1", EFFECT_LOAD, 32, false},
      {"movq %xmm1, (%rdi)", EFFECT_STORE, 8, false},
      {"paddd (%rdi), %xmm0", EFFECT_UNSEEN, 0, false},
      {"movl %fs:0, %eax", EFFECT_NONE, 4, false},
      {"movl %gs:(%rax), %eax", EFFECT_UNSEEN, 4, false},
      {"movq x@GOTPCREL(%rip), %rax", EFFECT_NONE, 8, false},
      {"rep movsb", EFFECT_COPY, 1, false},
      {"rep stosq", EFFECT_FILL, 8, false},
      {"repne scasb", EFFECT_UNSEEN, 1, false},
      {"jmp 1f", EFFECT_NONE, 0, false},
      {"jmp *(%rax)", EFFECT_LOAD, 8, false},
      {"call *%rax", EFFECT_NONE, 0, false},
      {"popq (%rsp)", EFFECT_UNSEEN, 8, false},
      {"mfence", EFFECT_FENCE, FENCE_OF_ALL, false},
      {"sfence", EFFECT_FENCE, FENCE_OF_SOME, false},
      {"lfence", EFFECT_FENCE, FENCE_OF_SOME, false},
      {"pause", EFFECT_NONE, 0, false},
      {"rep nop", EFFECT_NONE, 0, false},
      {"cpuid", EFFECT_NONE, 0, false},
      {"fxsave (%rdi)", EFFECT_UNSEEN, 0, false},
      {"xaddb %ah, (%rdi)", EFFECT_UNSEEN, 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct instruction_access a = access_in(cases[i].text);
    if (a.effect != cases[i].effect || a.locked != cases[i].locked ||
        (cases[i].size && a.effect != EFFECT_NONE && a.size != cases[i].size))
      fail_msg("%s: effect %d, size %u, locked %d", cases[i].text, a.effect, a.size, a.locked);
  }
}

static void test_statements(void **state)
{
  (void)state;
  struct span line = span("1:\tlock; addl $1,(%rax) # one; two");
  struct statement s;
  assert_true(take_statement(&line, &s) && s.kind == STATEMENT_LABEL && span_is(s.text, "1"));
  assert_true(take_statement(&line, &s) && span_is(s.text, "lock"));
  assert_true(take_statement(&line, &s) && span_is(s.text, "addl $1,(%rax)"));
  assert_false(take_statement(&line, &s));
  assert_true(bytes_may_access(span(".byte 0x0f, 0x01, 0xd0")));
  assert_false(bytes_may_access(span(".byte 0xf3, 0x90")));
  assert_false(bytes_may_access(span(".globl x")));
}

/* ---- texts ---- */

static char *hooked(const char *text, struct hooked *result)
{
  char *out = NULL;
  size_t size;
  FILE *file = open_memstream(&out, &size);
  assert_true(hooks_insert(span(text), "x.s", HOOKING_ALL, file, result));
  fclose(file);
  return out;
}

#define BEGIN "\t.file\t\"x.c\"\n\t.text\n\t.type\tf, @function\nf:\n"
#define END "\tret\n\t.size\tf, .-f\n"

static void test_hook(void **state)
{
  (void)state;
  struct hooked result;
  char *out = hooked(BEGIN "#APP\n# 7 \"x.c\" 1\n\tlock; incl 8(%rsp)\n# 0 \"\" 2\n#NO_APP\n" END, &result);
  assert_true(result.by_compiler);
  assert_int_equal(result.hooks, 1);
  assert_non_null(strstr(out, "pushq\t%rdi\n\tleaq\t8+8(%rsp), %rdi\n"));
  assert_non_null(strstr(out, "popq\t%rdi\n\tlock\n\tincl 8(%rsp)\n"));
  free(out);
}

static void test_no_assembly(void **state)
{
  (void)state;
  static const char text[] = BEGIN "\tmovl\t(%rdi), %eax\n" END;
  struct hooked result;
  char *out = hooked(text, &result);
  assert_int_equal(result.hooks, 0);
  assert_string_equal(out, text);
  free(out);
}

static void test_list_of_sleds(void **state)
{
  (void)state;
  struct hooked result;
  char *out = hooked(BEGIN "\t.section\t__patchable_function_entries,\"awo\",@progbits,f\n\t.align 8\n"
                           "\t.quad\t.LPFE1\n\t.text\n.LPFE1:\n\tnop\n" END,
                     &result);
  assert_null(strstr(out, "__patchable"));
  assert_null(strstr(out, ".quad"));
  assert_non_null(strstr(out, ".LPFE1:\n\tnop\n"));
  free(out);
}

static void test_options_for_another_linker(void **state)
{
  (void)state;
  struct hooked result;
  char *out = hooked(BEGIN END "\t.section\t\".linker-options\",\"e\",@llvm_linker_options\n"
                               "\t.section\t.rodata,\"a\",@progbits\n\t.long\t7\n",
                     &result);
  assert_null(strstr(out, "llvm"));
  assert_non_null(strstr(out, ".rodata,\"a\",@progbits\n\t.long\t7\n"));
  free(out);
}

static void test_divided(void **state)
{
  (void)state;
  struct hooked result;
  char *out = hooked(BEGIN "#APP\n\taddw $3, (%rdi)\n#NO_APP\n" END, &result);
  assert_null(strstr(out, "8(%rdi)")); /* only the stack pointer moves */
  assert_non_null(strstr(out, "movw\t(%rdi), %r11w\n\taddw\t$3, %r11w\n"));
  assert_non_null(strstr(out, "movw\t%r11w, (%rdi)\n\tpopq\t%r11\n"));
  free(out);
}

static void test_unseen(void **state)
{
  (void)state;
  struct hooked result;
  char *out = hooked(BEGIN "#APP\n# 12 \"dir/x.h\" 1\n\tfxsave (%rdi)\n# 0 \"\" 2\n#NO_APP\n" END, &result);
  assert_non_null(strstr(out, "\"x.h:12: fxsave (%rdi)\""));
  assert_null(strstr(out, ".note.heddle"));
  free(out);
  out = hooked("# 1 \"y.S\"\n\n\tmovl (%rdi), %eax\n", &result);
  assert_false(result.by_compiler);
  assert_non_null(strstr(out, ".note.heddle.asm"));
  assert_non_null(strstr(out, "\"y.S:2: movl (%rdi), %eax\""));
  free(out);
  out = hooked("f:\tmovl $1, %eax\n\tret\n", &result);
  assert_null(strstr(out, ".note.heddle"));
  assert_non_null(strstr(out, ".heddle.seen"));
  free(out);
}

/* ---- registers ---- */

static unsigned live_at_hook(const char *text)
{
  struct flow_node node[32];
  size_t count = 0, hook = SIZE_MAX;
  struct span rest = span(text), line;
  while (take_line(&rest, &line)) {
    struct statement s;
    while (take_statement(&line, &s)) {
      node[count] = (struct flow_node){.statement = s};
      if (s.kind == STATEMENT_INSTRUCTION)
        node[count].in = instruction_parse(s.text);
      if (span_begins(s.text, "lock"))
        hook = count, node[count].written = true;
      count++;
    }
  }
  assert_true(hook < count);
  liveness_find(node, count);
  return liveness_mask(node[hook].live);
}

enum { RAX = 1, RCX = 2, RDX = 4, RSI = 8, RDI = 16, R8 = 32, R9 = 64, R10 = 128, R11 = 256 };

static void test_liveness(void **state)
{
  (void)state;
  /* a counter in a register of a loop */
  assert_int_equal(live_at_hook("f:\nmovl $3, %ecx\n.L1:\nlock incl (%rdi)\nsubl $1, %ecx\njne .L1\nret\n"), RCX | RDI);
  /* what a call left in the others is of no interest, although the next call could take it */
  assert_int_equal(live_at_hook("f:\ncall g\nlock incl x(%rip)\nmovl $1, %edi\ncall h\nret\n") &
                       (RCX | RSI | R8 | R9 | R10 | R11),
                   0);
  /* a result that nobody mentions goes to the next function */
  assert_true(live_at_hook("f:\ncall g\nlock incl x(%rip)\ncall h\nret\n") & 1u << ASSEMBLY_VECTOR_SHIFT);
  /* flags between a comparison and its jump */
  assert_false(live_at_hook("f:\ncmpl $1, %edi\nlock orl $0, x(%rip)\nret\n") & RDI);
  assert_true(live_at_hook("f:\ncmpl $1, %edi\nlock notl x(%rip)\njne .L1\n.L1:\nret\n") & ASSEMBLY_FLAGS_LIVE);
  assert_false(live_at_hook("f:\nlock notl x(%rip)\ncmpl $1, %edi\njne .L1\n.L1:\nret\n") & ASSEMBLY_FLAGS_LIVE);
  /* the result of a division is not named */
  assert_true(live_at_hook("f:\nmovl %edi, %eax\ncltd\nidivl %esi\nlock notl x(%rip)\nmovl %edx, %eax\nret\n") & RDX);
  /* an address nobody knows */
  assert_true((live_at_hook("f:\nlock notl x(%rip)\njmp *%rax\n") & (RAX | RDI | RSI)) == (RAX | RDI | RSI));
}

/* ---- results that nobody reads ---- */

/* Whether the call is replaced by one without a result, if this follows it. */
static bool is_silent(const char *call, const char *silent, const char *after)
{
  char text[512];
  struct hooked result;
  snprintf(text, sizeof text, BEGIN "%s%s" END, call, after);
  char *out = hooked(text, &result);
  bool without = strstr(out, silent), with = strstr(out, call);
  assert_true(with != without);
  free(out);
  return without;
}

static bool is_replaced(const char *after)
{
  return is_silent("\tcall\t__tsan_atomic32_fetch_add@PLT\n", "\tcall\t__heddle_atomic32_fetch_add@PLT\n", after);
}

static void test_unread_results(void **state)
{
  (void)state;
  assert_true(is_replaced("\tcall\t__tsan_func_exit@PLT\n\tret\n"));
  assert_true(is_replaced("\tmovl\t$1, %eax\n\tret\n"));
  assert_true(is_replaced("\txorl\t%eax, %eax\n\tret\n"));
  assert_true(is_replaced(".L1:\n\tmovq\tx(%rip), %rax\n\tjmp\t.L1\n"));
  assert_true(is_silent("\tcall\t*__tsan_atomic8_fetch_xor@GOTPCREL(%rip)\n",
                        "\tcall\t*__heddle_atomic8_fetch_xor@GOTPCREL(%rip)\n", "\tmovl\t$1, %eax\n\tret\n"));
  assert_true(is_silent("\tcall\tpthread_barrier_wait@PLT\n", "\tcall\t__heddle_barrier_wait@PLT\n",
                        "\tcall\t__tsan_func_exit@PLT\n\tret\n"));
  assert_false(is_silent("\tcall\tpthread_barrier_wait@PLT\n", "\tcall\t__heddle_barrier_wait@PLT\n",
                         "\tcmpl\t$-1, %eax\n\tje\t.L1\n.L1:\n\tret\n"));
  assert_false(is_silent("\tcall\t__tsan_atomic32_fetch_nand@PLT\n", "heddle", "\tmovl\t$1, %eax\n\tret\n"));
  assert_false(is_silent("\tcall\t__tsan_atomic128_fetch_add@PLT\n", "heddle", "\tmovl\t$1, %eax\n\tret\n"));
  assert_true(is_replaced("\tcall\tpthread_mutex_lock@PLT\n\tcall\t__tsan_func_exit@PLT\n\tret\n"));
  assert_false(is_replaced("\tret\n"));
  assert_false(is_replaced("\taddl\t$1, %eax\n\tret\n"));
  assert_false(is_replaced("\tmovl\t%eax, %ebx\n\tmovl\t$1, %eax\n\tret\n"));
  assert_false(is_replaced("\tmovb\t$1, %al\n\tret\n")); /* only a part of it is new */
  assert_false(is_replaced("\ttestb\t%bl, %bl\n\tje\t.L1\n\tmovl\t$1, %eax\n.L1:\n\tret\n")); /* not on every way */
  assert_false(is_replaced("\tjmp\tg\n")); /* who knows what it takes */
  assert_false(is_replaced("\tjmp\t*%rbx\n"));
  assert_false(is_replaced("\tcall\tg\n\tret\n")); /* the number of vectors, to some */
  assert_false(is_replaced("\tcltq\n\tmovl\t$1, %eax\n\tret\n"));
  assert_false(is_replaced("#APP\n\tnop\n\tmovl\t%eax, %ecx\n#NO_APP\n\tmovl\t$1, %eax\n\tret\n"));
}

/* ---- what is left behind ---- */

#define LOOK "\tcall\t__tsan_atomic64_load@PLT\n"
#define AGAIN "\ttestq\t%rax, %rax\n\tje\t.L1\n"
#define PROLOGUE                                                                                                       \
  "\tpushq\t%rbp\n\t.cfi_offset 6, -16\n\tmovq\t%rsp, %rbp\n\tpushq\t%rbx\n\t.cfi_offset 3, -24\n\tsubq\t$24, %rsp\n"
#define EPILOGUE "\tcall\t__tsan_func_exit@PLT\n\taddq\t$24, %rsp\n\tpopq\t%rbx\n\tpopq\t%rbp\n\tret\n"
#define SWAP "\tmovq\t%rbx, %rdx\n\tleaq\tx(%rip), %rdi\n\tcall\t__tsan_atomic64_compare_exchange_strong@PLT\n"

/* Whether that instruction stands before the first look of a loop with this body. */
static bool clears_in(const char *clearing, const char *body)
{
  char text[1024], line[128];
  struct hooked result;
  snprintf(text, sizeof text, "%s%s%s", BEGIN PROLOGUE ".L1:\n" LOOK, body, EPILOGUE END);
  snprintf(line, sizeof line, "\t%s;", clearing);
  char *out = hooked(text, &result);
  const char *look = strstr(out, "__tsan_atomic64_load"), *at = strstr(out, line);
  bool clears = at && at < look;
  free(out);
  return clears;
}

static bool clears_register(const char *body)
{
  return clears_in("xorl\t%ebx, %ebx", body);
}

static bool clears_slot(const char *body)
{
  return clears_in("movq\t$0, -24(%rbp)", body);
}

static void test_leftover_registers(void **state)
{
  (void)state;
  assert_true(clears_register("\tmovq\t%rax, %rbx\n" AGAIN));
  assert_true(clears_register(AGAIN));
  assert_false(clears_register("\taddq\t$1, %rbx\n" AGAIN)); /* counts rounds */
  assert_false(clears_register("\tmovb\t$1, %bl\n" AGAIN "\tmovq\t%rbx, x(%rip)\n"));
  assert_false(clears_register(AGAIN "\tmovq\t%rbx, x(%rip)\n"));
  assert_false(clears_register(AGAIN "\tjmp\t*%rax\n"));
  assert_false(clears_register("\tcall\t_setjmp@PLT\n" AGAIN));
  assert_false(clears_register("#APP\n\tnop\n#NO_APP\n" AGAIN));
  assert_false(clears_register("\t.cfi_lsda 0x1b,.LLSDA0\n" AGAIN)); /* an exception lands in it */
  assert_false(clears_register("\tleaq\t.L1(%rip), %rcx\n" AGAIN));
  assert_false(clears_register("\ttestq\t%rax, %rax\n")); /* no loop */
}

static void test_leftover_slots(void **state)
{
  (void)state;
  assert_true(clears_slot("\tmovq\t%rax, -24(%rbp)\n\tleaq\t-24(%rbp), %rsi\n" SWAP AGAIN));
  assert_true(clears_slot("\tleaq\t-24(%rbp), %rbx\n\tmovq\t%rbx, %rdi\n\tcall\t__tsan_write8@PLT\n"
                          "\tmovq\t$1, -24(%rbp)\n\tmovq\t%rbx, %rsi\n\txorl\t%ebx, %ebx\n" SWAP AGAIN));
  assert_true(clears_slot("\tmovq\t%rax, -24(%rbp)\n" AGAIN "\tmovq\t-24(%rbp), %rax\n")); /* put aside */
  assert_false(clears_slot("\tleaq\t-24(%rbp), %rsi\n" SWAP AGAIN)); /* it looks for what the round before left */
  assert_false(clears_slot("\tmovl\t$1, -24(%rbp)\n\tleaq\t-24(%rbp), %rsi\n" SWAP AGAIN)); /* a half of it */
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tmovl\t$1, -20(%rbp)\n" AGAIN));        /* by parts */
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tleaq\t-24(%rbp), %rdi\n\tcall\tg@PLT\n" AGAIN));
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tleaq\t-32(%rbp), %rdi\n\tcall\tg@PLT\n" AGAIN));
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tmovq\t%rbp, %rdi\n\tcall\tg@PLT\n" AGAIN));
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tleaq\t-24(%rbp), %rbx\n\tmovq\t%rbx, x(%rip)\n" AGAIN));
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tleaq\t-24(%rbp), %rsi\n\tmovq\t%rsi, %rdx\n" SWAP AGAIN));
  assert_false(clears_slot("\tmovq\t$1, -24(%rbp)\n\tmovq\t-24(%rbp,%rax,8), %rcx\n" AGAIN));
  assert_false(clears_in("movq\t$0, -8(%rbp)", "\tmovq\t$1, -8(%rbp)\n" AGAIN)); /* the caller's %rbx */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_effects),
      cmocka_unit_test(test_statements),
      cmocka_unit_test(test_hook),
      cmocka_unit_test(test_no_assembly),
      cmocka_unit_test(test_list_of_sleds),
      cmocka_unit_test(test_divided),
      cmocka_unit_test(test_unseen),
      cmocka_unit_test(test_liveness),
      cmocka_unit_test(test_unread_results),
      cmocka_unit_test(test_options_for_another_linker),
      cmocka_unit_test(test_leftover_registers),
      cmocka_unit_test(test_leftover_slots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
