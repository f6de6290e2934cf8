/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of a program, before main: those that heddle enforce gives it (core/property_program.h), and those that
 * were linked into it (heddle spec, struct hd_spec).
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_START_H
#define HEDDLE_ENFORCE_PROPERTY_START_H

void property_start(void);
/* After main. */
void property_stop(void);

#endif
