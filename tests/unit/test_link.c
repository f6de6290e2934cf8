/* SPDX-License-Identifier: Apache-2.0
 *
 * What the linker takes in: archives, notes, disassembled code. Damaged files must do no harm.
 */
#include "assemble/object_file.h"
#include "core/system_library.h"
#include "link/disassembly.h"
#include "link/note.h"
#include "link/unused_results.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool accesses(const char *text)
{
  FILE *file = fmemopen((void *)text, strlen(text), "r");
  assert_non_null(file);
  bool found = disassembly_accesses(file);
  fclose(file);
  return found;
}

static void test_disassembly(void **state)
{
  (void)state;
  assert_false(
      accesses("0000 <f>:\n   0:\tpush   %rbp\n   1:\tmov    %rsp,%rbp\n   4:\tmov    %edi,-0x4(%rbp)\n   7:\tret\n"));
  assert_false(accesses("0000 <f>:\n   0:\tcs nopw 0x0(%rax,%rax,1)\n   9:\tlea    (%rdi,%rsi,1),%eax\n"));
  assert_true(accesses("0000 <f>:\n   0:\tmovl   $0x1,0x0(%rip)        # a <f+0xa>\n"));
  assert_true(accesses("0000 <f>:\n   0:\tmov    (%rdi),%eax\n"));
  assert_true(accesses("0000 <f>:\n   0:\tmov    %eax,-0x4(%rbp)\n"));
  assert_true(accesses("0000 <f>:\n   0:\tlea    0x8(%rsp),%rdi\n   4:\tcall   9 <g>\n   9:\tmovl   $0x1,0x8(%rsp)\n"));
}

/* Calls of the function at 0x40 whose result nobody reads. */
static size_t unused(const char *text, uint64_t result[4])
{
  static const uint64_t function = 0x40;
  FILE *file = fmemopen((void *)text, strlen(text), "r");
  assert_non_null(file);
  size_t count = unused_results(file, &function, 1, result, 4);
  fclose(file);
  return count;
}

static void test_unused_results(void **state)
{
  (void)state;
  uint64_t result[4];
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\txor    %eax,%eax\n 107:\tret\n", result), 1);
  assert_int_equal(result[0], 0x105);
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\tret\n", result), 0);
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\ttest   %eax,%eax\n 107:\txor    %eax,%eax\n"
                          " 109:\tret\n",
                          result),
                   0);
  /* The next call takes nothing from there, and what it returns is another result. */
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\tmov    %ebx,%edi\n 107:\tcall   50 <h>\n"
                          " 10c:\tret\n",
                          result),
                   1);
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\tcall   *%rax\n 107:\tret\n", result), 0);
  /* Read on one of two ways, or nobody knows where it goes on. */
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\tcmp    %ebx,%ecx\n 107:\tje     110 <f+0x10>\n"
                          " 109:\txor    %eax,%eax\n 10b:\tret\n 110:\tmov    %eax,(%rbx)\n 112:\txor    %eax,%eax\n"
                          " 114:\tret\n",
                          result),
                   0);
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   40 <g>\n 105:\tnotrack jmp *%rcx\n", result), 0);
  assert_int_equal(unused("0100 <f>:\n 100:\tcall   50 <h>\n 105:\txor    %eax,%eax\n 107:\tret\n", result), 0);
  assert_int_equal(unused("nonsense\n", result), 0);
}

struct found {
  unsigned members;
  size_t size;
};

static void note_member(void *context, struct bytes member, const char *path)
{
  struct found *found = context;
  assert_string_equal(path, found->size ? "b.o" : "a_long_name_of_a_member.o");
  found->members++;
  found->size = member.size;
}

static const char archive[] = "!<arch>\n"
                              "//                                              28        `\n"
                              "a_long_name_of_a_member.o/\n\n"
                              "/0              0           0     0     644     3         `\n"
                              "abc\n"
                              "b.o/            0           0     0     644     2         `\n"
                              "xy";

static void test_archive(void **state)
{
  (void)state;
  struct bytes bytes = {(const unsigned char *)archive, sizeof archive - 1};
  struct found found = {0};
  assert_true(archive_find(bytes, "a_long_name_of_a_member.o", note_member, &found));
  assert_int_equal(found.members, 1);
  assert_int_equal(found.size, 3);
  assert_true(archive_find(bytes, "b.o", note_member, &found));
  assert_int_equal(found.members, 2);
  assert_int_equal(found.size, 2);
  assert_false(archive_find((struct bytes){bytes.at + 1, 10}, "b.o", note_member, &found));
  for (size_t n = 0; n < bytes.size; n++) {
    unsigned char *part = malloc(n + 1);
    assert_non_null(part);
    memcpy(part, bytes.at, n);
    struct found none = {.size = 1};
    archive_find((struct bytes){part, n}, "no.o", note_member, &none);
    assert_int_equal(none.members, 0);
    free(part);
  }
}

static void test_objects(void **state)
{
  (void)state;
  char *names[] = {"a.o", "libb.a(c.o)"}, *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_true(note_object_write(out, names, 2));
  fclose(out);
  assert_non_null(memmem(text, size, "libb.a(c.o)", 12));
  assert_int_equal(object_file_kind((struct bytes){(unsigned char *)text, size}), OBJECT_FILE_OTHER);
  for (size_t n = 0; n < size; n++) {
    unsigned char *part = malloc(n + 1);
    assert_non_null(part);
    memcpy(part, text, n);
    assert_int_equal(object_file_kind((struct bytes){part, n}), OBJECT_FILE_OTHER);
    free(part);
  }
  Elf64_Shdr *sections = (Elf64_Shdr *)(text + sizeof(Elf64_Ehdr));
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  assert_int_equal(object_file_kind((struct bytes){(unsigned char *)text, size}), OBJECT_FILE_UNHOOKED);
  free(text);
}

static void test_system_objects(void **state)
{
  (void)state;
  assert_true(is_system_object("/usr/lib/x86_64-linux-gnu/Scrt1.o"));
  assert_true(is_system_object("/usr/lib/gcc/x86_64-linux-gnu/12/crtbeginS.o"));
  assert_true(is_system_object("libc_nonshared.a"));
  assert_false(is_system_object("build/crt.o"));
  assert_false(is_system_object("libcounter.a"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_disassembly), cmocka_unit_test(test_unused_results),
                                     cmocka_unit_test(test_archive), cmocka_unit_test(test_objects),
                                     cmocka_unit_test(test_system_objects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
