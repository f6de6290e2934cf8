/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_SYSV_MESSAGES_H
#define HEDDLE_RUNTIME_SYSV_MESSAGES_H

void sysv_messages_reset(void);

#endif
