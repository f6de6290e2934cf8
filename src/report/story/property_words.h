/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for what properties do: their monitors, and threads that a property or a schedule holds back.
 */
#ifndef HEDDLE_REPORT_PROPERTY_WORDS_H
#define HEDDLE_REPORT_PROPERTY_WORDS_H

#include "report/story/story_words.h"

/* "SafeIteration(list, *it)": the property, and the objects whose monitor it is. */
void describe_monitor(const struct story *story, const struct traced_monitor *monitor, char out[OBJECT_SIZE]);

/* Whether a party of the story's bug is held back, and does not merely wait. */
bool party_is_held(const struct story *story, const struct bug_party *party);

/* A sentence on it: "main is held before get of PutLast at order.c:31: it waits for PutLast to allow it". */
void describe_held_party(const struct story *story, const struct bug_party *party, char out[SENTENCE_SIZE]);

#endif
