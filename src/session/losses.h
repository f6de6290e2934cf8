/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a verdict less than a proof, in words; see losses.c.
 */
#ifndef HEDDLE_SESSION_LOSSES_H
#define HEDDLE_SESSION_LOSSES_H

#include "debuginfo/symbols.h"
#include "session/supervisor.h"

#define LOSS_TEXT 2048

/* All that the session lost, in sentences, after `before`; empty for nothing. */
const char *loss_text(const struct session_result *r, const char *before, char out[LOSS_TEXT]);

/* What a search by causality did not cover, with its place, as part of that from now on. */
void name_uncovered(struct session_result *r, struct symbols *symbols);

/* The place of assembly whose accesses were not seen, if there is any. */
void print_unseen_assembly(const struct control *control);

/* The program waits for the outside: where, and what to do about it. */
void print_outside(const struct control *control, struct symbols *symbols);

#endif
