/* SPDX-License-Identifier: Apache-2.0
 *
 * An object file that tells the runtime which parts of a program have no hooks.
 */
#ifndef HEDDLE_LINK_NOTE_H
#define HEDDLE_LINK_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes an object file with a note for each name (core/assembly.h). False: it could not be written. */
bool note_object_write(FILE *out, char *const names[], size_t count);

#endif
