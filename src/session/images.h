/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that processes of the tested one went on as.
 */
#ifndef HEDDLE_SESSION_IMAGES_H
#define HEDDLE_SESSION_IMAGES_H

#include "core/control.h"
#include "debuginfo/symbols.h"

/* Their modules get names, too. Sizes in the control block need not be true. */
void images_load(struct symbols *symbols, const struct control *control);

#endif
