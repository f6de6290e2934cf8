/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's functions in the process; see vdso.c.
 */
#ifndef HEDDLE_RUNTIME_VDSO_H
#define HEDDLE_RUNTIME_VDSO_H

/* They make system calls from now on, which the filter sees. */
void vdso_boot(void);

#endif
