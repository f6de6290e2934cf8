/* SPDX-License-Identifier: Apache-2.0
 *
 * The corpus of a hunt by reads-from feedback (session/corpus.h): its file in the output folder, corpus/NAME for the
 * program NAME.
 */
#ifndef HEDDLE_CLI_CORPUS_FOLDER_H
#define HEDDLE_CLI_CORPUS_FOLDER_H

#include "cli/find/hunt.h"

/* False: the result says that the session failed, and why. */
bool hunt_open_corpus(struct hunt *hunt, struct session_result *result);
void hunt_close_corpus(struct hunt *hunt);

/* Why each schedule was tried that is worth going on from, in words. */
void hunt_print_corpus(const struct hunt *hunt, const struct session_result *result);

#endif
