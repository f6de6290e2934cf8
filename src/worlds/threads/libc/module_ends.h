/* SPDX-License-Identifier: Apache-2.0
 *
 * The destructors of modules at the end of the program; see module_ends.c.
 */
#ifndef HEDDLE_RUNTIME_MODULE_ENDS_H
#define HEDDLE_RUNTIME_MODULE_ENDS_H

/* Before any constructor but our own has run: what is loaded now stays. */
void module_ends_boot(void);
/* Who calls them otherwise. */
void module_ends_by(void (*linker)(void));
/* What the dynamic linker's function does, for who registers it with exit(). */
void modules_end(void);

#endif
