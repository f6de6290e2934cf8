/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs leave behind, see the source.
 */
#ifndef HEDDLE_SESSION_ORPHANS_H
#define HEDDLE_SESSION_ORPHANS_H

/* From now on they come to us when their parents end. */
void adopt_orphans(void);

/* Ends them. Only when no process of ours runs. */
void end_orphans(void);

#endif
