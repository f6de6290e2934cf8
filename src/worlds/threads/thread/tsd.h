/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_TSD_H
#define HEDDLE_RUNTIME_TSD_H

/* Back to the keys that existed at the start. */
void tsd_reset(void);

#endif
