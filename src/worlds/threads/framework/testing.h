/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the frameworks cmocka, Check, Criterion and GoogleTest: in a session about one of them (control_config) its
 * program lists its tests, or runs one of them alone, and a failed check of the framework is a failed assertion.
 *
 * Nothing here schedules, and without such a session every function of a framework is forwarded.
 */
#ifndef HEDDLE_RUNTIME_TESTING_H
#define HEDDLE_RUNTIME_TESTING_H

#include "core/control.h"
#include <stdbool.h>
#include <stdint.h>

/* Before the program starts: what the frameworks read from the environment. */
void testing_boot(void);

/* The framework whose test is being run or listed, for threads of the program; FRAMEWORK_NONE otherwise. */
enum test_framework testing(void);

/* Whether to run the test group.name now. When only names are asked for it is told, and not run. */
bool test_chosen(const char *group, const char *name);

/* The same for a test that cannot be run here. */
void test_left_out(const char *group, const char *name, const char *why);

/* If the framework has just printed that a check failed, that is the bug, and this does not return. */
void test_failed_as_printed(void);

/* Of testing_boot(), for Criterion (criterion.c). */
void criterion_boot(void);

/* A failed assertion of the current thread (program.c). where: "file.c:12"; text: what did not hold. */
_Noreturn void assertion_failed(const char *where, const char *text, uintptr_t pc);

/* Puts a function of ours, which must be EXPORTed, in the place of one of a framework's library. The version keeps it
 * from the static linker: programs are linked to the framework, not to us instead
 * (worlds/threads/process/exports.map). */
#define IN_PLACE_OF(name, function) __asm__(".symver " #function ", " #name "@HEDDLE_TESTS")

#endif
