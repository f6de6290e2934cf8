/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches in stages: what takes the place of what when one way of searching gives way to another. All interleavings
 * are explored as long as the estimate gives hope that they come to an end; where they are too many, one execution for
 * each way in which steps see what others did (causal/causal.h) may still be few.
 */
#ifndef HEDDLE_CLI_STAGES_H
#define HEDDLE_CLI_STAGES_H

#include "cli/find/hunt.h"

/* The next stage of the search takes the place of those before, with the counts and the bugs of all. */
void stage_add(struct session_result *result, struct session_result *next);

/* Samples as a stage: other schedules for each nth. */
void stage_sample(struct hunt *hunt, unsigned nth, double seconds, struct session_result *result);

/* All that steps can see of each other, as a stage that goes on where it stood. True: it came to its end; the result is
 * complete if that is a proof, else what it misses is not counted as missed by the others. */
bool stage_causality(struct hunt *hunt, struct division *division, double seconds, struct session_result *result);

/* All interleavings and all that steps can see of each other, in turns, each for twice as long as before; the former
 * until they are hopeless, the latter until it comes to an end that proves nothing. seconds: 0 for no limit. The result
 * must have been filled in, or be new (exit_status -1). Without causality: all interleavings, with pauses for samples
 * as long as nothing tells how many there are. */
void explore_in_turns(struct hunt *hunt, double seconds, bool causality, struct session_result *result);

#endif
