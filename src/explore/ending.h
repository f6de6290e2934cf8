/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps in which the program ends.
 */
#ifndef HEDDLE_EXPLORE_ENDING_H
#define HEDDLE_EXPLORE_ENDING_H

/* A step in which the program ended while others were alive depends on all that could be told from its absence; or on
 * everything, if it is a step that is taken at once itself, so that others of that kind may not have come yet. */
enum ending { FINAL_NOT, FINAL_OVER_SEEN, FINAL_OVER_ALL };

#endif
