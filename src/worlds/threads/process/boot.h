/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_BOOT_H
#define HEDDLE_RUNTIME_BOOT_H

/* With the control block mapped: everything a session needs that lives in this process. */
void runtime_boot(void);

#endif
