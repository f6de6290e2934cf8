/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program that is tested and heddle are made of here, as parts of an identity (schedule/identity.h): their files
 * and libraries, and what is above the stack.
 */
#ifndef HEDDLE_SESSION_PROGRAM_IDENTITY_H
#define HEDDLE_SESSION_PROGRAM_IDENTITY_H

#include "schedule/identity.h"
#include "session/target.h"

struct launch;

/* Adds them. False: an error was printed. */
bool program_identity(struct identity *identity, const struct launch *launch);

/* That and the processor: what must be the same where parts of one search are done. False: an error was printed. */
bool machine_identity(struct identity *identity, const struct target *target);

#endif
