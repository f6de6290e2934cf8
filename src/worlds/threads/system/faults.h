/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FAULTS_H
#define HEDDLE_RUNTIME_FAULTS_H

void faults_boot(void);

#endif
