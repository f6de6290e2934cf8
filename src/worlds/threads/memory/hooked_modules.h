/* SPDX-License-Identifier: Apache-2.0
 *
 * Which modules (the program, its shared libraries, plugins) were built with memory hooks, and the list of those that
 * were not, in the control block: their accesses to memory are unseen, so a verdict must name them.
 */
#ifndef HEDDLE_RUNTIME_HOOKED_MODULES_H
#define HEDDLE_RUNTIME_HOOKED_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the loaded module calls memory hooks. */
bool module_has_hooks(const struct dl_phdr_info *module);

/* Whether an import of the loaded module is what is wanted: its name, and the address that it was resolved to. */
typedef bool call_visitor(const char *name, uintptr_t target, const void *context);
bool module_find_call(const struct dl_phdr_info *module, call_visitor *wanted, const void *context);

/* Whether an import of the loaded module was resolved to an address in [start, end). Symbols are bound at the start. */
bool module_calls(const struct dl_phdr_info *module, uintptr_t start, uintptr_t end);

const char *base_name(const char *path);

/* Adds a name to a list of them, once. */
void add_to_list(char *list, size_t room, const char *name);

/* Adds the module to the list, once. */
void note_unhooked(const char *path);

/* In a program that has hooks otherwise, modules without are a loss (core/loss.h). */
void note_unhooked_loss(void);

/* The program makes memory executable that is no file's: what it writes there will run without hooks. */
void note_generated_code(void);

/* The program maps code from a file, as dlopen() does: it is added to the list if it is a module without hooks. */
void note_mapped_code(int fd);

#endif
