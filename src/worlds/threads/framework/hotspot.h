/* SPDX-License-Identifier: Apache-2.0
 *
 * Hotspots, as the loop of executions needs them (hotspot.c).
 */
#ifndef HEDDLE_RUNTIME_HOTSPOT_H
#define HEDDLE_RUNTIME_HOTSPOT_H

void hotspots_begin(void); /* an execution begins */
void hotspots_check(void); /* the program ends by itself: declares what is missing */
void hotspots_count(void); /* the execution counts */

#endif
