/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking up symbols past our own dlsym(); see next_symbol.c.
 */
#ifndef HEDDLE_RUNTIME_NEXT_SYMBOL_H
#define HEDDLE_RUNTIME_NEXT_SYMBOL_H

/* As the dynamic linker's dlsym(). */
void *find_symbol(void *handle, const char *name);

#endif
