/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FAULTS_H
#define HEDDLE_RUNTIME_FAULTS_H

#include <stdbool.h>

void faults_boot(void);
/* The program handles the fault itself: on the stack of the thread it happens to (own), not on ours. */
void faults_take_stack(int signal, bool own);

#endif
