/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_BOOT_H
#define HEDDLE_RUNTIME_BOOT_H

/* With the control block mapped: everything a session needs that lives in this process. */
void runtime_boot(void);

/* The same file as a descriptor where no program looks for one, which is closed when another program begins. */
int out_of_the_way(int fd);

#endif
