/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OBSERVER_HANG_H
#define HEDDLE_OBSERVER_HANG_H

#include <stdbool.h>

struct operation;

void hang_reset(void);
bool hang_watching(void);
bool hang_extend(void);
void hang_note(unsigned thread, const struct operation *op);
void hang_conclude(void);
void hang_report(bool livelock);

#endif
