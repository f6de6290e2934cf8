/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has which job of a planner, see the source.
 */
#ifndef HEDDLE_SESSION_SHARE_H
#define HEDDLE_SESSION_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct worker;

/* Takes answers, gives jobs, asks those who have had theirs for long. stopping: takes only, and lets those go that
 * wait. */
void share_jobs(struct session *s, bool stopping, double now);

/* Its process ended before it answered. */
void share_lost(struct session *s, struct worker *w, int wait_status);

#endif
